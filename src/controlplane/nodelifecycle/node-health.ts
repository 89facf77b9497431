// What this controller knows of a node's heartbeats, and when it calls the node silent. Times are of this controller's
// own clock: the moment at which a pass first saw a heartbeat, never the time that the node wrote into it.
// kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth
import type { DurationMs } from '../../base/clock.ts';
import type { NodeCondition } from '../../kube/resources/node.ts';

export interface NodeHealth {
  /** When a pass last saw a new heartbeat; of a node that never gave one, when it was created. */
  readonly probedAt: DurationMs;
  /** The Ready condition with the last new heartbeat. */
  readonly ready: NodeCondition | undefined;
  /** The Lease as last counted. Forgotten with every new heartbeat in the status: the next pass counts the Lease anew. */
  readonly lease: LeaseSign | undefined;
}

export interface NodeSigns {
  readonly now: DurationMs;
  readonly createdAt: DurationMs;
  readonly ready: NodeCondition | undefined;
  readonly lease: LeaseSign | undefined;
}
export interface LeaseSign {
  readonly renewTime: string | undefined;
  readonly resourceVersion: string;
}

export function decideHealth(saved: NodeHealth | undefined, signs: NodeSigns): NodeHealth {
  const health = afterStatus(saved, signs);
  const { lease, now } = signs;
  if (lease === undefined || !isRenewal(saved, lease)) return health;
  return { ...health, probedAt: now, lease };
}

/** A Lease that was not counted yet is news, however old it is. */
export function isRenewal(saved: NodeHealth | undefined, { renewTime }: LeaseSign): boolean {
  if (saved?.lease === undefined) return true;
  const before = saved.lease.renewTime;
  return before !== undefined && renewTime !== undefined && before < renewTime;
}

function afterStatus(saved: NodeHealth | undefined, { now, createdAt, ready }: NodeSigns): NodeHealth {
  if (ready === undefined) {
    return saved === undefined ? { probedAt: createdAt, ready, lease: undefined } : { ...saved, ready };
  }
  if (saved?.ready?.lastHeartbeatTime === ready.lastHeartbeatTime && saved.ready !== undefined) return saved;
  return { probedAt: now, ready, lease: undefined };
}

/** kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go: NetworkUnavailable belongs to the control plane. */
const CONDITIONS_OF_THE_KUBELET = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The conditions of a silent node. What is Unknown already keeps its reason and time. */
export function unknownConditions(
  conditions: readonly NodeCondition[] = [],
  times: { readonly createdAt: string; readonly now: string },
): readonly NodeCondition[] {
  const changed = conditions.map((condition) => (isOfKubelet(condition) ? silenced(condition, times.now) : condition));
  const missing = CONDITIONS_OF_THE_KUBELET.filter((type) => !conditions.some((each) => each.type === type));
  return [...changed, ...missing.map((type) => neverPosted(type, times))];
}

const isOfKubelet = ({ type }: NodeCondition): boolean => CONDITIONS_OF_THE_KUBELET.some((each) => each === type);

function silenced(condition: NodeCondition, now: string): NodeCondition {
  if (condition.status === 'Unknown') return condition;
  const message = 'Kubelet stopped posting node status.';
  return { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', message, lastTransitionTime: now };
}

function neverPosted(type: string, { createdAt, now }: { createdAt: string; now: string }): NodeCondition {
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: createdAt,
    lastTransitionTime: now,
  };
}

export function readyCondition(conditions: readonly NodeCondition[] = []): NodeCondition | undefined {
  return conditions.find(({ type }) => type === 'Ready');
}
