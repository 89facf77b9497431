// Whether a volume that no pod wants on a node may leave it now. Upstream: the first half of
// kubernetes:pkg/controller/volume/attachdetach/reconciler/reconciler.go reconcile.
import { type DurationMs } from '../../base/clock.ts';
import { type NodeSpec, type NodeStatus } from '../../kube/resources/node.ts';

export interface DetachFacts {
  /** The node says so, or has not spoken since the volume was attached. */
  readonly mountedByNode: boolean;
  readonly requestedForMs: DurationMs;
  /** Ready is True. A node that is gone is not ready. */
  readonly nodeReady: boolean;
  readonly outOfService: boolean;
}
export interface DetachPolicy {
  readonly maxWaitForUnmountMs: DurationMs;
  readonly forcesOnTimeout: boolean;
  readonly sparesReadyNodes: boolean;
  readonly outOfServiceTaint: boolean;
}

export type DetachDecision =
  /** `dueInMs`: when time alone will change the answer; undefined if only the node can. */
  | { readonly type: 'wait'; readonly for: string; readonly dueInMs: DurationMs | undefined }
  /** The node is asked once more, live, whether it has the volume in use. */
  | { readonly type: 'detach' }
  | { readonly type: 'force-detach'; readonly because: 'timeout' | 'out-of-service' };

export function decideDetach(facts: DetachFacts, policy: DetachPolicy): DetachDecision {
  const isExpired = policy.forcesOnTimeout && facts.requestedForMs > policy.maxWaitForUnmountMs;
  const isSpared = policy.sparesReadyNodes && facts.nodeReady;
  const isOutOfService = policy.outOfServiceTaint && facts.outOfService;
  if (facts.mountedByNode && !isOutOfService && (isSpared || !isExpired))
    return waitForUnmount(facts, policy, isSpared);
  // The clock alone decides what it is called and whether the node is asked: also a volume that was unmounted in time
  // from a node that is Ready counts as forced, if six minutes have gone by.
  if (isExpired) return { type: 'force-detach', because: 'timeout' };
  if (isOutOfService) return { type: 'force-detach', because: 'out-of-service' };
  return { type: 'detach' };
}

function waitForUnmount(facts: DetachFacts, policy: DetachPolicy, isSpared: boolean): DetachDecision {
  if (isSpared || !policy.forcesOnTimeout) return { type: 'wait', for: 'unmount by the node', dueInMs: undefined };
  // The last instant still belongs to the wait.
  const dueInMs = policy.maxWaitForUnmountMs - facts.requestedForMs + 1;
  return { type: 'wait', for: 'unmount by a node that may be dead', dueInMs };
}

interface SeenNode {
  readonly spec: Pick<NodeSpec, 'taints'>;
  readonly status: Pick<NodeStatus, 'conditions'>;
}

/** kubernetes:staging/src/k8s.io/api/core/v1/well_known_taints.go */
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** What a node says of itself; any effect and value of the taint counts, and nobody asks whether the node is ready. */
export function nodeFacts(node: SeenNode | undefined): Pick<DetachFacts, 'nodeReady' | 'outOfService'> {
  const ready = node?.status.conditions?.find(({ type }) => type === 'Ready');
  const taints = node?.spec.taints ?? [];
  return { nodeReady: ready?.status === 'True', outOfService: taints.some(({ key }) => key === OUT_OF_SERVICE) };
}
