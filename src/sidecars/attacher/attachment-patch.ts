// What the attacher writes into a VolumeAttachment: merge patches that hold what changes and nothing else, so that it
// never overwrites what others wrote meanwhile. external-attacher:pkg/controller/{csi_handler,util}.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import { CSI_CODES } from '../../csi/csi-error.ts';
import { type CsiCode, type StringMap } from '../../csi/driver.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { type JsonPatchOp, type Patch } from '../../kube/cluster.ts';
import { hasFinalizer } from '../../kube/finalizers.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { NODE_ID_ANNOTATION } from './node-id.ts';

/** Undefined if both are there already. */
export function finalizerPatch(attachment: VolumeAttachment, finalizer: string, nodeId: string): Patch | undefined {
  const { finalizers = [] } = attachment.metadata;
  const hasIt = hasFinalizer(attachment, finalizer);
  const isNoted = annotationOf(attachment, NODE_ID_ANNOTATION) === nodeId;
  if (hasIt && isNoted) return undefined;
  const metadata = {
    ...(hasIt ? {} : { finalizers: [...finalizers, finalizer] }),
    ...(isNoted ? {} : { annotations: { [NODE_ID_ANNOTATION]: nodeId } }),
  };
  return { type: 'merge', body: { metadata } };
}

/** Undefined if it is not there. */
export function withoutFinalizerPatch(attachment: VolumeAttachment, finalizer: string): Patch | undefined {
  if (!hasFinalizer(attachment, finalizer)) return undefined;
  const finalizers = (attachment.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return { type: 'merge', body: { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } } };
}

export function attachedPatch({ status }: VolumeAttachment, publishContext: StringMap): Patch {
  const before = status.attachmentMetadata ?? {};
  const dropped = Object.keys(before).filter((key) => !Object.hasOwn(publishContext, key));
  const changed = Object.entries(publishContext).filter(([key, value]) => before[key] !== value);
  const metadata = { ...Object.fromEntries(dropped.map((key) => [key, null])), ...Object.fromEntries(changed) };
  return statusPatch({
    ...(status.attached === true ? {} : { attached: true }),
    ...(Object.keys(metadata).length === 0 ? {} : { attachmentMetadata: metadata }),
    ...(status.attachError === undefined ? {} : { attachError: null }),
  });
}

export function detachedPatch({ status }: VolumeAttachment): Patch {
  return statusPatch({
    ...(status.attached === true ? { attached: false } : {}),
    ...(status.attachmentMetadata === undefined ? {} : { attachmentMetadata: null }),
    ...(status.detachError === undefined ? {} : { detachError: null }),
  });
}

/** `code` is given for what the driver answered and absent for everything else that can go wrong. */
export interface Failure {
  readonly message: string;
  readonly code?: CsiCode;
}

export function attachErrorPatch({ message, code }: Failure, now: InstantMs): Patch {
  const errorCode = code === undefined ? {} : { errorCode: CSI_CODES.indexOf(code) };
  return statusPatch({ attachError: { message, time: timestamp(now), ...errorCode } });
}

/** Without a code, as upstream. */
export function detachErrorPatch({ message }: Failure, now: InstantMs): Patch {
  return statusPatch({ detachError: { message, time: timestamp(now) } });
}

const statusPatch = (status: object): Patch => ({
  type: 'merge',
  body: Object.keys(status).length === 0 ? {} : { status },
});

/** Adds to the list as it is then; two attachments made at once may therefore both add. */
export function addVolumeFinalizer(finalizers: readonly string[] | undefined, finalizer: string): Patch {
  const path = '/metadata/finalizers';
  if (finalizers !== undefined && finalizers.length > 0) {
    return { type: 'json', ops: [{ op: 'add', path: `${path}/-`, value: finalizer }] };
  }
  const ops: readonly JsonPatchOp[] = [
    { op: 'test', path, value: finalizers ?? null },
    { op: finalizers === undefined ? 'add' : 'replace', path, value: [finalizer] },
  ];
  return { type: 'json', ops };
}

/** Fails if the list has changed: then it is read again. */
export function removeVolumeFinalizer(finalizers: readonly string[], finalizer: string): Patch {
  const path = `/metadata/finalizers/${finalizers.indexOf(finalizer)}`;
  return {
    type: 'json',
    ops: [
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ],
  };
}
