import { describe, expect, it } from 'vitest';
import type { Patch } from '../../kube/cluster.ts';
import { anAttachment } from '../../../test/attachdetach/makers.ts';
import {
  addVolumeFinalizer,
  attachErrorPatch,
  attachedPatch,
  detachErrorPatch,
  detachedPatch,
  finalizerPatch,
  removeVolumeFinalizer,
  withoutFinalizerPatch,
} from './attachment-patch.ts';
import { NODE_ID_ANNOTATION } from './node-id.ts';

const merge = (body: object): Patch => ({ type: 'merge', body });
const F = 'external-attacher/csi-test';
const NOW = Date.UTC(2026, 0, 1);
const TIME = '2026-01-01T00:00:00Z';

describe('patches of a VolumeAttachment', () => {
  it('untouched -> finalizer and node id in one patch', () => {
    expect(finalizerPatch(anAttachment(), F, 'n')).toEqual(
      merge({ metadata: { finalizers: [F], annotations: { [NODE_ID_ANNOTATION]: 'n' } } }),
    );
  });
  it('has a foreign finalizer and an old node id -> both kept up to date', () => {
    const attachment = anAttachment({
      metadata: { finalizers: ['x/y', F], annotations: { [NODE_ID_ANNOTATION]: 'old' } },
    });
    expect(finalizerPatch(attachment, F, 'n')).toEqual(
      merge({ metadata: { annotations: { [NODE_ID_ANNOTATION]: 'n' } } }),
    );
    expect(withoutFinalizerPatch(attachment, F)).toEqual(merge({ metadata: { finalizers: ['x/y'] } }));
  });
  it('has both -> nothing to write; has not -> nothing to take away', () => {
    const attachment = anAttachment({ metadata: { finalizers: [F], annotations: { [NODE_ID_ANNOTATION]: 'n' } } });
    expect([finalizerPatch(attachment, F, 'n'), withoutFinalizerPatch(anAttachment(), F)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(withoutFinalizerPatch(attachment, F)).toEqual(merge({ metadata: { finalizers: null } }));
  });
  it('EA-04 attached after an error -> context stored, error taken back', () => {
    const attachment = anAttachment({ status: { attachError: { message: 'mock error', time: TIME } } });
    expect(attachedPatch(attachment, { device: '/dev/x' })).toEqual(
      merge({ status: { attached: true, attachmentMetadata: { device: '/dev/x' }, attachError: null } }),
    );
  });
  it('attached again with another context -> only the difference', () => {
    const attachment = anAttachment({ status: { attached: true, attachmentMetadata: { a: '1', b: '2' } } });
    expect(attachedPatch(attachment, { a: '1', c: '3' })).toEqual(
      merge({ status: { attachmentMetadata: { b: null, c: '3' } } }),
    );
    expect(attachedPatch(attachment, { a: '1', b: '2' })).toEqual(merge({}));
  });
  it('EA-05 detached -> all of it taken back', () => {
    const attachment = anAttachment({
      status: { attached: true, attachmentMetadata: { a: '1' }, detachError: { message: 'm', time: TIME } },
    });
    expect(detachedPatch(attachment)).toEqual(
      merge({ status: { attached: false, attachmentMetadata: null, detachError: null } }),
    );
    expect(detachedPatch(anAttachment())).toEqual(merge({}));
  });
  it.each([
    ['NOT_FOUND', 5],
    ['DEADLINE_EXCEEDED', 4],
    ['RESOURCE_EXHAUSTED', 8],
    ['FAILED_PRECONDITION', 9],
    ['UNAUTHENTICATED', 16],
  ] as const)('attach failed with %s -> errorCode %i', (code, errorCode) => {
    expect(attachErrorPatch({ message: 'm', code }, NOW)).toEqual(
      merge({ status: { attachError: { message: 'm', time: TIME, errorCode } } }),
    );
  });
  it('failed before the driver was asked, or on detach -> no errorCode', () => {
    expect(attachErrorPatch({ message: 'm' }, NOW)).toEqual(
      merge({ status: { attachError: { message: 'm', time: TIME } } }),
    );
    expect(detachErrorPatch({ message: 'm', code: 'INTERNAL' }, NOW)).toEqual(
      merge({ status: { detachError: { message: 'm', time: TIME } } }),
    );
  });
});

describe('patches of a PersistentVolume', () => {
  const path = '/metadata/finalizers';
  it.each([
    ['others there -> appended', ['x'], [{ op: 'add', path: `${path}/-`, value: F }]],
    [
      'no list -> made, if there is still none',
      undefined,
      [
        { op: 'test', path, value: null },
        { op: 'add', path, value: [F] },
      ],
    ],
    [
      'an empty list -> replaced, if it is still empty',
      [],
      [
        { op: 'test', path, value: [] },
        { op: 'replace', path, value: [F] },
      ],
    ],
  ] as const)('%s', (_name, finalizers, ops) =>
    expect(addVolumeFinalizer(finalizers, F)).toEqual({ type: 'json', ops }),
  );

  it('EA-09 removed -> ours alone, and only from where it was', () => {
    expect(removeVolumeFinalizer(['x', F, 'y'], F)).toEqual({
      type: 'json',
      ops: [
        { op: 'test', path: `${path}/1`, value: F },
        { op: 'remove', path: `${path}/1` },
      ],
    });
  });
});
