// The claim as the resizer leaves it at each step, copied from the claim it saw. Pure.
// external-resizer:pkg/controller/resize_status.go, pkg/util/util.go
import { withAnnotation, withoutAnnotation } from '../../kube/annotations.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
} from '../../kube/resources/persistent-volume-claim.ts';
import { NODE_EXPANSION_NOT_REQUIRED } from '../../volume/annotations.ts';

const RESIZE_CONDITIONS: ReadonlySet<string> = new Set([
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
]);
const NODE_STEP_MESSAGE = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';

type Claim = PersistentVolumeClaim;
type Condition = PersistentVolumeClaimCondition;

/** `isNewSize`: nothing of an earlier attempt at another size stays; otherwise only the time of `Resizing` is new. */
export function resizing(claim: Claim, size: string, { isNewSize, now }: { isNewSize: boolean; now: string }): Claim {
  const started = withConditions(claim, [condition('Resizing', now)], !isNewSize);
  const marked = isNewSize ? withResizeStatus(started, 'ControllerResizeInProgress') : started;
  const { allocatedResources } = marked.status;
  const status = { ...marked.status, allocatedResources: { ...allocatedResources, storage: size } };
  return withoutAnnotation({ ...marked, status }, NODE_EXPANSION_NOT_REQUIRED);
}

export function pendingOnNode(claim: Claim, now: string): Claim {
  const pending = withConditions(claim, [condition('FileSystemResizePending', now, NODE_STEP_MESSAGE)], true);
  return withoutAnnotation(withResizeStatus(pending, 'NodeResizePending'), NODE_EXPANSION_NOT_REQUIRED);
}

/** No node step: the annotation keeps the kubelet from trying. */
export function resized(claim: Claim, size: string): Claim {
  const { allocatedResourceStatuses = {}, ...rest } = withConditions(claim, [], false).status;
  const { storage: _storage, ...others } = allocatedResourceStatuses;
  const status = {
    ...rest,
    capacity: { ...rest.capacity, storage: size },
    ...(Object.keys(others).length === 0 ? {} : { allocatedResourceStatuses: others }),
  };
  return withAnnotation({ ...claim, status }, NODE_EXPANSION_NOT_REQUIRED, 'true');
}

export function failedResize(
  claim: Claim,
  { error, infeasible, now }: { readonly error: string; readonly infeasible: boolean; readonly now: string },
): Claim {
  const message = `failed to expand pvc with ${error}`;
  const failed = withConditions(claim, [condition('ControllerResizeError', now, message)], true);
  return infeasible ? withResizeStatus(failed, 'ControllerResizeInfeasible') : failed;
}

const condition = (type: string, now: string, message?: string): Condition => ({
  type,
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: now,
  ...(message === undefined ? {} : { message }),
});

/** Conditions about other things stay; one of a type that is there takes its place. */
function withConditions(claim: Claim, added: readonly Condition[], keepsOld: boolean): Claim {
  const { conditions: before = [], ...status } = claim.status;
  const byType = new Map(added.map((each) => [each.type, each]));
  const kept = before
    .filter(({ type }) => keepsOld || byType.has(type) || !RESIZE_CONDITIONS.has(type))
    .map((each) => byType.get(each.type) ?? each);
  const known = new Set(before.map(({ type }) => type));
  const conditions = [...kept, ...added.filter(({ type }) => !known.has(type))];
  return { ...claim, status: conditions.length === 0 ? status : { ...status, conditions } };
}

function withResizeStatus(claim: Claim, resizeStatus: string): Claim {
  const { allocatedResourceStatuses } = claim.status;
  return {
    ...claim,
    status: {
      ...claim.status,
      allocatedResourceStatuses: { ...allocatedResourceStatuses, storage: resizeStatus },
    },
  };
}
