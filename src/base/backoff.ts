import type { DurationMs } from './clock.ts';

export interface BackoffLimits {
  readonly initialMs: DurationMs;
  readonly factor: number;
  readonly maxMs: DurationMs;
}

/** The wait before attempt `failures + 1`, after that many failures in a row (at least one). */
export function backoffAfter(failures: number, limits: BackoffLimits): DurationMs {
  return Math.min(limits.initialMs * limits.factor ** (failures - 1), limits.maxMs);
}

/** Counts failures per key and gives the next wait. */
export class KeyedBackoff<K> {
  readonly #limits: BackoffLimits;
  /** Failures in a row; a key without failures is absent. */
  readonly #failures = new Map<K, number>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  failed(key: K): DurationMs {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return backoffAfter(failures, this.#limits);
  }

  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }
}
