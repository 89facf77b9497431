// What a recording tells of times that no rule gives: ticks of free-running timers, and how long containers took.
import type { ContainerBehaviour } from '../../../src/kubelet/podworkers/memory-runtime.ts';
import type { Pod } from '../../../src/kube/resources/pod.ts';
import type { KnownTimes } from './phases.ts';
import { type RecordedCall, type Recording, type Transition, nodeMutations, timesOf } from './recording.ts';

const SECOND_MS = 1000;
/** From the write of a status to the moment a watch saw it. */
const SEEN_S = 0.03;

/** From the end of a container to the status that tells it, as a rule: half the time between two looks, and a little. */
const FOUND_S = 0.6;
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

/** What a row of states says of the containers of a pod, in seconds. */
function livesOf(recording: Recording, pod: string) {
  const transitions = recording.pods[pod] ?? [];
  const running = whenIs(transitions, 'phase', 'Running');
  const ended = whenIs(transitions, 'phase', 'Succeeded') ?? whenIs(transitions, 'phase', 'Failed');
  const deleting = timesOf(transitions, 'deleting').findLast((at) => at < (ended ?? 0));
  const isByItself = running !== undefined && ended !== undefined && deleting === undefined;
  return { transitions, running, ended, deleting, isByItself };
}

/** Containers of a pod took as long to start and to stop as they did. */
export function behaviourOf(recording: Recording, pod: string): ContainerBehaviour {
  const { transitions, running, ended, isByItself } = livesOf(recording, pod);
  const published = recording.calls
    .filter(({ method, at }) => method === 'NodePublishVolume' && at < (running ?? 0))
    .map(({ at }) => at);
  const startMs = running === undefined ? 0 : (running - Math.max(0, ...published) - 0.35) * SECOND_MS;
  const forMs = ((ended ?? 0) - (running ?? 0) - FOUND_S) * SECOND_MS;
  return {
    startMs: Math.max(0, Math.round(startMs)),
    stopMs: Math.max(0, Math.round(stopMsOf(recording, pod))),
    ...(isByItself ? { runs: { forMs: Math.round(forMs), exitCode: exitCodeOf(transitions) } } : {}),
  };
}

function stopMsOf(recording: Recording, pod: string): number {
  const { transitions, ended, deleting } = livesOf(recording, pod);
  const gone = whenIs(transitions, 'gone', true);
  // Of one that was deleted by force nothing is told but what became of its volume.
  if (ended === undefined && gone !== undefined)
    return ((unpublishedAt(recording, pod, gone) ?? gone) - gone - 0.3) * SECOND_MS;
  const stoppedMs = deleting === undefined || ended === undefined ? 0 : (ended - deleting - SEEN_S) * SECOND_MS;
  // One that ended by itself when it was asked to was not killed, however late its status came.
  return exitCodeOf(transitions) === 0 ? Math.min(stoppedMs, graceMsOf(recording, pod)) : stoppedMs;
}

function unpublishedAt(recording: Recording, pod: string, from: number): number | undefined {
  const isIts = ({ method, at, request }: RecordedCall): boolean =>
    method === 'NodeUnpublishVolume' && at >= from && JSON.stringify(request).includes(`<uid:${pod}>`);
  return nodeMutations(recording).find(isIts)?.at;
}

/** A second's part at which the containers were looked at: what became of a pod is told right after such a look. */
export function relistPhaseOf(recording: Recording, node: string): number {
  const told = recording.nodes[node]?.relistAt;
  if (told !== undefined) return told;
  for (const [pod, transitions] of Object.entries(recording.pods)) {
    if (!transitions.some((each) => each['nodeName'] === node)) continue;
    const { ended, isByItself } = livesOf(recording, pod);
    const seen = isByItself ? ended : whenIs(transitions, 'gone', true);
    if (seen !== undefined) return seen - SEEN_S;
  }
  return 0;
}
