// A recorded outage: what happened to a node, its pods and its attachments, in seconds after the zero action.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Action {
  readonly t: number;
  readonly what: 'crash' | 'partition' | 'heal' | 'taint' | 'force-delete' | 'delete-node' | 'drain-start' | 'drain';
}
/** Seconds after zero by milestone: `readyFalse`, `deletionTimestamp`, `gone`, … */
export type Milestones = Readonly<Record<string, number>>;

export interface Workload {
  readonly pods: readonly {
    readonly role: 'old' | 'new';
    readonly name: string;
    readonly node: string;
    readonly milestones: Milestones;
  }[];
  readonly attachments: readonly { readonly node: string; readonly milestones: Milestones }[];
  /** `volumesInUse+` and the like, with the node. */
  readonly lists: readonly { readonly t: number; readonly node: string; readonly change: string }[];
  /** Texts with names as tokens, without times. */
  readonly events: readonly string[];
}

export interface Recording {
  readonly name: string;
  readonly title: string;
  readonly failingNode: string;
  readonly lastLeaseRenewal: number;
  readonly actions: readonly Action[];
  readonly node: Milestones;
  readonly workloads: Readonly<Record<string, Workload>>;
  readonly end: {
    readonly t: number;
    readonly pods: readonly EndPod[];
    readonly volumeAttachments: readonly {
      readonly node: string;
      readonly attached: boolean;
      readonly deleting: boolean;
    }[];
  };
}
export interface EndPod {
  readonly name: string;
  readonly node: string;
  readonly phase: string;
  readonly ready: string;
  readonly terminating: boolean;
}

export function loadRecordings(directory: string): readonly Recording[] {
  const files = readdirSync(directory).filter((name) => /^S\d+[a-z]?\.json$/.test(name));
  return files
    .map((name) => read(path.join(directory, name)))
    .toSorted((a, b) => parseInt(a.name.slice(1), 10) - parseInt(b.name.slice(1), 10));
}

type Raw = Readonly<Record<string, unknown>>;
interface RawWorkload {
  readonly pods: readonly (Raw & { readonly role: 'old' | 'new'; readonly name: string; readonly node: string })[];
  readonly volumeAttachments: readonly (Raw & { readonly node: string })[];
  readonly nodeVolumeLists: readonly { readonly t: number; readonly node: string; readonly change: string }[];
  readonly events: readonly { readonly source: string; readonly on: string; readonly text: string }[];
}

function read(file: string): Recording {
  const raw = JSON.parse(readFileSync(file, 'utf8')) as Omit<Recording, 'name' | 'workloads'> & {
    readonly scenario: string;
    readonly workloads: Readonly<Record<string, RawWorkload>>;
  };
  const workloads = Object.fromEntries(Object.entries(raw.workloads).map(([name, each]) => [name, workloadOf(each)]));
  return { ...raw, name: raw.scenario, workloads };
}

function workloadOf(raw: RawWorkload): Workload {
  const old = raw.pods.find(({ role }) => role === 'old')?.name ?? '';
  const fresh = raw.pods.find(({ role }) => role === 'new')?.name ?? '';
  return {
    pods: raw.pods.map((pod) => ({ role: pod.role, name: pod.name, node: pod.node, milestones: numbersOf(pod) })),
    attachments: raw.volumeAttachments.map((each) => ({ node: each.node, milestones: numbersOf(each) })),
    lists: raw.nodeVolumeLists,
    events: raw.events
      .filter(({ source }) => isJudged(source))
      .map(({ source, on, text }) => eventText(source, on, text, { old, fresh })),
  };
}

const numbersOf = (raw: Raw): Milestones =>
  Object.fromEntries(Object.entries(raw).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));

/** Container starts and image pulls are the stand-in runtime's; everything else is judged. */
export const isJudged = (source: string): boolean => !source.startsWith('kubelet');

/** One line with the names that differ from run to run as tokens. */
export function eventText(
  source: string,
  on: string,
  text: string,
  { old, fresh }: { readonly old: string; readonly fresh: string },
): string {
  let line = `${source} ${on.replace(/#\w+$/, '')} ${text}`
    .replaceAll(/pvc-[0-9a-f-]{36}/g, '<pv>')
    .replace(/ \(count \d+\)$/, '')
    .replace(/ to b\d$/, ' to <a free node>')
    .trim();
  // A StatefulSet's pods share one name: which of them is meant is told by the kind of event, not by its text.
  if (old !== fresh && fresh !== '') line = line.replaceAll(fresh, '<new pod>');
  return line.replaceAll(old, '<pod>').replaceAll(/-[0-9a-f]{8,10}(?= |$)/g, '-<hash>');
}
