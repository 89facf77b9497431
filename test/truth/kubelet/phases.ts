// Where the free-running timers of the recorded kubelet were. A replay has the same phases, so that what is left to compare
// is what follows from the rules.

import { type Random, SeededRandom } from '../../../src/base/random.ts';

export interface KnownTimes {
  /** By node: seconds at which the node's status was computed. */
  readonly statusTicks: Readonly<Record<string, readonly number[]>>;
  /** Seconds at which a pod was synced by time alone. */
  readonly syncs: readonly number[];
  /** Seconds at which volumes were asked for their stats. */
  readonly stats: readonly number[];
}

const STATUS_PERIOD_S = 10;
const STATUS_JITTER = 0.04;
/** The mean of ten seconds and what is added to them. */
const STATUS_MEAN_S = 10.2;
const BACK_OFF_S = 10;
const SYNC_S = 60;
const SYNC_JITTER = 0.5;
/** A sync that is due is looked for every second: the draw aims before the look. */
const AIM_S = 0.3;

/** Draws that lead to the known times; all else is drawn as usual. */
export class PhasedRandom implements Random {
  readonly #inner: Random;
  readonly #now: () => number;
  readonly #known: KnownTimes;
  readonly #path: readonly string[];

  constructor(
    now: () => number,
    known: KnownTimes,
    inner: Random = new SeededRandom('phased'),
    path: readonly string[] = [],
  ) {
    this.#now = now;
    this.#known = known;
    this.#inner = inner;
    this.#path = path;
  }

  fork(name: string): Random {
    return new PhasedRandom(this.#now, this.#known, this.#inner.fork(name), [...this.#path, name]);
  }

  fraction(): number {
    const [node = ''] = this.#path;
    switch (this.#path.at(-1)) {
      case 'node status':
        return this.#towardsTick(this.#known.statusTicks[node] ?? []);
      case 'resync':
        return this.#towardsSync();
      case 'volume stats':
        return this.#towards(this.#known.stats, 60, 1) ?? 0.5;
      default:
        return this.#inner.fraction();
    }
  }

  #towardsTick(ticks: readonly number[]): number {
    const next = ticks.find((tick) => tick > this.#now() + 1);
    if (next === undefined) return 0.5;
    const left = next - this.#now();
    const each = left / Math.max(1, Math.round(left / STATUS_MEAN_S));
    return (each / STATUS_PERIOD_S - 1) / STATUS_JITTER;
  }

  #towardsSync(): number {
    const next = this.#known.syncs.find((sync) => sync > this.#now() + 1);
    if (next === undefined) return 0.5;
    const left = next - AIM_S - this.#now();
    const base = left <= 1.6 * BACK_OFF_S ? BACK_OFF_S : SYNC_S;
    const found = (left / base - 1) / SYNC_JITTER;
    // A pod whose next sync is not one of the known ones.
    return found < 0 || found > 1 ? 0.5 : found;
  }

  #towards(times: readonly number[], base: number, jitter: number): number | undefined {
    const next = times.find((time) => time > this.#now() + 1);
    return next === undefined ? undefined : ((next - this.#now()) / base - 1) / jitter;
  }

  int(from: number, to: number): number {
    return this.#inner.int(from, to);
  }
  chance(probability: number): boolean {
    return this.#inner.chance(probability);
  }
  pick<T>(choices: readonly [T, ...T[]]): T {
    return this.#inner.pick(choices);
  }
  uid(): string {
    return this.#inner.uid();
  }
}

/** From the start to the second report, so that one of the reports after it falls on the first known tick. */
export function firstPeriodMs(startedAt: number, firstTick: number | undefined): number {
  if (firstTick === undefined) return 5000;
  const left = firstTick - startedAt - 0.1;
  return Math.round((left - Math.floor(left / STATUS_MEAN_S) * STATUS_MEAN_S) * 1000);
}
