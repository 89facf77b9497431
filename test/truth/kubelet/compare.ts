// What differs between a replay and its recording, in words; nothing if it is as recorded.
import { isDeepStrictEqual } from 'node:util';
import type { CallRecord } from '../../kubelet/scripted-driver.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import type { Node } from '../../../src/kube/resources/node.ts';
import type { PersistentVolumeClaim } from '../../../src/kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../../src/kube/resources/pod.ts';
import { requestOf } from './normalise.ts';
import { nodeMutations, type RecordedCall, type Transition } from './recording.ts';
import type { Replay } from './replay.ts';
import { recordedFiles } from './seen-files.ts';

/** Single steps of the real kubelet were late by up to half a second, never early. */
const LATE_S = 0.65;
const EARLY_S = 0.2;
const LONG_SHARE = 0.05;
/** A retry comes with the next pass after its wait; how far away that is differs by up to a pass, each time. */
const PASS_S = 0.1;

/** Everything that is compared. `slackS` is added where load hid the phase of a timer. */
export function differencesOf(replay: Replay, slackS = 0): readonly string[] {
  return [
    ...callDifferences(replay).map((text) => `call: ${text}`),
    ...timeDifferences(replay, slackS).map((text) => `time: ${text}`),
    ...gapDifferences(replay).map((text) => `gap: ${text}`),
    ...eventDifferences(replay).map((text) => `event: ${text}`),
    ...volumesInUseDifferences(replay).map((text) => `volumesInUse: ${text}`),
    ...fileDifferences(replay).map((text) => `file: ${text}`),
    ...podDifferences(replay).map((text) => `pod: ${text}`),
    ...claimDifferences(replay).map((text) => `claim: ${text}`),
  ];
}

type Placed<T> = T & { readonly place: string };

const ours = (replay: Replay): readonly Placed<CallRecord & { readonly target: string }>[] =>
  inOrder(
    replay.bench
      .mutations()
      .filter(({ at }) => at >= 0)
      .map((call) => ({
        ...call,
        place: `${call.volume}@${call.node}`,
        target: replay.normalised((call.request as { readonly targetPath?: string }).targetPath ?? ''),
      })),
  );
const theirs = ({ recording }: Replay): readonly Placed<RecordedCall & { readonly target: string }>[] =>
  inOrder(
    nodeMutations(recording)
      .filter(({ at }) => at >= 0)
      .map((call) => ({
        ...call,
        place: `${call.volume ?? ''}@${call.node ?? recording.node}`,
        target: (call.request as { readonly target_path?: string }).target_path ?? '',
      })),
  );

/** Calls for several pods of one volume at one instant have no order. */
function inOrder<T extends { readonly at: number; readonly method: string; readonly target: string }>(
  calls: readonly T[],
): readonly T[] {
  const isTogether = (a: T, b: T): boolean => a.method === b.method && Math.abs(a.at - b.at) < 0.02;
  return calls.toSorted((a, b) => (isTogether(a, b) ? (a.target < b.target ? -1 : 1) : a.at - b.at));
}

function byPlace<T extends { readonly place: string }>(calls: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const call of calls) found.set(call.place, [...(found.get(call.place) ?? []), call]);
  return found;
}

/** Inline volumes have a handle made from the pod's uid. */
const withoutHash = (text: string): string => text.replaceAll(/csi-[0-9a-f]{64}/g, 'csi-<hash>');

/** Sequence and arguments of the calls of every volume. */
function callDifferences(replay: Replay): readonly string[] {
  const mine = byPlace(ours(replay).map((call) => ({ ...call, place: withoutHash(call.place) })));
  const recorded = byPlace(theirs(replay).map((call) => ({ ...call, place: withoutHash(call.place) })));
  const places = new Set([...mine.keys(), ...recorded.keys()]);
  return [...places].flatMap((place) => {
    const [a, b] = [mine.get(place) ?? [], recorded.get(place) ?? []];
    const names = [a, b].map((calls) => calls.map(({ method }) => method).join(' '));
    if (names[0] !== names[1]) return [`${place}: ${names[0] ?? ''} instead of ${names[1] ?? ''}`];
    return a.flatMap((call, index) => {
      const is = withoutTokens(requestOf(call, replay));
      const was = withoutTokens(b[index]?.request);
      return isDeepStrictEqual(is, was)
        ? []
        : [`${place} ${call.method}: ${JSON.stringify(is)} instead of ${JSON.stringify(was)}`];
    });
  });
}

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens';

/** Of tokens only their audiences are compared. */
function withoutTokens(request: unknown): unknown {
  return JSON.parse(JSON.stringify(request ?? null), (key, value: unknown) => {
    if (key === TOKENS && typeof value === 'string') return Object.keys(JSON.parse(value) as object);
    return typeof value === 'string' ? withoutHash(value) : value;
  }) as unknown;
}

/** Times of the calls: not later than recorded beyond a pass or two, and not earlier than the recorder's lateness explains. */
function timeDifferences(replay: Replay, slackS: number): readonly string[] {
  const [mine, recorded] = [byPlace(ours(replay)), byPlace(theirs(replay))];
  return [...mine].flatMap(([place, calls]) => {
    const others = recorded.get(place) ?? [];
    let retries = 0;
    return calls.flatMap(({ at, method }, index) => {
      if (calls[index - 1]?.method === method) retries++;
      const was = others[index]?.at ?? at;
      const early = was - at;
      const share = Math.abs(was) * LONG_SHARE * 0.2;
      const isFine = early <= LATE_S + share + slackS && early >= -EARLY_S - slackS - retries * PASS_S;
      return isFine ? [] : [`${place} ${method} at ${at.toFixed(2)} instead of ${was.toFixed(2)}`];
    });
  });
}

/** Gaps between retries of one call, which the back-off alone decides. */
function gapDifferences(replay: Replay): readonly string[] {
  const [mine, recorded] = [byPlace(ours(replay)), byPlace(theirs(replay))];
  return [...mine].flatMap(([place, calls]) => {
    const others = recorded.get(place) ?? [];
    return calls.flatMap(({ at, method }, index) => {
      const before = calls[index - 1];
      const [was, wasBefore] = [others[index], others[index - 1]];
      if (before?.method !== method || was === undefined || wasBefore === undefined) return [];
      const [gap, recordedGap] = [at - before.at, was.at - wasBefore.at];
      const isFine = Math.abs(gap - recordedGap) <= Math.max(0.6, recordedGap * LONG_SHARE);
      return isFine ? [] : [`${place} ${method} after ${gap.toFixed(2)} instead of ${recordedGap.toFixed(2)}`];
    });
  });
}

/** Said while containers come up, which the recordings leave out. */
const LEFT_OUT: readonly string[] = ['Created', 'Started', 'NodeNotSchedulable', 'NodeSchedulable'];

function eventDifferences(replay: Replay): readonly string[] {
  const text = (event: { object: string; type: string; reason: string; message: string }): string =>
    `${event.object} ${event.type} ${event.reason}: ${replay.normalised(event.message)}`;
  const mine = new Map<string, number>();
  for (const event of replay.bench.events()) {
    if (event.source !== 'kubelet' || LEFT_OUT.includes(event.reason) || event.object.startsWith('Node/')) continue;
    const times = event.seen.filter((at) => at >= 0).length;
    if (times > 0) mine.set(text(event), (mine.get(text(event)) ?? 0) + times);
  }
  const recorded = new Map<string, number>();
  for (const event of replay.recording.events) {
    if (event.source !== 'kubelet') continue;
    const times = event.seen.at(-1)?.[1] ?? 1;
    recorded.set(text(event), (recorded.get(text(event)) ?? 0) + times);
  }
  return [...new Set([...mine.keys(), ...recorded.keys()])].flatMap((key) => {
    const [is, was] = [mine.get(key) ?? 0, recorded.get(key) ?? 0];
    const isFine = is > 0 && was > 0 && Math.abs(is - was) <= 1;
    return isFine ? [] : [`${is} times instead of ${was}: ${key}`];
  });
}

/** Every list of volumes in use that was written, in order, and when. */
function volumesInUseDifferences(replay: Replay): readonly string[] {
  return Object.entries(replay.recording.node_status).flatMap(([node, transitions]) => {
    const mine = replay.bench.commits.flatMap(({ before, after, at }) => {
      if (after?.kind !== 'Node' || after.metadata.name !== node || at < 0) return [];
      const [was, is] = [before, after].map((object) => (object as Node | undefined)?.status.volumesInUse ?? []);
      return was?.join() === is?.join() ? [] : [{ at, list: is?.join() ?? '' }];
    });
    const recorded = transitions.flatMap(({ at, volumesInUse }) =>
      at === 'before' || !Array.isArray(volumesInUse) ? [] : [{ at, list: volumesInUse.map(String).toSorted().join() }],
    );
    const [a, b] = [mine, recorded].map((lists) => lists.map(({ list }) => `[${list}]`).join(' '));
    if (a !== b) return [`${node}: ${a ?? ''} instead of ${b ?? ''}`];
    return mine.flatMap(({ at }, index) => {
      const was = recorded[index]?.at ?? at;
      return Math.abs(at - was) <= 0.5 ? [] : [`${node}: written at ${at.toFixed(2)} instead of ${was.toFixed(2)}`];
    });
  });
}

function fileDifferences(replay: Replay): readonly string[] {
  // Below a driver whose volumes are not named after the test the recorder did not look.
  const isListed = (path: string): boolean => !path.includes('/csi/dyn.rf/');
  return replay.recording.files.flatMap(({ at, label, entries }) => {
    const mine = replay.snapshots.get(label)?.filter(({ path }) => isListed(path));
    if (at < 0 || mine === undefined) return [];
    const recorded = recordedFiles(entries);
    const [a, b] = [mine, recorded].map((files) => files.map((file) => withoutHash(JSON.stringify(sorted(file)))));
    const more = (a ?? []).filter((file) => !b?.includes(file)).map((file) => `${label}: has ${file}`);
    const less = (b ?? []).filter((file) => !a?.includes(file)).map((file) => `${label}: lacks ${file}`);
    return [...more, ...less];
  });
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([x], [y]) => (x < y ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}

// ---- what objects said, field by field

type Fields = Readonly<Record<string, string | undefined>>;

/** Values of every field in the order in which it took them, from a row of states. */
function histories(states: readonly Fields[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const last = new Map<string, string | undefined>();
  for (const state of states) {
    for (const [field, value] of Object.entries(state)) {
      if (last.get(field) === value) continue;
      last.set(field, value);
      found.set(field, [...(found.get(field) ?? []), value ?? '-']);
    }
  }
  return found;
}

function recordedHistories(
  transitions: readonly Transition[],
  fields: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const states: Record<string, string | undefined>[] = [];
  let current: Record<string, string | undefined> = {};
  for (const each of transitions) {
    const changed = fields
      .filter((field) => field in each)
      .map((field) => [field, each[field] === null ? undefined : textOf(each[field])]);
    current = { ...current, ...(Object.fromEntries(changed) as Record<string, string | undefined>) };
    states.push(current);
  }
  return histories(states);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function historyDifferences(
  name: string,
  mine: ReadonlyMap<string, readonly string[]>,
  recorded: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...recorded].flatMap(([field, values]) => {
    const is = (mine.get(field) ?? []).join(' > ');
    const was = values.join(' > ');
    return is === was ? [] : [`${name} ${field}: ${is} instead of ${was}`];
  });
}

const POD_FIELDS = [
  'phase',
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'container',
  'reason',
  'message',
];

function podFields({ status }: Pod): Fields {
  const conditions = (status.conditions ?? []).map(({ type, status: is, reason, message }) => {
    const words = [reason, message].filter((word) => word !== undefined).join(' ');
    return [type, words === '' ? is : `${is}:${words}`] as const;
  });
  const state = status.containerStatuses?.[0]?.state;
  const container =
    state?.running === undefined
      ? state?.waiting === undefined
        ? state?.terminated && `terminated:${state.terminated.reason ?? ''}`
        : `waiting:${state.waiting.reason ?? ''}`
      : 'running';
  const named = Object.fromEntries(conditions);
  return {
    phase: status.phase,
    reason: status.reason,
    message: status.message,
    container,
    ...Object.fromEntries(POD_FIELDS.slice(1, 5).map((type) => [type, named[type]])),
  };
}

function podDifferences(replay: Replay): readonly string[] {
  return Object.entries(replay.recording.pods).flatMap(([name, transitions]) => {
    if (transitions.some(({ phase }, index) => index > 0 && phase === 'Pending')) return [];
    const states = replay.bench.commits.flatMap(({ after, at }) =>
      isPod(after, name) && at >= -60 ? [podFields(after)] : [],
    );
    const mine = afterBefore(histories(states), transitions);
    return historyDifferences(`pod ${name}`, mine, recordedHistories(transitions, POD_FIELDS));
  });
}

/** A recording that begins with a state shows only what came after it. */
function afterBefore(
  mine: ReadonlyMap<string, readonly string[]>,
  [first]: readonly Transition[],
): ReadonlyMap<string, readonly string[]> {
  if (first?.at !== 'before') return mine;
  const cut = (field: string, values: readonly string[]): readonly string[] =>
    values.slice(Math.max(0, values.lastIndexOf(textOf(first[field] ?? '-'))));
  return new Map([...mine].map(([field, values]) => [field, cut(field, values)]));
}

const isPod = (object: KubeObject | undefined, name: string): object is Pod =>
  object?.kind === 'Pod' && object.metadata.name === name;

const CLAIM_FIELDS = [
  'capacity',
  'allocatedResources',
  'allocatedResourceStatuses',
  'condition NodeResizeError',
  'condition Resizing',
  'condition FileSystemResizePending',
];

function claimFields({ status }: PersistentVolumeClaim): Fields {
  const conditions = new Map(
    status.conditions?.map(({ type, status: is, message }) => [
      type,
      [is, message].filter((word) => word !== undefined && word !== '').join(' '),
    ]),
  );
  return {
    capacity: status.capacity?.['storage'],
    allocatedResources: status.allocatedResources?.['storage'],
    allocatedResourceStatuses: status.allocatedResourceStatuses?.['storage'],
    'condition NodeResizeError': conditions.get('NodeResizeError'),
    'condition Resizing': conditions.get('Resizing'),
    'condition FileSystemResizePending': conditions.get('FileSystemResizePending'),
  };
}

function claimDifferences(replay: Replay): readonly string[] {
  return Object.entries(replay.recording.claims).flatMap(([name, transitions]) => {
    const states = replay.bench.commits.flatMap(({ after }) =>
      after?.kind === 'PersistentVolumeClaim' && after.metadata.name === name
        ? [claimFields(after as PersistentVolumeClaim)]
        : [],
    );
    const recorded = recordedHistories(transitions, CLAIM_FIELDS);
    return historyDifferences(`claim ${name}`, histories(states), recorded);
  });
}
