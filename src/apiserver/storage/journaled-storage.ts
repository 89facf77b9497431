// A cache whose changes are written to a journal, in their order, as many at a time as there are. While one batch is on its
// way the next one gathers, so the number of writers costs no more than one. A failed batch takes everything with it that
// came after it: later requests saw its changes. The cache is then what the journal holds, and reads go on.
import type { Log } from '../../base/log.ts';
import { type StatusError, internal } from '../../kube/api-error.ts';
import type { Change } from '../objectstore/change-history.ts';
import type { ObjectStore } from '../objectstore/object-store.ts';
import { type Attempt, type Journal, NotStored, type Served, type Storage } from './storage.ts';

export interface JournaledStorageOptions {
  /** Holds back. */
  readonly store: ObjectStore;
  readonly journal: Journal;
  readonly log: Log;
  /** Runs `work` when the requests that are there already have been read. At once is right, and makes smaller batches. */
  readonly soon: (work: () => void) => void;
}

/** Changes that may be on their way when one more is answered ahead: they fill a batch, and let others have their turn. */
const AHEAD_MAX = 16;

interface Waiter {
  readonly revision: number;
  resolve(): void;
  reject(error: Error): void;
}

export class JournaledStorage implements Storage {
  readonly #options: JournaledStorageOptions;
  /** Rising revisions, all above what is durable. */
  #waiters: Waiter[] = [];
  /** A batch is on its way, or will be soon. */
  #isWriting = false;
  #fault: string | undefined;
  /** What came last was not stored: nothing is answered ahead until something is. */
  #isFailing = false;
  /** Something that is not durable was answered ahead. */
  #isAhead = false;
  readonly #revoked: (() => void)[] = [];

  constructor(options: JournaledStorageOptions) {
    this.#options = options;
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  async serve<T>(attempt: Attempt<T>): Promise<Served<T>> {
    if (attempt.isWrite && this.#fault !== undefined) throw notStored(this.#fault);
    try {
      return { result: attempt.run() };
    } finally {
      // A refusal waits too: it may be about a change that is not durable.
      const settling = this.settling();
      if (settling !== undefined) await settling;
    }
  }

  ahead<T>(attempt: Attempt<T>): Served<T> | undefined {
    const { store } = this.#options;
    if (this.#isFailing || store.held.length >= AHEAD_MAX) return undefined;
    try {
      return { result: attempt.run() };
    } finally {
      if (store.held.length > 0) {
        this.#isAhead = true;
        this.#write();
      }
    }
  }

  onRevoked(listener: () => void): void {
    this.#revoked.push(listener);
  }

  settling(): Promise<void> | undefined {
    const last = this.#options.store.held.at(-1);
    if (last === undefined) return undefined;
    const { revision } = last;
    const settled = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ revision, resolve, reject });
    });
    this.#write();
    return settled;
  }

  /** Waits for what is on its way. */
  async close(): Promise<void> {
    await this.settling()?.catch(() => undefined);
    await this.#options.journal.close();
  }

  #write(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#options.soon(() => void this.#writeAll());
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    const { store } = this.#options;
    try {
      while (store.held.length > 0) await this.#writeSome(store.held);
    } catch (error) {
      this.#failed(error);
    }
    this.#isWriting = false;
  }

  async #writeSome(held: readonly Change[]): Promise<void> {
    const { journal, store } = this.#options;
    const revision = held[(await journal.append(held)) - 1]?.revision ?? 0;
    this.#isFailing = false;
    store.release(revision);
    if (store.held.length === 0) this.#isAhead = false;
    this.#resolveUpTo(revision);
  }

  #resolveUpTo(revision: number): void {
    const waiting = this.#waiters.findIndex((waiter) => waiter.revision > revision);
    const done = this.#waiters.splice(0, waiting < 0 ? this.#waiters.length : waiting);
    for (const waiter of done) waiter.resolve();
  }

  /** An unknown failure is the last one: what a failed sync left on the disk cannot be known, so nothing may be built on it. */
  #failed(error: unknown): void {
    const { store, log } = this.#options;
    const why = error instanceof Error ? error.message : String(error);
    const isPassing = error instanceof NotStored;
    if (!isPassing) this.#fault = why;
    this.#isFailing = true;
    log.write('error', isPassing ? 'writes were not stored' : 'nothing can be written any more', { why });
    store.revoke();
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(notStored(why));
    if (!this.#isAhead) return;
    this.#isAhead = false;
    for (const tell of this.#revoked) tell();
  }
}

const notStored = (why: string): StatusError => internal(`the write was not stored: ${why}`);
