// Which changes of a VolumeAttachment are news. Errors are written by the attacher itself: taking them for news would
// try again at once what has to wait. external-attacher:pkg/controller/controller.go shouldEnqueueVAChange
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Change } from '../../runtime/informer.ts';

export function isNews(change: Change<VolumeAttachment>): boolean {
  switch (change.type) {
    case 'added':
      return true;
    case 'deleted':
      return false;
    case 'updated':
      return isNewsAfter(change.before, change.object);
    default:
      return change satisfies never;
  }
}

function isNewsAfter(before: VolumeAttachment, now: VolumeAttachment): boolean {
  // The periodic look.
  if (before.metadata.resourceVersion === now.metadata.resourceVersion) return true;
  const sayErrors = [before, now].some(({ status }) => (status.attachError ?? status.detachError) !== undefined);
  return !sayErrors || withoutErrors(before) !== withoutErrors(now);
}

/** Everything but what the attacher's own report of an error changes. */
function withoutErrors({ metadata, spec, status }: VolumeAttachment): string {
  const { resourceVersion: _version, managedFields: _fields, ...rest } = metadata;
  const { attachError: _attach, detachError: _detach, ...said } = status;
  return JSON.stringify([sorted(rest), spec, sorted(said)]);
}

const sorted = (value: object): unknown => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
