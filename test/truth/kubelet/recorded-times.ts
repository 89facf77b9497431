// What a recording tells of times that no rule gives: ticks of free-running timers, and how long containers took.
import type { ContainerBehaviour } from '../../../src/kubelet/podworkers/memory-runtime.ts';
import type { Pod } from '../../../src/kube/resources/pod.ts';
import type { KnownTimes } from './phases.ts';
import { type RecordedCall, type Recording, type Transition, nodeMutations, timesOf } from './recording.ts';

const SECOND_MS = 1000;
/** From the write of a status to the moment a watch saw it. */
const SEEN_S = 0.03;

/** From the sync of a pod to the call that it leads to. */
const CALLED_S = 0.19;
/** A sync by time comes no sooner after the one before. */
const SYNC_S_MIN = 55;

export function knownTimesOf(recording: Recording): KnownTimes {
  const statusTicks = Object.fromEntries(
    Object.entries(recording.node_status).map(([node, transitions]) => [
      node,
      timesOf(transitions, 'volumesInUse').map((at) => at - SEEN_S),
    ]),
  );
  // Which of several pods a call was for is not told by its time.
  const isAlone = Object.keys(recording.pods).length === 1;
  const stats = recording.calls.flatMap(({ method, at }) => (isAlone && method === 'NodeGetVolumeStats' ? [at] : []));
  return { statusTicks, syncs: syncsOf(recording), stats };
}

/** When a pod was synced by time alone: long after its volume was published it was published again, or grown. */
function syncsOf(recording: Recording): readonly number[] {
  const last = new Map<string, RecordedCall>();
  return nodeMutations(recording).flatMap((call) => {
    const { target_path: target, volume_path: grown } = call.request as Readonly<Record<string, string | undefined>>;
    const key = `${call.volume ?? ''} ${target ?? grown ?? ''}`;
    const before = last.get(key);
    last.set(key, call);
    const isRepeated = call.method === 'NodeExpandVolume' || call.method === before?.method;
    const isByTime = isRepeated && before?.code === 'OK' && call.at - before.at > SYNC_S_MIN;
    return isByTime ? [call.at - CALLED_S] : [];
  });
}

const whenIs = (transitions: readonly Transition[], field: string, value: unknown): number | undefined => {
  const found = transitions.find((each) => each[field] === value);
  return found === undefined || found.at === 'before' ? undefined : found.at;
};

/** A little less than what the pod was given to end by itself. */
function graceMsOf({ objects }: Recording, name: string): number {
  const pod = objects.find(({ kind, metadata }) => kind === 'Pod' && metadata.name === name) as Pod | undefined;
  return (pod?.spec.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY) * SECOND_MS - 100;
}

const exitCodeOf = (transitions: readonly Transition[]): number =>
  transitions.some((each) => each['container'] === 'terminated:Completed') ? 0 : 1;

/** Containers of a pod took as long to start and to stop as they did. */
export function behaviourOf(recording: Recording, pod: string): ContainerBehaviour {
  const transitions = recording.pods[pod] ?? [];
  const running = whenIs(transitions, 'phase', 'Running');
  const published = recording.calls
    .filter(({ method, at }) => method === 'NodePublishVolume' && at < (running ?? 0))
    .map(({ at }) => at);
  const ended = whenIs(transitions, 'phase', 'Succeeded') ?? whenIs(transitions, 'phase', 'Failed');
  const deleting = timesOf(transitions, 'deleting').findLast((at) => at < (ended ?? 0));
  const startMs = running === undefined ? 0 : (running - Math.max(0, ...published) - 0.35) * SECOND_MS;
  const stopped = deleting === undefined || ended === undefined ? 0 : (ended - deleting - SEEN_S) * SECOND_MS;
  // One that ended by itself when it was asked to was not killed, however late its status came.
  const stopMs = exitCodeOf(transitions) === 0 ? Math.min(stopped, graceMsOf(recording, pod)) : stopped;
  const isByItself = running !== undefined && ended !== undefined && deleting === undefined;
  const runs = isByItself
    ? { forMs: Math.round((ended - running) * SECOND_MS), exitCode: exitCodeOf(transitions) }
    : undefined;
  return {
    startMs: Math.max(0, Math.round(startMs)),
    stopMs: Math.max(0, Math.round(stopMs)),
    ...(runs === undefined ? {} : { runs }),
  };
}

/** A second's part at which the containers were looked at: a pod's object goes right after such a look. */
export function relistPhaseOf(recording: Recording, node: string): number {
  const told = recording.nodes[node]?.relistAt;
  if (told !== undefined) return told;
  for (const transitions of Object.values(recording.pods)) {
    const isHere = transitions.some((each) => each['nodeName'] === node);
    const gone = whenIs(transitions, 'gone', true);
    if (isHere && gone !== undefined) return gone - SEEN_S;
  }
  return 0;
}
