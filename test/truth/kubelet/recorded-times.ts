// What a recording tells of times that no rule gives: ticks of free-running timers, and how long containers took.
import type { ContainerBehaviour } from '../../../src/kubelet/podworkers/memory-runtime.ts';
import type { KnownTimes } from './phases.ts';
import { type Recording, type Transition, timesOf } from './recording.ts';

const SECOND_MS = 1000;
/** From the write of a status to the moment a watch saw it. */
const SEEN_S = 0.03;

export function knownTimesOf(recording: Recording, syncs: readonly number[] = []): KnownTimes {
  const statusTicks = Object.fromEntries(
    Object.entries(recording.node_status).map(([node, transitions]) => [
      node,
      timesOf(transitions, 'volumesInUse').map((at) => at - SEEN_S),
    ]),
  );
  // Which of several pods a call was for is not told by its time.
  const isAlone = Object.keys(recording.pods).length === 1;
  const stats = recording.calls.flatMap(({ method, at }) => (isAlone && method === 'NodeGetVolumeStats' ? [at] : []));
  return { statusTicks, syncs, stats };
}

const whenIs = (transitions: readonly Transition[], field: string, value: unknown): number | undefined => {
  const found = transitions.find((each) => each[field] === value);
  return found === undefined || found.at === 'before' ? undefined : found.at;
};

/** Containers of a pod took as long to start and to stop as they did. */
export function behaviourOf(recording: Recording, pod: string): ContainerBehaviour {
  const transitions = recording.pods[pod] ?? [];
  const running = whenIs(transitions, 'phase', 'Running');
  const published = recording.calls
    .filter(({ method, at }) => method === 'NodePublishVolume' && at < (running ?? 0))
    .map(({ at }) => at);
  const ended = whenIs(transitions, 'phase', 'Succeeded');
  const deleting = timesOf(transitions, 'deleting').findLast((at) => at < (ended ?? 0));
  const startMs = running === undefined ? 0 : (running - Math.max(0, ...published) - 0.35) * SECOND_MS;
  const stopMs = deleting === undefined || ended === undefined ? 0 : (ended - deleting - SEEN_S) * SECOND_MS;
  return { startMs: Math.max(0, Math.round(startMs)), stopMs: Math.max(0, Math.round(stopMs)) };
}

/** A second's part at which the containers were looked at: a pod's object goes right after such a look. */
export function relistPhaseOf(recording: Recording, node: string): number {
  for (const transitions of Object.values(recording.pods)) {
    const isHere = transitions.some((each) => each['nodeName'] === node);
    const gone = whenIs(transitions, 'gone', true);
    if (isHere && gone !== undefined) return gone - SEEN_S;
  }
  return 0;
}
