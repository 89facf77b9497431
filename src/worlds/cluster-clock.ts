// The time that a cluster lives by. It never goes back: a cluster that ran ahead of its machine goes on from where it was.
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { type Clock, type InstantMs, SECOND_MS } from '../base/clock.ts';
import { ScaledClock } from '../base/scaled-clock.ts';
import { Leases } from '../kube/resources/lease.ts';
import { storedObjects } from './stored-objects.ts';

/** Every node renews its lease within this time, so nothing was written later than this after the last renewal. */
const RENEWED_WITHIN_MS = 10 * SECOND_MS;

/** The machine's own clock where it will do. */
export function clusterClock(real: Clock, store: ObjectStore, speed: number): Clock {
  const now = real.now();
  const renewedAt = lastRenewal(store);
  const isAhead = renewedAt > now;
  if (speed === 1 && !isAhead) return real;
  return new ScaledClock({ real, speed, startsAt: isAhead ? renewedAt + RENEWED_WITHIN_MS : now });
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
