// The time that a cluster lives by. It never goes back: a cluster that ran ahead of its machine goes on from where it was.
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { type Clock, type InstantMs, SECOND_MS } from '../base/clock.ts';
import { ScaledClock } from '../base/scaled-clock.ts';
import { Leases } from '../kube/resources/lease.ts';
import { storedObjects } from './stored-objects.ts';

/** Every node renews its lease within this time, so nothing was written later than this after the last renewal. */
const RENEWED_WITHIN_MS = 10 * SECOND_MS;

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
  const isAhead = renewedAt > now;
  if (speed === 1 && !isAhead) return real;
  return new ScaledClock({ real, speed, settling, startsAt: isAhead ? renewedAt + RENEWED_WITHIN_MS : now });
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
