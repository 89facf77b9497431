// What makes writes last, behind a server whose core is synchronous over the cache (`../objectstore`).
//
// Nothing that shows a revision leaves the process before that revision is durable: neither the answer to the write, nor a
// read or a refusal that saw its effect, nor a watch event. The server asks `serve` for every request; how the promise is
// kept is the storage's own. There are two ways. A journal (embedded, memory) takes every change of the cache after it was
// made, in order, many at a time: requests see each other's changes at once and wait together. A storage that others write
// to as well (etcd) lets the request run without a trace, offers its writes, and runs it again when somebody was faster.
//
// Components that live in the server's own process end with it. Those that act on nothing but the server may be answered before
// their changes are durable, where a journal takes them: whatever they do next is written behind it, and is lost if it is lost.
// If what they were answered is taken back while they live, `onRevoked` is told.
//
// A server without a storage keeps nothing and pays nothing: simulated worlds have none.
import type { Change } from '../objectstore/change-history.ts';

/** A request on its way to the cache. */
export interface Attempt<T> {
  readonly isWrite: boolean;
  /** Runs the request against the cache as it is now. Throws what the request is refused with. May be called again. */
  run(): T;
}

export interface Served<T> {
  readonly result: T;
  /** What a write that was numbered by the cache is numbered in truth; undefined where the cache gives out the numbers. */
  readonly revisionOf?: (staged: number) => number;
}

export interface Storage {
  /** Runs the request and answers when all that it shows is durable. Rejects with what it is refused with. */
  serve<T>(attempt: Attempt<T>): Promise<Served<T>>;
  /**
   * Runs a request of somebody who ends with this process and answers before it is durable, or throws what it is refused
   * with. Undefined: that cannot be done now, so `serve` it.
   */
  ahead?<T>(attempt: Attempt<T>): Served<T> | undefined;
  /** Tells that what was answered ahead was taken back: nothing that was concluded from it holds. */
  onRevoked?(listener: () => void): void;
  /** Until everything that the cache shows now is durable; undefined when it is. Rejects when that will never be. */
  settling(): Promise<void> | undefined;
  /** Why nothing can be written any more; undefined while something can. */
  readonly fault: string | undefined;
  /** What was answered is durable; this only lets go. */
  close(): Promise<void>;
}

/** Where the changes of a cache are written down. `append` is never called before the last call has ended. */
export interface Journal {
  /**
   * Answers how many of the first of them are now durable: one at least. Rejects with NotStored when none is and a later try
   * may do better. There is at least one; more may come behind the last one meanwhile.
   */
  append(changes: readonly Change[]): Promise<number>;
  /** Writes down that everything was written down. */
  close(): Promise<void>;
}

/** Nothing of this was stored, and the journal is as it was: a full disk. Any other failure of a journal is its last. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}

/** A storage that cannot be opened, in words for whoever started the server. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
