import { describe, expect, it } from 'vitest';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { attachmentRefusal } from './wait-for-attach.ts';

const METADATA = { name: 'csi-1', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

function attachment(status: VolumeAttachment['status'], isGoing = false): VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { ...METADATA, ...(isGoing ? { deletionTimestamp: '2026-01-01T00:01:00Z' } : {}) },
    spec: { attacher: 'd', nodeName: 'n1', source: { persistentVolumeName: 'pv1' } },
    status,
  };
}

const failed = { attached: false, attachError: { message: 'no room', time: '2026-01-01T00:00:00Z' } };

describe('whether an attachment lets a volume be mounted', () => {
  it.each([
    ['attached', attachment({ attached: true }), undefined],
    ['attached, with an old error', attachment({ ...failed, attached: true }), undefined],
    ['attached but on its way out', attachment({ attached: true }, true), 'volume attachment is being deleted'],
    ['the attach failed', attachment(failed), 'no room'],
    ['not attached yet', attachment({ attached: false }), 'volume h is not attached for volume attachment csi-1'],
  ])('P-KL-2 %s -> answered so', (_situation, given, expected) => {
    expect(attachmentRefusal(given, 'h')).toBe(expected);
  });
});
