import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { ObjectStore } from './object-store.ts';

const name = fc.integer({ min: 0, max: 60 }).map((n) => `o${n}`);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), name, value: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function play(store: ObjectStore, each: Step): void {
  if (each.do === 'put') {
    const metadata = { name: each.name, uid: each.name, resourceVersion: '', creationTimestamp: '' };
    store.put(ConfigMaps, each.name, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      value: each.value,
    } as KubeObject);
  } else if (store.get(ConfigMaps, each.name) !== undefined) {
    store.remove(ConfigMaps, each.name);
  }
}

describe('ObjectStore', () => {
  it('P-API-8 a fork and its origin written to in any order -> neither sees the other', () => {
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.tuple(fc.boolean(), step)), (common, later) => {
        const [left, right, leftAlone, rightAlone] = [
          new ObjectStore(),
          new ObjectStore(),
          new ObjectStore(),
          new ObjectStore(),
        ];
        for (const each of common) for (const store of [left, leftAlone, rightAlone]) play(store, each);
        const fork = left.fork();
        expect(fork.revision).toBe(left.revision);
        for (const [onFork, each] of later) {
          play(onFork ? fork : left, each);
          play(onFork ? rightAlone : leftAlone, each);
        }
        expect(right.revision).toBe(0);
        for (const [store, alone] of [
          [left, leftAlone],
          [fork, rightAlone],
        ] as const) {
          expect(store.all(ConfigMaps)).toEqual(alone.all(ConfigMaps));
          expect(store.revision).toBe(alone.revision);
        }
      }),
    );
  });

  it('P-API-7 any history -> the state at an old revision is what a list at that moment was', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const store = new ObjectStore();
        const states = new Map<number, readonly KubeObject[]>([[0, []]]);
        for (const each of steps) {
          play(store, each);
          states.set(store.revision, store.all(ConfigMaps));
        }
        for (const [revision, state] of states) {
          const seen: KubeObject[] = [];
          store.at(ConfigMaps, revision)?.visit({ from: '' }, (object) => seen.push(object) > 0);
          expect(seen).toEqual(state);
        }
      }),
    );
  });

  it('P-API-5 any history -> the state at a revision plus the changes since is the newest state', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.nat(80), (steps, from) => {
        const store = new ObjectStore();
        for (const each of steps) play(store, each);
        const objects = new Map<string, KubeObject>();
        store.at(ConfigMaps, from)?.visit({ from: '' }, (object) => objects.set(object.metadata.name, object).size > 0);
        for (const { key, after } of store.changesSince(ConfigMaps, from) ?? []) {
          if (after === undefined) objects.delete(key);
          else objects.set(key, after);
        }
        expect([...objects.keys()].toSorted()).toEqual(store.all(ConfigMaps).map(({ metadata }) => metadata.name));
      }),
    );
  });
});
