// The time that a cluster lives by. It never goes back: a cluster that ran ahead of its machine goes on from where it was.
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { type Clock, type DurationMs, type InstantMs, HOUR_MS, SECOND_MS } from '../base/clock.ts';
import { ScaledClock } from '../base/scaled-clock.ts';
import { Leases } from '../kube/resources/lease.ts';
import { storedObjects } from './stored-objects.ts';

/** Every node renews its lease within this time, so nothing was written later than this after the last renewal. */
const RENEWED_WITHIN_MS = 10 * SECOND_MS;

/**
 * For so long in real time a fast cluster stays behind the clock of the machine: programs that tell the age of an object by
 * their own clock, as kubectl does, find it made in the past. After it they say that the age is not valid.
 */
const BEHIND_FOR_MS: DurationMs = HOUR_MS;

export interface ClusterTime {
  readonly real: Clock;
  /** Seconds of the cluster in one real second. */
  readonly speed: number;
  /** What the cluster was before. */
  readonly store: ObjectStore;
  /** Until all writes are durable: a fast cluster does not see its disk take minutes for them. */
  readonly settling?: () => Promise<void> | undefined;
}

/** The machine's own clock where it will do. */
export function clusterClock({ real, speed, store, settling = () => undefined }: ClusterTime): Clock {
  const now = real.now();
  const renewedAt = lastRenewal(store);
  if (speed === 1 && renewedAt <= now) return real;
  const behind = now - Math.max(0, speed - 1) * BEHIND_FOR_MS;
  return new ScaledClock({ real, speed, settling, startsAt: Math.max(behind, renewedAt + RENEWED_WITHIN_MS) });
}

/** The time of one clock with the waits of another: what is shown to clients of the cluster, who wait in real time. */
export function showing(shown: Clock, real: Clock): Clock {
  return {
    now: () => shown.now(),
    monotonic: () => real.monotonic(),
    after: (delay, wake, options) => real.after(delay, wake, options),
    sleep: (delay, signal, options) => real.sleep(delay, signal, options),
  };
}

function lastRenewal(store: ObjectStore): InstantMs {
  return storedObjects(store, Leases).reduce(
    (last, { spec }) => Math.max(last, Date.parse(spec.renewTime ?? '') || 0),
    0,
  );
}
