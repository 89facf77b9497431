// A recording of a real kubelet, as it lies on disk.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../../src/kube/object.ts';

export interface RecordedCall {
  readonly at: number;
  readonly method: string;
  readonly volume?: string;
  readonly request: unknown;
  readonly deadline?: number;
  readonly code: string;
  readonly node?: string;
}
export interface RecordedEvent {
  readonly object: string;
  readonly source: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly seen: readonly (readonly [number, number])[];
}
export type Transition = Readonly<Record<string, unknown>> & { readonly at: number | 'before' };
export interface RecordedFile {
  readonly path: string;
  readonly kind: 'dir' | 'file' | 'link' | 'block';
  readonly mount?: boolean;
  readonly to?: string;
  readonly json?: unknown;
}
export interface RecordedStep {
  readonly at: number | null;
  readonly do: string;
  readonly object?: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    /** Of a VolumeAttachment, which has no name of its own here. */
    readonly of?: { readonly persistentVolume: string; readonly node: string };
  };
  readonly index?: number;
  readonly gracePeriodSeconds?: number;
  readonly patch?: object;
  readonly subresource?: 'status';
  readonly result?: string;
  readonly driver?: string;
  readonly node?: string;
  readonly which?: string;
  readonly fault?: {
    readonly method: string;
    readonly volumePrefix?: string;
    readonly code?: string;
    readonly message?: string;
    readonly mode?: 'do' | 'do-then-hang';
    readonly hangSeconds?: number;
    readonly times?: number;
  };
  readonly volumePrefix?: string;
  readonly response?: { readonly usage: readonly Record<string, string>[]; readonly volume_condition?: object };
  readonly op?: string;
  readonly path?: string;
  readonly mode?: string;
  readonly gid?: number;
  readonly args?: readonly string[];
  readonly label?: string;
  readonly flags?: readonly string[];
}
export interface Recording {
  readonly id: string;
  readonly title: string;
  readonly node: string;
  readonly seconds: number;
  readonly objects: readonly KubeObject[];
  readonly driver: Readonly<
    Record<
      string,
      { readonly running: string; readonly nodeCapabilities: readonly string[]; readonly maxVolumesPerNode?: number }
    >
  >;
  /** `relistAt`: when containers were looked at, where the recorder knew. */
  readonly nodes: Readonly<Record<string, { readonly relistAt?: number }>>;
  readonly steps: readonly RecordedStep[];
  readonly calls: readonly RecordedCall[];
  readonly pods: Readonly<Record<string, readonly Transition[]>>;
  readonly node_status: Readonly<Record<string, readonly Transition[]>>;
  readonly volume_attachments: Readonly<Record<string, readonly Transition[]>>;
  readonly claims: Readonly<Record<string, readonly Transition[]>>;
  readonly volumes: Readonly<Record<string, readonly Transition[]>>;
  readonly events: readonly RecordedEvent[];
  readonly files: readonly { readonly at: number; readonly label: string; readonly entries: readonly RecordedFile[] }[];
  readonly notes?: readonly (readonly [number, string, unknown])[];
}

/** All of a folder, by id. */
export function readRecordings(folder: string): readonly Recording[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Recording);
}

/** The calls of the node service that change something, with requests written out. */
export function nodeMutations({ calls }: Recording): readonly RecordedCall[] {
  const last = new Map<string, unknown>();
  return calls.flatMap((call) => {
    const key = `${call.method} ${call.volume ?? ''}`;
    const request = typeof call.request === 'string' ? (last.get(key) ?? last.get(call.method)) : call.request;
    last.set(key, request);
    last.set(call.method, request);
    const isMutation = call.method.startsWith('Node') && !call.method.startsWith('NodeGet');
    return isMutation ? [{ ...call, request }] : [];
  });
}

/** When something of a row of transitions got a value, in seconds; what was before the recording is left out. */
export function timesOf(transitions: readonly Transition[], field: string): readonly number[] {
  return transitions.flatMap(({ at, ...rest }) => (field in rest && at !== 'before' ? [at] : []));
}
