// A fault as an object of the cluster that it acts on: whoever makes one begins it, whoever deletes it ends it.
import type { DurationMs, InstantMs } from '../../base/clock.ts';
import { parseDuration } from '../../kube/go-duration.ts';
import { type KubeObject, type Resource } from '../../kube/object.ts';
import type { Cast } from '../cast.ts';
import { readFault } from '../faults/fault-section.ts';
import { type Fault, NATURAL_MS } from '../faults/fault.ts';
import { FileFault, readYaml } from '../yaml-reader.ts';

export const apiVersionOfFaults = 'chaos.mooring.dev/v1alpha1';

export interface FaultObject extends KubeObject {
  readonly apiVersion: typeof apiVersionOfFaults;
  readonly kind: 'Fault';
  readonly spec: FaultSpec;
  readonly status?: FaultStatus;
}

/** The words of a story's fault, and how long it lasts; without a duration it lasts until it is deleted. */
export interface FaultSpec {
  readonly type: string;
  readonly duration?: string;
  readonly [field: string]: unknown;
}

export interface FaultStatus {
  readonly state: 'Active' | 'Ended' | 'Refused';
  /** Why it is not in force any more, or never was. */
  readonly message?: string;
  /** What it acts on, in a few words. */
  readonly target?: string;
  readonly beganAt?: string;
  readonly endedAt?: string;
}

export const Faults: Resource<FaultObject> = {
  group: 'chaos.mooring.dev',
  version: 'v1alpha1',
  plural: 'faults',
  kind: 'Fault',
  namespaced: false,
};

export type FaultReading =
  | { readonly type: 'fault'; readonly fault: Fault; readonly lastsMs: DurationMs | undefined }
  | { readonly type: 'wrong'; readonly message: string };

/** Read by the reader of stories, against what the cluster is made of. */
export function readFaultSpec({ duration, ...words }: FaultSpec, cast: Cast): FaultReading {
  const lastsMs = duration === undefined ? undefined : parseDuration(duration);
  if (duration !== undefined && (lastsMs === undefined || lastsMs < 0))
    return { type: 'wrong', message: `a duration is written like 90s or 1m30s, not ${JSON.stringify(duration)}` };
  try {
    const fault = readFault(readYaml('spec', JSON.stringify(words)), cast);
    return { type: 'fault', fault, lastsMs: lastsMs ?? NATURAL_MS[fault.type] };
  } catch (error) {
    if (error instanceof FileFault) return { type: 'wrong', message: error.message };
    throw error;
  }
}

/** What a fault acts on, in a few words. */
export function targetOf(fault: Fault): string {
  if ('node' in fault) return fault.type === 'partition' ? `${fault.node} from ${reachOf(fault.from)}` : fault.node;
  if ('call' in fault) return fault.driver === undefined ? fault.call : `${fault.call} of ${fault.driver}`;
  if ('actor' in fault) return fault.actor;
  return 'component' in fault ? fault.component : fault.program;
}

const reachOf = (from: 'api' | 'storage' | 'both'): string => (from === 'both' ? 'api and storage' : from);

/** When a fault that began then is over; undefined: not by itself. */
export const endOf = (beganAt: InstantMs, lastsMs: DurationMs | undefined): InstantMs | undefined =>
  lastsMs === undefined ? undefined : beganAt + lastsMs;
