// Tells a pod why it goes, then deletes it with its own grace period. Budgets are not asked: the node is no place to be.
// kubernetes:pkg/controller/tainteviction/taint_eviction.go deletePodHandler
import { type DurationMs, timestamp } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { ObjectKey } from '../../kube/object.ts';
import { type Pod, type PodCondition, Pods } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { Profile } from './profile.ts';

/** kubernetes:pkg/controller/tainteviction/taint_eviction.go retries */
const TRIES_MAX = 5;
/** From one try to the next. */
const RETRY_MS: DurationMs = 10;

/** Returns whether the pod was deleted. */
export async function evictPod(
  context: ComponentContext,
  profile: Profile,
  key: ObjectKey,
  cluster: Cluster,
): Promise<boolean> {
  const { clock, log, signal } = context;
  for (let tries = 1; ; tries++) {
    const result = await attempt(() => tellAndDelete(key, cluster, profile, timestamp(clock.now())));
    if (!result.failed) return true;
    if (tries === TRIES_MAX) {
      log.write('warn', `pod ${key} not evicted: ${messageOf(result.error)}`, { error: result.error });
      return false;
    }
    await clock.sleep(RETRY_MS, signal);
  }
}

async function tellAndDelete(key: ObjectKey, cluster: Cluster, profile: Profile, now: string): Promise<void> {
  const pod = await cluster.get(Pods, key);
  const condition = profile.disruptionConditions ? disruptionTarget(pod, profile, now) : undefined;
  if (condition !== undefined) {
    const body = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
    await cluster.patch(Pods, key, { type: 'strategic', body }, { subresource: 'status' });
  }
  await cluster.delete(Pods, key);
}

/** Undefined if the pod says so already. */
function disruptionTarget(pod: Pod, profile: Profile, now: string): PodCondition | undefined {
  const reason = 'DeletionByTaintManager';
  const message = 'Taint manager: deleting due to NoExecute taint';
  const before = pod.status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const isTrue = before?.status === 'True';
  if (isTrue && before.reason === reason && before.message === message) return undefined;
  const { generation } = pod.metadata;
  return {
    type: 'DisruptionTarget',
    ...(profile.observedGeneration && generation !== undefined ? { observedGeneration: generation } : {}),
    status: 'True',
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: isTrue ? before.lastTransitionTime : now,
  };
}
