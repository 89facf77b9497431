import { describe, expect, it } from 'vitest';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { attachVerdict, detachVerdict } from './attachment-status.ts';

function attachment(status: Partial<VolumeAttachment['status']>, deleting = false): VolumeAttachment {
  const deletion = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '', ...deletion },
    spec: { attacher: 'disk.test', nodeName: 'a', source: {} },
    status: { attached: false, ...status },
  };
}
const error = (message: string) => ({ message, time: null });
const wait = { type: 'wait' };
const done = { type: 'done' };
const failed = (message: string) => ({ type: 'failed', message });

describe('attachVerdict', () => {
  it.each([
    ['not there yet -> wait', undefined, wait],
    ['untouched -> wait', attachment({}), wait],
    ['attached -> done', attachment({ attached: true }), done],
    ['attached with an old error -> done', attachment({ attached: true, attachError: error('old') }), done],
    [
      'AD-22 attachError -> its message',
      attachment({ attachError: error('attacher error') }),
      failed('attacher error'),
    ],
    [
      'being deleted -> no use to wait',
      attachment({ attached: true }, true),
      failed('volume attachment is being deleted'),
    ],
  ] as const)('%s', (_name, given, expected) => expect(attachVerdict(given)).toEqual(expected));
});

describe('detachVerdict', () => {
  it.each([
    ['gone -> done', undefined, done],
    ['still attached -> wait', attachment({ attached: true }, true), wait],
    ['says detached but is still there -> wait', attachment({}, true), wait],
    ['detachError -> its message', attachment({ detachError: error('busy') }, true), failed('busy')],
  ] as const)('%s', (_name, given, expected) => expect(detachVerdict(given)).toEqual(expected));
});
