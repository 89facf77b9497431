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
    expect(clusterClock({ real, store: new ObjectStore(), speed: 1 })).toBe(real);
    expect(clusterClock({ real, store: storeWithLease(NOW - SECOND_MS), speed: 1 })).toBe(real);
  });

  test('P-UP-7 it ran ahead of the machine -> it goes on behind the last lease, whatever the speed', () => {
    const ahead = NOW + HOUR_MS;
    for (const speed of [1, 60]) {
      const clock = clusterClock({ real: new SteppedClock(NOW), store: storeWithLease(ahead), speed });
      expect(clock.now()).toBe(ahead + 10 * SECOND_MS);
    }
  });

  test('P-UP-7 sixty times the speed -> for an hour everything is made in the past of the machine, so that it has an age', async () => {
    const real = new SteppedClock(NOW);
    const clock = clusterClock({ real, store: new ObjectStore(), speed: 60 });
    await real.advanceTo(NOW + HOUR_MS);
    expect(clock.now()).toBe(real.now());
  });

  test('P-UP-7 a fast cluster that is started again -> it goes on behind its last lease, not before it', () => {
    const renewedAt = NOW - HOUR_MS;
    const clock = clusterClock({ real: new SteppedClock(NOW), store: storeWithLease(renewedAt), speed: 60 });
    expect(clock.now()).toBe(renewedAt + 10 * SECOND_MS);
  });

  test('P-UP-7 sixty times the speed -> a minute in a second; waits of clients stay real', async () => {
    const real = new SteppedClock(NOW);
    const clock = clusterClock({ real, store: new ObjectStore(), speed: 60 });
    const shown = showing(clock, real);
    const begin = clock.now();
    let woken = 0;
    shown.after(2 * SECOND_MS, () => woken++);
    await real.advanceTo(NOW + SECOND_MS);
    expect([clock.now() - begin, shown.now() - begin, woken]).toEqual([60 * SECOND_MS, 60 * SECOND_MS, 0]);
    await real.advanceTo(NOW + 2 * SECOND_MS);
    expect(woken).toBe(1);
  });

  test('P-UP-7 a disk that is busy -> the next instant of a fast cluster waits for it', async () => {
    const real = new SteppedClock(NOW);
    let written = (): void => undefined;
    const disk = new Promise<void>((resolve) => (written = resolve));
    let settling: Promise<void> | undefined;
    const clock = clusterClock({ real, store: new ObjectStore(), speed: 60, settling: () => settling });
    const begin = clock.now();
    const fired: string[] = [];
    clock.after(10 * SECOND_MS, () => {
      fired.push('write');
      settling = disk;
    });
    clock.after(20 * SECOND_MS, () => fired.push('deadline'));
    await real.advanceTo(NOW + SECOND_MS);
    expect([fired, clock.now() - begin]).toEqual([['write'], 10 * SECOND_MS]);
    settling = undefined;
    written();
    for (let turns = 0; turns < 10; turns++) await real.advanceTo(real.now() + 1);
    expect(fired).toEqual(['write', 'deadline']);
  });
});
