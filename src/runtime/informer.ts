import type { Disposable } from '../kube/cluster.ts';
import type { KubeObject, ObjectKey } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';

export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly before: T; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T };
export interface Lister<T extends KubeObject> {
  readonly synced: boolean;
  get(key: ObjectKey): T | undefined;
  all(): IterableIterator<T>;
  /** O(size of the answer). Indexes are declared when the informer is built and kept from changes. */
  by(index: string, value: string): IterableIterator<T>;
}
export interface Informer<T extends KubeObject> extends Lister<T> {
  subscribe(onChange: (change: Change<T>, reason: Reason) => void): Disposable;
  start(signal: AbortSignal): void;
}
