// A pod that was told to go and did not is told after a while that it may stay.
// kubernetes:pkg/controller/disruption/disruption.go syncStalePodDisruption
import { type DurationMs, type InstantMs, MINUTE_MS, timestamp } from '../../base/clock.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type Pod, type PodCondition, Pods } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Informer, Syncable } from '../../runtime/informer.ts';

/** kubernetes:pkg/controller/disruption/disruption.go stalePodDisruptionTimeout */
const STALE_AFTER_MS: DurationMs = 2 * MINUTE_MS;

/** How long until the pod's DisruptionTarget is stale; undefined if it never will be. Those of kubelets never are. */
export function untilStale(
  { metadata, status }: Pick<Pod, 'metadata' | 'status'>,
  now: InstantMs,
): DurationMs | undefined {
  const condition = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const hasEnded = status.phase === 'Failed' || status.phase === 'Succeeded';
  if (metadata.deletionTimestamp !== undefined || hasEnded || condition?.status !== 'True') return undefined;
  if (condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + STALE_AFTER_MS - now);
}

export interface StaleDisruptionOptions {
  readonly context: ComponentContext;
  readonly pods: Informer<Pod>;
  readonly waitFor: readonly Syncable[];
  readonly observedGeneration: boolean;
}

export function startStaleDisruption({ context, pods, waitFor, observedGeneration }: StaleDisruptionOptions): void {
  const { clock } = context;
  const reconcile = async (key: ObjectKey, { cluster }: Turn): Promise<Outcome> => {
    const pod = pods.get(key);
    const after = pod === undefined ? undefined : untilStale(pod, clock.now());
    if (pod === undefined || after === undefined) return { type: 'settled' };
    if (after > 0) return { type: 'requeue', after, waitingFor: 'the pod to be deleted' };
    const cleared = withoutDisruption(pod, observedGeneration, timestamp(clock.now()));
    await cluster.update(Pods, cleared, { subresource: 'status' });
    return { type: 'settled' };
  };
  const isWaited = (pod: Pod): boolean => untilStale(pod, clock.now()) !== undefined;
  startController({
    reconciler: { name: 'disruption-controller', kind: 'Pod', reconcile },
    triggers: [trigger(pods, ({ type, object }) => (type !== 'deleted' && isWaited(object) ? [keyOf(object)] : []))],
    workers: 1,
    context,
    waitFor,
  });
}

function withoutDisruption(pod: Pod, observedGeneration: boolean, now: string): Pod {
  const { generation } = pod.metadata;
  const cleared: PodCondition = {
    type: 'DisruptionTarget',
    ...(observedGeneration && generation !== undefined ? { observedGeneration: generation } : {}),
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  const conditions = pod.status.conditions?.map((each) => (each.type === 'DisruptionTarget' ? cleared : each));
  return { ...pod, status: { ...pod.status, ...(conditions === undefined ? {} : { conditions }) } };
}
