// Which changes of a claim are looked at. external-resizer:pkg/controller/controller.go, pkg/modifycontroller/controller.go
import { annotationOf } from '../../kube/annotations.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { Change } from '../../runtime/informer.ts';
import { STORAGE_RESIZER } from '../../volume/annotations.ts';

type Claim = PersistentVolumeClaim;

/** Written by the resizer itself. Upstream takes them into its own cache, so that its watch does not tell them as news. */
const OWN_STATUSES: ReadonlySet<string | undefined> = new Set([
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
]);

export function isSizeNews(change: Change<Claim>): boolean {
  if (change.type !== 'updated') return change.type === 'added';
  const { before, object } = change;
  if (before.metadata.resourceVersion === object.metadata.resourceVersion) return true;
  if (compareQuantities(requestOf(before), requestOf(object)) !== 0) return true;
  if (annotationOf(before, STORAGE_RESIZER) !== annotationOf(object, STORAGE_RESIZER)) return true;
  if (compareQuantities(capacityOf(object), capacityOf(before)) > 0) return true;
  const status = resizeStatusOf(object);
  return status !== resizeStatusOf(before) && !OWN_STATUSES.has(status);
}

export function isAttributesNews(change: Change<Claim>): boolean {
  if (change.type !== 'updated') return change.type === 'added';
  const { before, object } = change;
  const isAnother = (before.spec.volumeAttributesClassName ?? '') !== (object.spec.volumeAttributesClassName ?? '');
  return (isAnother || object.status.modifyVolumeStatus === undefined) && object.status.phase === 'Bound';
}

export const requestOf = ({ spec }: Claim): string => spec.resources.requests?.['storage'] ?? '0';
export const capacityOf = ({ status }: Claim): string => status.capacity?.['storage'] ?? '0';
export const resizeStatusOf = ({ status }: Claim): string | undefined => status.allocatedResourceStatuses?.['storage'];
