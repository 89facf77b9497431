import type { DurationMs } from '../base/clock.ts';
import type { Cluster, Disposable } from '../kube/cluster.ts';
import type { KubeObject, ObjectKey } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { ComponentContext } from './component.ts';
import type { Change, Informer } from './informer.ts';

export type Outcome =
  | { readonly type: 'settled' }
  | { readonly type: 'requeue'; readonly after: DurationMs; readonly waitingFor: string };
/** One pass over one key, or one pass of a tickless loop. */
export interface Turn {
  /** The component's view with the reason of this turn on it. */
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  /** To hand on with a CSI call; never to decide by. */
  readonly reason: Reason;
}
export interface Reconciler {
  readonly name: string;
  reconcile(key: ObjectKey, turn: Turn): Promise<Outcome>;
}
/** Turns changes of some kind into keys of ours. Built by `trigger(informer, keysOf)`, which hides the kind. */
export interface Trigger {
  subscribe(enqueue: (key: ObjectKey, reason: Reason) => void): Disposable;
}
export declare function trigger<T extends KubeObject>(
  informer: Informer<T>,
  keysOf: (change: Change<T>) => Iterable<ObjectKey>,
): Trigger;
export interface ControllerOptions {
  readonly reconciler: Reconciler;
  readonly triggers: readonly Trigger[];
  readonly workers: number;
  readonly context: ComponentContext;
}
