import { describe, expect, test } from 'vitest';
import { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { HOUR_MS, SECOND_MS } from '../base/clock.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { type Lease, Leases } from '../kube/resources/lease.ts';
import { clusterClock, showing } from './cluster-clock.ts';

const NOW = Date.UTC(2026, 0, 1);

function storeWithLease(renewedAt: number): ObjectStore {
  const store = new ObjectStore();
  const metadata = {
    name: 'node-a',
    namespace: 'kube-node-lease',
    uid: 'u',
    resourceVersion: '',
    creationTimestamp: '',
  };
  const spec = { renewTime: new Date(renewedAt).toISOString() };
  const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  store.put(Leases, 'kube-node-lease/node-a', lease);
  return store;
}

describe('the time of a cluster', () => {
  test('P-UP-7 real speed, never ahead -> the clock of the machine itself', () => {
    const real = new SteppedClock(NOW);
    expect(clusterClock(real, new ObjectStore(), 1)).toBe(real);
    expect(clusterClock(real, storeWithLease(NOW - SECOND_MS), 1)).toBe(real);
  });

  test('P-UP-7 it ran ahead of the machine -> it goes on behind the last lease, whatever the speed', () => {
    const ahead = NOW + HOUR_MS;
    for (const speed of [1, 60]) {
      const clock = clusterClock(new SteppedClock(NOW), storeWithLease(ahead), speed);
      expect(clock.now()).toBe(ahead + 10 * SECOND_MS);
    }
  });

  test('P-UP-7 sixty times the speed -> a minute in a second; waits of clients stay real', async () => {
    const real = new SteppedClock(NOW);
    const clock = clusterClock(real, new ObjectStore(), 60);
    const shown = showing(clock, real);
    let woken = 0;
    shown.after(2 * SECOND_MS, () => woken++);
    await real.advanceTo(NOW + SECOND_MS);
    expect([clock.now() - NOW, shown.now() - NOW, woken]).toEqual([60 * SECOND_MS, 60 * SECOND_MS, 0]);
    await real.advanceTo(NOW + 2 * SECOND_MS);
    expect(woken).toBe(1);
  });
});
