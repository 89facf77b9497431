import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import type { Change } from './change-history.ts';
import { ObjectStore } from './object-store.ts';

const configMap = (name: string, data: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' },
    data,
  }) as KubeObject;
const put = (store: ObjectStore, name: string, data?: Record<string, string>): KubeObject =>
  store.put(ConfigMaps, `ns/${name}`, configMap(name, data)).after;
const names = (objects: readonly KubeObject[] | undefined): readonly string[] | undefined =>
  objects?.map(({ metadata }) => metadata.name);

describe('ObjectStore', () => {
  it('P-API-1 writes of two kinds -> one counter, stamped on the object and told to the listeners of its kind', () => {
    const store = new ObjectStore();
    const told: Change[] = [];
    store.subscribe(ConfigMaps, (change) => told.push(change));
    const first = put(store, 'a');
    store.put(Secrets, 'ns/s', configMap('s'));
    const second = put(store, 'a', { k: '1' });
    expect([first.metadata.resourceVersion, second.metadata.resourceVersion, store.revision]).toEqual(['1', '3', 3]);
    expect(told).toEqual([
      { revision: 1, resource: ConfigMaps, key: 'ns/a', before: undefined, after: first },
      { revision: 3, resource: ConfigMaps, key: 'ns/a', before: first, after: second },
    ]);
  });

  it('P-API-9 stored object -> frozen to the bottom, and every reader gets the same one', () => {
    const store = new ObjectStore();
    const stored = put(store, 'a', { k: '1' });
    expect(Object.isFrozen((stored as KubeObject & { readonly data: object }).data)).toBe(true);
    expect(store.get(ConfigMaps, 'ns/a')).toBe(stored);
    expect(store.all(ConfigMaps)[0]).toBe(stored);
  });

  it('objects of several namespaces -> in key order, and a namespace alone without its neighbours', () => {
    const store = new ObjectStore();
    for (const namespace of ['a', 'a-b', 'a0']) {
      const object = configMap('x');
      store.put(ConfigMaps, `${namespace}/x`, { ...object, metadata: { ...object.metadata, namespace } });
    }
    expect(store.all(ConfigMaps).map(({ metadata }) => metadata.namespace)).toEqual(['a-b', 'a', 'a0']);
    expect(store.all(ConfigMaps, 'a').map(({ metadata }) => metadata.namespace)).toEqual(['a']);
  });

  it('listener that leaves while it is told -> the others are still told', () => {
    const store = new ObjectStore();
    const told: string[] = [];
    const first = store.subscribe(ConfigMaps, () => {
      told.push('first');
      first.dispose();
    });
    store.subscribe(ConfigMaps, () => told.push('second'));
    put(store, 'a');
    put(store, 'b');
    expect(told).toEqual(['first', 'second', 'second']);
  });

  it('P-API-7 more changes than are remembered -> old revisions are no longer answered, newer ones are', () => {
    const store = new ObjectStore({ historyCapacity: 2 });
    for (let count = 1; count <= 5; count++) put(store, `o${count}`);
    expect(store.changesSince(ConfigMaps, 2)).toBeUndefined();
    expect(store.at(ConfigMaps, 2)).toBeUndefined();
    expect(store.changesSince(ConfigMaps, 3)?.map(({ revision }) => revision)).toEqual([4, 5]);
    const seen: string[] = [];
    store.at(ConfigMaps, 4)?.visit({ from: '' }, ({ metadata }) => seen.push(metadata.name) > 0);
    expect(seen).toEqual(['o1', 'o2', 'o3', 'o4']);
  });

  it('P-API-20 changes that weigh more than is allowed -> the oldest are forgotten, the newest never', () => {
    const store = new ObjectStore({ historyBytesMax: 10_000 });
    const large = (name: string, size: number): KubeObject => put(store, name, { text: 'x'.repeat(size) });
    for (let count = 1; count <= 30; count++) large(`o${count}`, 1000);
    const floor = store.historyFloor(ConfigMaps);
    expect(floor).toBeGreaterThan(18);
    expect(floor).toBeLessThan(26);
    expect(store.changesSince(ConfigMaps, floor)?.length).toBe(30 - floor);
    expect(store.changesSince(ConfigMaps, floor - 1)).toBeUndefined();
    large('huge', 1_000_000);
    expect(store.changesSince(ConfigMaps, 30)?.map(({ revision }) => revision)).toEqual([31]);
    expect(store.historyFloor(ConfigMaps)).toBe(30);
  });

  it('P-API-20 compacted -> nothing older is answered; a kind that did not change stays known', () => {
    const store = new ObjectStore();
    for (let count = 1; count <= 5; count++) put(store, `o${count}`);
    store.at(ConfigMaps, 2);
    store.compact(3);
    expect(store.changesSince(ConfigMaps, 2)).toBeUndefined();
    expect(store.at(ConfigMaps, 2)).toBeUndefined();
    expect(store.changesSince(ConfigMaps, 3)?.map(({ revision }) => revision)).toEqual([4, 5]);
    store.compact(5);
    expect(store.changesSince(ConfigMaps, 5)).toEqual([]);
    expect(store.changesSince(Secrets, 1)).toEqual([]);
  });

  it('loaded store -> goes on from the saved revision and knows nothing before it', () => {
    const saved = new ObjectStore();
    put(saved, 'a');
    put(saved, 'b');
    const store = new ObjectStore();
    store.load({
      revision: saved.revision,
      objects: saved.all(ConfigMaps).map((object) => [ConfigMaps, object] as const),
    });
    expect(names(store.all(ConfigMaps))).toEqual(['a', 'b']);
    expect(store.changesSince(ConfigMaps, 1)).toBeUndefined();
    expect(put(store, 'c').metadata.resourceVersion).toBe('3');
  });
});
