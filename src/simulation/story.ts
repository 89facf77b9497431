// A story: a cluster, steps at given times, and what must, must not and shall in the end be so.
import type { DurationMs } from '../base/clock.ts';
import type { Draft, Patch } from '../kube/cluster.ts';
import type { KubeObject, ObjectKey, Resource } from '../kube/object.ts';
import type { ClusterShape } from '../worlds/cluster-shape.ts';
import type { Condition } from './condition.ts';
import type { Fault } from './faults/fault.ts';

export interface Story {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  /** Where it was read from, for complaints. */
  readonly file: string;
  readonly cluster: ClusterShape;
  /** Objects that are there before the first step. */
  readonly manifests: readonly Manifest[];
  /** In order of time; steps of the same time in the order of the file. */
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
  /** How long the story plays. */
  readonly lastsMs: DurationMs;
  /** Then every fault ends, and not later than this all must be well: claims bound, pods running, or a known reason. */
  readonly settlesMs?: DurationMs;
}

/** An object of the file, as it is sent to the API. */
export interface Manifest {
  readonly resource: Resource<KubeObject>;
  readonly object: Draft<KubeObject>;
  readonly place: Place;
}

/** Where a thing stands in its file, counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** An object by kind and key, with the words that the story used for it. */
export interface Target {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  readonly text: string;
}

export type Step = {
  readonly atMs: DurationMs;
  readonly place: Place;
  /** The API must refuse this step with a message that contains the text; without it the API must accept. */
  readonly refused?: string;
  /** The API may refuse this step or not. */
  readonly mayBeRefused?: boolean;
} & (
  | { readonly do: 'apply'; readonly resource: Resource<KubeObject>; readonly object: Draft<KubeObject> }
  | { readonly do: 'patch'; readonly target: Target; readonly patch: Patch; readonly subresource?: 'status' }
  | { readonly do: 'delete'; readonly target: Target; readonly force: boolean }
  | { readonly do: 'fault'; readonly fault: Fault; readonly forMs?: DurationMs }
);

export type Expectation = { readonly place: Place; readonly text: string } &
  /** The condition holds at some moment from `afterMs`, if given, to `withinMs` after the start. */
  (
    | {
        readonly type: 'within';
        readonly withinMs: DurationMs;
        readonly afterMs?: DurationMs;
        readonly of: Target;
        readonly condition: Condition;
      }
    /** The condition holds at no moment, or at none from `afterMs` on. */
    | { readonly type: 'never'; readonly afterMs?: DurationMs; readonly of: Target; readonly condition: Condition }
    /** When the story ends the fields given are equal, or the object is gone. */
    | { readonly type: 'atEnd'; readonly of: Target; readonly is: Readonly<Record<string, unknown>> | 'gone' }
  );

export interface Verdict {
  readonly expectation: string;
  readonly place: Place;
  readonly passed: boolean;
  /** When it was decided, from the start of the story. */
  readonly atMs: DurationMs;
  readonly why: string;
}
