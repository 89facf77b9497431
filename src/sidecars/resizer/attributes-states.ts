// The claim as a change of its attributes leaves it at each step. Pure. external-resizer:pkg/modifycontroller/modify_status.go
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
} from '../../kube/resources/persistent-volume-claim.ts';

type Claim = PersistentVolumeClaim;
type Condition = PersistentVolumeClaimCondition;

const MODIFYING = 'ModifyingVolume';
const MODIFY_ERROR = 'ModifyVolumeError';

/** No such class: only this is said. */
export const modifyPending = (claim: Claim): Claim => withModify(claim, { status: 'Pending' });

export function modifying(claim: Claim, className: string, now: string): Claim {
  const started = withModify(claim, { status: 'InProgress', targetVolumeAttributesClassName: className });
  return withConditions(started, [condition(MODIFYING, `Modifying volume to "${className}" is in progress.`, now)]);
}

export interface ModifyFailure {
  readonly code: string;
  readonly message: string;
  readonly infeasible: boolean;
  /** The driver may still be at it. */
  readonly uncertain: boolean;
}

export function modifyFailed(claim: Claim, failure: ModifyFailure, now: string): Claim {
  const failed = withModify(claim, { status: failure.infeasible ? 'Infeasible' : 'InProgress' });
  const className = failed.status.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '';
  const how = failure.uncertain ? 'is still in progress.' : 'failed. Waiting for retry.';
  return withConditions(failed, [
    condition(MODIFYING, `Modifying volume to "${className}" ${how}`, now),
    { ...condition(MODIFY_ERROR, failure.message, now), reason: failure.code },
  ]);
}

export function modified(claim: Claim): Claim {
  const { modifyVolumeStatus, ...status } = withoutConditions(claim, [MODIFYING, MODIFY_ERROR]).status;
  const currentVolumeAttributesClassName = modifyVolumeStatus?.targetVolumeAttributesClassName ?? '';
  return { ...claim, status: { ...status, currentVolumeAttributesClassName } };
}

export const modifyCanceled = (claim: Claim): Claim => withoutConditions(claim, [MODIFYING]);

export const isModifying = ({ status }: Claim): boolean =>
  status.conditions?.some(({ type }) => type === MODIFYING) === true;

function withModify(claim: Claim, change: NonNullable<Claim['status']['modifyVolumeStatus']>): Claim {
  const { modifyVolumeStatus } = claim.status;
  return { ...claim, status: { ...claim.status, modifyVolumeStatus: { ...modifyVolumeStatus, ...change } } };
}

const condition = (type: string, message: string, now: string): Condition => ({
  type,
  status: 'True',
  lastProbeTime: now,
  lastTransitionTime: now,
  message,
});

/** A condition that says the same again keeps the time since when it does. */
function withConditions(claim: Claim, added: readonly Condition[]): Claim {
  const before = claim.status.conditions ?? [];
  const byType = new Map(added.map((each) => [each.type, each]));
  const known = new Set(before.map(({ type }) => type));
  const kept = before.map((old) => {
    const now = byType.get(old.type);
    if (now === undefined) return old;
    const isSame = now.reason === old.reason && now.status === old.status;
    return isSame ? { ...now, lastTransitionTime: old.lastTransitionTime } : now;
  });
  const conditions = [...kept, ...added.filter(({ type }) => !known.has(type))];
  return { ...claim, status: { ...claim.status, conditions } };
}

function withoutConditions(claim: Claim, types: readonly string[]): Claim {
  const { conditions: before = [], ...status } = claim.status;
  const conditions = before.filter(({ type }) => !types.includes(type));
  return { ...claim, status: conditions.length === 0 ? status : { ...status, conditions } };
}
