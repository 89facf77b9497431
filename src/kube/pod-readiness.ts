// What controllers ask of a pod before they count on it. Readiness is the kubelet's word (the condition Ready);
// availability is readiness that has lasted.
import { type DurationMs, type InstantMs, SECOND_MS } from '../base/clock.ts';
import type { Pod, PodCondition } from './resources/pod.ts';

type PodState = Pick<Pod, 'metadata' | 'status'>;

const readyConditionOf = ({ status }: Pick<Pod, 'status'>): PodCondition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready');

export const isPodReady = (pod: Pick<Pod, 'status'>): boolean => readyConditionOf(pod)?.status === 'True';

/** When a ready pod became so; undefined if it is not ready or does not say. */
export function podReadyAt(pod: Pick<Pod, 'status'>): InstantMs | undefined {
  const condition = readyConditionOf(pod);
  if (condition?.status !== 'True' || condition.lastTransitionTime === null) return undefined;
  const at = Date.parse(condition.lastTransitionTime);
  return Number.isNaN(at) ? undefined : at;
}

/** Ready for `minReadySeconds`; without any, ready is enough. kubernetes:pkg/api/v1/pod/util.go */
export function isPodAvailable(pod: Pick<Pod, 'status'>, minReadySeconds: number, now: InstantMs): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const readyAt = podReadyAt(pod);
  return readyAt !== undefined && readyAt + minReadySeconds * SECOND_MS <= now;
}

export const hasPodEnded = ({ status }: Pick<Pod, 'status'>): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed';

/** Neither ended nor being deleted: what a ReplicaSet counts. kubernetes:pkg/controller/controller_utils.go */
export const isPodActive = (pod: PodState): boolean =>
  !hasPodEnded(pod) && pod.metadata.deletionTimestamp === undefined;

/** Being deleted and not ended. kubernetes:pkg/controller/controller_utils.go */
export const isPodTerminating = (pod: PodState): boolean =>
  !hasPodEnded(pod) && pod.metadata.deletionTimestamp !== undefined;

/** How long until the first of the ready pods becomes available; undefined if time alone changes nothing. */
export function nextAvailabilityAfter(
  pods: readonly Pick<Pod, 'status'>[],
  minReadySeconds: number,
  now: InstantMs,
): DurationMs | undefined {
  const waits = pods
    .map(podReadyAt)
    .filter((readyAt) => readyAt !== undefined)
    .map((readyAt) => readyAt + minReadySeconds * SECOND_MS - now)
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
