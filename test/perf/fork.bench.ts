// A fork of a store is a shared base and an empty overlay: its cost does not depend on what the store holds. The ceiling
// is a fork of an empty store; the figure beside it is a full copy of a Map of the same size.
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';

const OBJECTS = 100_000;
const FORKS = 2_000;
const ROUNDS = 5;
const resource = ConfigMaps as unknown as Resource<KubeObject>;

function filled(count: number): ObjectStore {
  const store = new ObjectStore();
  for (let index = 0; index < count; index++) {
    const key = `default/note-${index}`;
    const metadata = {
      name: `note-${index}`,
      namespace: 'default',
      uid: key,
      resourceVersion: '',
      creationTimestamp: '',
    };
    store.put(resource, key, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
  return store;
}

function forks(store: ObjectStore): number {
  const startedAt = performance.now();
  for (let index = 0; index < FORKS; index++) store.fork();
  return (performance.now() - startedAt) / FORKS;
}

const [empty, full] = [filled(0), filled(OBJECTS)];
let [bare, large] = [Infinity, Infinity];
for (let round = 0; round < ROUNDS; round++) {
  bare = Math.min(bare, forks(empty));
  large = Math.min(large, forks(full));
}
const map = new Map(Array.from({ length: OBJECTS }, (_, index) => [`default/note-${index}`, index]));
const startedAt = performance.now();
const copy = new Map(map);
const copied = performance.now() - startedAt;
const micros = (ms: number): string => `${(ms * 1000).toFixed(2)} us`;
reportRatio({
  name: 'fork-100000',
  ratio: large / bare,
  measured: `${micros(large)} a fork of ${OBJECTS} objects`,
  against: `${micros(bare)} of none; a copied Map of ${copy.size} takes ${micros(copied)}`,
});
