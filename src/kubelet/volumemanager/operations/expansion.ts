// Whether a claim's state lets this node grow its volume now, and what is written into the claim on the way. Pure.
// kubernetes:pkg/volume/util/operationexecutor/node_expander.go, kubernetes:pkg/volume/util/resize_util.go
import { compareQuantities, isZeroQuantity } from '../../../kube/quantity.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import { NODE_EXPANSION_NOT_REQUIRED } from '../../../volume/annotations.ts';

export type ExpansionDecision =
  /** The resizer is older than the states in the claim: grow and write the size, no states in between. */
  | { readonly type: 'legacy' }
  /** `alreadyUpdated`: the claim shows the size already, this node only follows. */
  | { readonly type: 'expand'; readonly newSize: string; readonly alreadyUpdated: boolean }
  | { readonly type: 'done'; readonly newSize: string }
  /** Somebody else must act on the claim first. */
  | { readonly type: 'wait' };

export function decideExpansion(claim: PersistentVolumeClaim): ExpansionDecision {
  const { allocatedResources, allocatedResourceStatuses, capacity } = claim.status;
  const resizeStatus = allocatedResourceStatuses?.['storage'] ?? '';
  if (resizeStatus === '' && allocatedResources === undefined) return { type: 'legacy' };
  const newSize = allocatedResources?.['storage'] ?? '0';
  const isLarge = compareQuantities(capacity?.['storage'] ?? '0', newSize) >= 0;
  const alreadyUpdated = isLarge && resizeStatus === '';
  const isShared = claim.spec.accessModes?.includes('ReadWriteMany') === true;
  const isSpared = claim.metadata.annotations?.[NODE_EXPANSION_NOT_REQUIRED] !== undefined;
  if (alreadyUpdated && isShared && !isSpared) return { type: 'expand', newSize, alreadyUpdated };
  if (resizeStatus === 'NodeResizePending' || resizeStatus === 'NodeResizeInProgress') {
    return { type: 'expand', newSize, alreadyUpdated };
  }
  return alreadyUpdated ? { type: 'done', newSize } : { type: 'wait' };
}

/** A size that the user has changed meanwhile is given up at the first final failure. */
export function isRequestChanged(claim: PersistentVolumeClaim, newSize: string): boolean {
  return compareQuantities(claim.spec.resources.requests?.['storage'] ?? '0', newSize) !== 0;
}

export function isLarger(wanted: string | undefined, size: string | undefined): boolean {
  return wanted !== undefined && !isZeroQuantity(wanted) && compareQuantities(wanted, size ?? '0') > 0;
}

const RESIZE_CONDITIONS = ['FileSystemResizePending', 'Resizing', 'ControllerResizeError', 'NodeResizeError'];
const NODE_RESIZE_ERROR = 'NodeResizeError';

/** Bodies of strategic merge patches of the claim's status. */
export const inProgressPatch = ({ metadata }: PersistentVolumeClaim): object => ({
  metadata: { resourceVersion: metadata.resourceVersion },
  status: { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
});

export function finishedPatch(claim: PersistentVolumeClaim, newSize: string): object {
  const known = claim.status.conditions?.map(({ type }) => type) ?? [];
  const gone = RESIZE_CONDITIONS.filter((type) => known.includes(type));
  const others = Object.keys(claim.status.allocatedResourceStatuses ?? {}).filter((name) => name !== 'storage');
  return {
    metadata: { resourceVersion: claim.metadata.resourceVersion },
    status: {
      capacity: { storage: newSize },
      allocatedResourceStatuses: others.length === 0 ? null : { storage: null },
      ...(gone.length === 0 ? {} : { conditions: gone.map((type) => ({ type, $patch: 'delete' })) }),
    },
  };
}

/** A condition that is there already keeps its text: only a change of its status rewrites it. */
export function failedPatch(
  claim: PersistentVolumeClaim,
  failure: { readonly message: string; readonly infeasible: boolean; readonly now: string },
): object {
  const known = claim.status.conditions?.some(({ type, status }) => type === NODE_RESIZE_ERROR && status === 'True');
  const condition = {
    type: NODE_RESIZE_ERROR,
    status: 'True',
    lastTransitionTime: failure.now,
    message: `failed to expand pvc with ${failure.message}`,
  };
  return {
    status: {
      ...(failure.infeasible ? { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } } : {}),
      ...(known === true ? {} : { conditions: [condition] }),
    },
  };
}
