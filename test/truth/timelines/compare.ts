// Holds a played outage to the recorded one, by the rules of the recordings: the same milestones in the same order; intervals
// that timers fix within half a second; intervals that free-running timers leave open within their window.
import type { Recording } from './recording.ts';
import type { Played } from './play.ts';

/** How closely a played outage is held to the recorded one, in seconds. */
export interface Tolerance {
  /** Of intervals that timers fix. */
  readonly exact: number;
  /** Of what people do: what kubectl takes to start. */
  readonly operator: number;
  /** Closer than this the order of two recorded lines is chance. */
  readonly order: number;
}
const TOLERANCE: Tolerance = { exact: 0.5, operator: 1, order: 0.3 };

export interface Row {
  readonly what: string;
  readonly recorded: number | undefined;
  readonly played: number | undefined;
  readonly fault: string;
}
export interface Comparison {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
}

/** An interval that a free-running timer leaves open: from one milestone to another, in seconds. */
interface Window {
  /** A name that begins with a space is that of a milestone of the same workload. */
  readonly from: string;
  readonly to: RegExp;
  readonly least: number;
  readonly most: number;
}
const WINDOWS: readonly Window[] = [
  // 50 s grace and a look every five seconds, from the last renewal of the lease.
  { from: 'lease', to: /^node readyUnknown$/, least: 50, most: 55.5 },
  { from: 'node readyUnknown', to: /^node taintUnreachableNoSchedule$/, least: 0, most: 0.2 + TOLERANCE.exact },
  { from: 'node readyUnknown', to: /^node taintUnreachableNoExecute$/, least: 0, most: 0.35 + TOLERANCE.exact },
  { from: 'node readyUnknown', to: / old pod readyFalse$/, least: -TOLERANCE.exact, most: 0.35 + TOLERANCE.exact },
  // The worker of a pod whose containers ended waits for the next look at them, which comes every second.
  // kubernetes:pkg/kubelet/pod_workers.go podWorkerLoop, GetNewerThan; pkg/kubelet/kubelet.go genericPlegRelistPeriod
  { from: ' old pod succeeded', to: / old pod gone$/, least: 0, most: 1 + TOLERANCE.exact },
  // Pod GC looks every 20 s; orphans are quarantined for 40 s.
  { from: 'node taintOutOfService', to: / old pod (failed|gone)$/, least: 0, most: 20 + TOLERANCE.exact },
  { from: 'node nodeDeleted', to: / old pod (failed|gone|disruptionTarget|deletionTimestamp)$/, least: 40, most: 80 },
];

export function compare(recording: Recording, played: Played, tolerance: Tolerance = TOLERANCE): Comparison {
  const [recorded, ours] = [
    flatten(recording, recording),
    flatten({ lastLeaseRenewal: recording.lastLeaseRenewal, ...played }, recording),
  ];
  const names = [...new Set([...recorded.keys(), ...ours.keys()])].toSorted(
    (a, b) => (recorded.get(a) ?? ours.get(a) ?? 0) - (recorded.get(b) ?? ours.get(b) ?? 0),
  );
  const rows = names.map((what) => ({
    what,
    recorded: recorded.get(what),
    played: ours.get(what),
    fault: faultOf(what, recorded, ours, tolerance),
  }));
  const faults = [
    ...rows.filter(({ fault }) => fault !== '').map(({ what, fault }) => `${what}: ${fault}`),
    ...orderFaults(names, { recorded, ours }, tolerance),
    ...eventFaults(recording, played),
    ...endFaults(recording, played),
  ];
  return { rows, faults };
}

function flatten(
  { lastLeaseRenewal, node, workloads }: Pick<Recording, 'lastLeaseRenewal' | 'node' | 'workloads'>,
  recording: Recording,
): ReadonlyMap<string, number> {
  const all = new Map<string, number>([['lease', lastLeaseRenewal]]);
  for (const [name, t] of Object.entries(node)) all.set(`node ${name}`, t);
  for (const [workload, { pods, attachments }] of Object.entries(workloads)) {
    for (const { role, milestones } of pods)
      for (const [name, t] of Object.entries(milestones)) all.set(`${workload} ${role} pod ${name}`, t);
    for (const { node: on, milestones } of attachments) {
      const where = on === recording.failingNode ? 'old' : 'new';
      for (const [name, t] of Object.entries(milestones)) all.set(`${workload} ${where} attachment ${name}`, t);
    }
  }
  return all;
}

/** What a milestone is measured from: the latest recorded one before it that it can depend on. */
function anchorOf(what: string, recorded: ReadonlyMap<string, number>): string {
  const t = recorded.get(what) ?? 0;
  const before = [...recorded].filter(([name, at]) => name !== what && at < t - 0.002).toSorted((a, b) => b[1] - a[1]);
  return before[0]?.[0] ?? 'zero';
}

function faultOf(
  what: string,
  recorded: ReadonlyMap<string, number>,
  ours: ReadonlyMap<string, number>,
  { exact, operator }: Tolerance,
): string {
  const [expected, seen] = [recorded.get(what), ours.get(what)];
  if (what === 'lease') return '';
  if (seen === undefined) return 'never came';
  if (expected === undefined) return 'was not recorded';
  const ofWorkload = (from: string): string => (from.startsWith(' ') ? `${what.split(' ', 1)[0] ?? ''}${from}` : from);
  const window = WINDOWS.map((each) => ({ ...each, from: ofWorkload(each.from) })).find(
    ({ from, to }) => to.test(what) && recorded.has(from),
  );
  const between = (from: string, map: ReadonlyMap<string, number>, at: number): number => at - (map.get(from) ?? 0);
  if (window !== undefined) {
    const took = between(window.from, ours, seen);
    const wider = exact - TOLERANCE.exact;
    return took >= window.least - wider - 0.001 && took <= window.most + wider
      ? ''
      : `${took.toFixed(2)} s after ${window.from}, not within ${window.least} to ${window.most}`;
  }
  // A mount waits for the next report of the node's status: up to ten seconds that are nobody's.
  const slack = waitsForReport(what) ? 10 + exact : isOperators(what, recorded) ? operator : exact;
  const anchor = isOperators(what, recorded) ? 'zero' : anchorOf(what, recorded);
  const [theirs, mine] = [between(anchor, recorded, expected), between(anchor, ours, seen)];
  return Math.abs(theirs - mine) <= slack
    ? ''
    : `${mine.toFixed(2)} s after ${anchor}, recorded ${theirs.toFixed(2)} s`;
}

/** `running` waits for volumesInUse of the new node, a detach in good order for volumesInUse of the old one. */
const waitsForReport = (what: string): boolean =>
  / new pod (running|readyTrue)$/.test(what) || what.endsWith(' old attachment deletionTimestamp');

/** What the operator does by hand comes at its own time, whatever happened before; a pod is removed by force in S3. */
function isOperators(what: string, recorded: ReadonlyMap<string, number>): boolean {
  if (what === 'node taintOutOfService' || what === 'node nodeDeleted') return true;
  const [pod] = what.split(' pod ');
  const deletedAt = recorded.get(`${pod ?? ''} pod deletionTimestamp`);
  return (
    what.endsWith(' old pod gone') &&
    !recorded.has(`${pod ?? ''} pod failed`) &&
    !recorded.has(`${pod ?? ''} pod succeeded`) &&
    deletedAt !== undefined
  );
}

function orderFaults(
  names: readonly string[],
  { recorded, ours }: Readonly<Record<'recorded' | 'ours', ReadonlyMap<string, number>>>,
  { order }: Tolerance,
): readonly string[] {
  const faults: string[] = [];
  for (const [index, first] of names.entries()) {
    for (const second of names.slice(index + 1)) {
      const [a, b, x, y] = [recorded.get(first), recorded.get(second), ours.get(first), ours.get(second)];
      if (a === undefined || b === undefined || x === undefined || y === undefined || b - a < order) continue;
      if (x > y) faults.push(`${first} came after ${second}`);
    }
  }
  return faults;
}

function eventFaults(recording: Recording, played: Played): readonly string[] {
  return Object.entries(recording.workloads).flatMap(([name, { events }]) => {
    const [wanted, seen] = [new Set(events), new Set(played.workloads[name]?.events ?? [])];
    return [
      ...[...wanted].filter((event) => !seen.has(event)).map((event) => `${name}: missing event ${event}`),
      ...[...seen].filter((event) => !wanted.has(event)).map((event) => `${name}: unexpected event ${event}`),
    ];
  });
}

function endFaults({ end, failingNode, workloads }: Recording, played: Played): readonly string[] {
  const isFailing = (node: string): string => (node === failingNode ? 'the failing node' : 'another node');
  const pod = ({ node, phase, ready, terminating }: Recording['end']['pods'][number]): string =>
    `${phase} ready=${ready}${terminating ? ' terminating' : ''} on ${isFailing(node)}`;
  const attachment = ({ node, attached, deleting }: Recording['end']['volumeAttachments'][number]): string =>
    `attached=${attached}${deleting ? ' deleting' : ''} to ${isFailing(node)}`;
  const differ = (what: string, wanted: readonly string[], seen: readonly string[]): readonly string[] =>
    wanted.join('; ') === seen.join('; ')
      ? []
      : [`at the end ${what}: ${seen.join('; ')}, recorded ${wanted.join('; ')}`];
  return [
    ...differ('pods', end.pods.map(pod).toSorted(), played.end.pods.map(pod).toSorted()),
    ...differ(
      `attachments of ${Object.keys(workloads).join(', ')}`,
      end.volumeAttachments.map(attachment).toSorted(),
      played.end.volumeAttachments.map(attachment).toSorted(),
    ),
  ];
}

/** Both columns, for people. */
export function printComparison(recording: Recording, { rows, faults }: Comparison): string {
  const time = (t: number | undefined): string => (t === undefined ? '-' : t.toFixed(2)).padStart(9);
  const lines = rows.map(
    ({ what, recorded, played, fault }) =>
      `${time(recorded)} ${time(played)}  ${what}${fault === '' ? '' : `   <- ${fault}`}`,
  );
  return [
    `${recording.name}: ${recording.title}`,
    ` recorded    played  milestone`,
    ...lines,
    ...faults.map((fault) => `FAULT ${fault}`),
  ].join('\n');
}
