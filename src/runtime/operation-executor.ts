// Operations that run beside the loop that starts them, at most one a key. After a failure the key rests: a start within
// the rest is refused, which is no error, and the loop asks again later.
// Upstream: kubernetes:pkg/util/goroutinemap and kubernetes:pkg/volume/util/nestedpendingoperations.
import { type BackoffLimits, backoffAfter } from '../base/backoff.ts';
import { Aborted, type Clock, type DurationMs, MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { messageOf, reportFailure, supervise } from './supervise.ts';
import { AssertionFailure } from '../base/assert.ts';

/** At most one operation per key, with exponential backoff after failure (upstream: operationexecutor). */
export interface OperationExecutor {
  run(key: string, name: string, operation: (signal: AbortSignal) => Promise<void>): 'started' | 'pending' | 'backoff';
  isPending(key: string): boolean;
}

/** kubernetes:pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go */
const OPERATION_BACKOFF: BackoffLimits = { initialMs: 500, factor: 2, maxMs: 2 * MINUTE_MS + 2 * SECOND_MS };

export interface KeyedOperationsOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly limits?: BackoffLimits;
  /**
   * Keys below others: an operation on a key waits for one on the key above it and the other way round, while two below
   * the same key run side by side (a device and its mounts for pods).
   */
  parentOf?(key: string): string | undefined;
  /** Called when the key is free again: the loop has reason to look. */
  onFinished?(key: string, end: { readonly failed: boolean }): void;
}

/** A key whose last operation failed. */
interface Rest {
  readonly name: string;
  readonly failures: number;
  readonly failedAt: DurationMs;
}

export class KeyedOperations implements OperationExecutor {
  readonly #options: KeyedOperationsOptions;
  readonly #limits: BackoffLimits;
  readonly #pending = new Set<string>();
  /** How many keys directly below are pending; never zero. */
  readonly #pendingBelow = new Map<string, number>();
  readonly #rests = new Map<string, Rest>();

  constructor(options: KeyedOperationsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? OPERATION_BACKOFF;
  }

  run(key: string, name: string, operation: (signal: AbortSignal) => Promise<void>): 'started' | 'pending' | 'backoff' {
    if (this.isPending(key)) return 'pending';
    if (this.#isResting(key)) {
      if (this.#rests.get(key)?.name === name) return 'backoff';
      // Another operation is not held back by the failure of this one, and its own count begins anew.
      this.#rests.delete(key);
    }
    this.#setPending(key);
    supervise(name, this.#perform(key, name, operation), this.#options.log);
    return 'started';
  }

  isPending(key: string): boolean {
    const parent = this.#options.parentOf?.(key);
    return this.#pending.has(key) || this.#pendingBelow.has(key) || (parent !== undefined && this.#pending.has(parent));
  }

  /** How long a start under the same name would be refused; zero if it would not. */
  restOf(key: string): DurationMs {
    const rest = this.#rests.get(key);
    if (rest === undefined || !this.#isResting(key)) return 0;
    return rest.failedAt + backoffAfter(rest.failures, this.#limits) - this.#options.clock.monotonic() + 1;
  }

  /** The last instant of the rest still belongs to it. */
  #isResting(key: string): boolean {
    const rest = this.#rests.get(key);
    if (rest === undefined) return false;
    return this.#options.clock.monotonic() - rest.failedAt <= backoffAfter(rest.failures, this.#limits);
  }

  async #perform(key: string, name: string, operation: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#options;
    try {
      await operation(signal);
      this.#rests.delete(key);
      this.#finish(key, { failed: false });
    } catch (error) {
      this.#rest(key, name, error);
      this.#finish(key, { failed: true });
    }
  }

  #rest(key: string, name: string, error: unknown): void {
    const { clock, log, signal } = this.#options;
    const before = this.#rests.get(key);
    // The name stays that of the first failure once its rest is over, as upstream keeps it: another operation that then
    // fails is not held back the first time.
    const rest = { name: before?.name ?? name, failures: (before?.failures ?? 0) + 1, failedAt: clock.monotonic() };
    this.#rests.set(key, rest);
    if (error instanceof Aborted && signal.aborted) return;
    if (error instanceof AssertionFailure) return reportFailure(`${name} ${key}`, error, log);
    const restMs = backoffAfter(rest.failures, this.#limits);
    log.write('warn', `${name} ${key}: ${messageOf(error)}`, { key, restMs, error });
  }

  #setPending(key: string): void {
    this.#pending.add(key);
    const parent = this.#options.parentOf?.(key);
    if (parent !== undefined) this.#pendingBelow.set(parent, (this.#pendingBelow.get(parent) ?? 0) + 1);
  }

  #finish(key: string, end: { readonly failed: boolean }): void {
    this.#pending.delete(key);
    const parent = this.#options.parentOf?.(key);
    if (parent !== undefined) {
      const left = (this.#pendingBelow.get(parent) ?? 1) - 1;
      if (left === 0) this.#pendingBelow.delete(parent);
      else this.#pendingBelow.set(parent, left);
    }
    if (!this.#options.signal.aborted) this.#options.onFinished?.(key, end);
  }
}
