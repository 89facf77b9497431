import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WatchEvent, WatchOptions } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { listObjects } from './generic-list.ts';
import { genericStrategy } from './generic-strategy.ts';
import { WatchHub } from './generic-watch.ts';

const strategy = genericStrategy(ConfigMaps, {
  fieldSelectors: { color: (object) => object.metadata.labels?.['color'] ?? '' },
});

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('x', 'y'),
  color: fc.constantFrom('red', 'blue', undefined),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Without a color the object is removed. */
function play(store: ObjectStore, { name, namespace, color }: Step): void {
  const key = `${namespace}/${name}`;
  if (color !== undefined) {
    const metadata = { name, namespace, uid: key, resourceVersion: '', creationTimestamp: '', labels: { color } };
    store.put(ConfigMaps, key, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  } else if (store.get(ConfigMaps, key) !== undefined) {
    store.remove(ConfigMaps, key);
  }
}

const SELECTIONS: readonly WatchOptions[] = [
  {},
  { namespace: 'x' },
  { labelSelector: 'color=red' },
  { labelSelector: 'color!=red', namespace: 'y' },
  { fieldSelector: 'color=blue' },
  { fieldSelector: 'metadata.name=a' },
  { fieldSelector: 'metadata.name=b,color!=red', namespace: 'x' },
];

/** What a client that believes every event holds at the end. */
function believe(held: Map<string, KubeObject>, event: WatchEvent<KubeObject>): void {
  if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') return;
  const key = `${event.object.metadata.namespace}/${event.object.metadata.name}`;
  expect(held.has(key)).toBe(event.type !== 'ADDED');
  if (event.type === 'DELETED') held.delete(key);
  else held.set(key, event.object);
}

describe('WatchHub', () => {
  it('P-API-5 P-API-6 any changes, any selection, from any revision -> the events make the list, in rising revisions', () => {
    fc.assert(
      fc.property(
        fc.array(step),
        fc.array(step),
        fc.constantFrom(...SELECTIONS),
        fc.nat(30),
        (before, after, options, from) => {
          const store = new ObjectStore();
          const hub = new WatchHub(store, strategy);
          for (const each of before) play(store, each);
          const start = Math.min(from, store.revision);
          const held = new Map<string, KubeObject>();
          if (start > 0) {
            const { items } = listObjects(store, strategy, {
              ...options,
              resourceVersion: String(start),
              resourceVersionMatch: 'Exact',
            });
            for (const object of items) held.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
          }
          let last = 0;
          const event = (each: WatchEvent<KubeObject>): void => {
            believe(held, each);
            if (start === 0 || !('object' in each)) return;
            expect(Number(each.object.metadata.resourceVersion)).toBeGreaterThan(Math.max(last, start));
            last = Number(each.object.metadata.resourceVersion);
          };
          hub.open({ ...options, resourceVersion: String(start) }, { event, closed: () => undefined });
          for (const each of after) play(store, each);
          const newest = listObjects(store, strategy, options).items;
          expect([...held.values()].toSorted(byVersion)).toEqual(newest.toSorted(byVersion));
        },
      ),
      { numRuns: 300 },
    );
  });
});

const byVersion = (left: KubeObject, right: KubeObject): number =>
  Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion);
