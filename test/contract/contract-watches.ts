import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { type Using, Watched, inNamespace, makeConfigMap, refused } from './contract-subject.ts';

export function watchesContract(using: Using): void {
  describe('watch', () => {
    it(
      'P-API-5 from a revision -> each later change once and in order, with the object of the write',
      using(async (subject) => {
        const first = await makeConfigMap(subject, 'a');
        const key = inNamespace(subject, 'a');
        const changed = await subject.cluster.patch(ConfigMaps, key, { type: 'merge', body: { data: { k: '1' } } });
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          resourceVersion: first.metadata.resourceVersion,
        });
        const other = await makeConfigMap(subject, 'b');
        await subject.cluster.delete(ConfigMaps, key);
        await subject.until(() => watched.events.length === 3);
        expect(watched.events.slice(0, 2)).toEqual([
          { type: 'MODIFIED', object: changed },
          { type: 'ADDED', object: other },
        ]);
        expect(watched.told[2]).toBe('DELETED a');
        watched.dispose();
      }),
    );

    it(
      'from nothing -> what is there as ADDED, then changes',
      using(async (subject) => {
        await makeConfigMap(subject, 'a', { labels: { set: 'mine' } });
        const watched = new Watched(subject, ConfigMaps, { namespace: subject.namespace, labelSelector: 'set=mine' });
        await subject.until(() => watched.events.length === 1);
        await makeConfigMap(subject, 'b', { labels: { set: 'mine' } });
        await subject.until(() => watched.events.length === 2);
        expect(watched.told).toEqual(['ADDED a', 'ADDED b']);
        watched.dispose();
      }),
    );

    it(
      'initial events asked for -> all of them, the closing bookmark, then changes',
      using(async (subject) => {
        for (const name of ['b', 'a']) await makeConfigMap(subject, name, { labels: { set: 'mine' } });
        const options = {
          namespace: subject.namespace,
          labelSelector: 'set=mine',
          sendInitialEvents: true,
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: true,
        } as const;
        const watched = new Watched(subject, ConfigMaps, options);
        await subject.until(() => watched.told.includes('BOOKMARK'));
        await makeConfigMap(subject, 'c', { labels: { set: 'mine' } });
        await subject.until(() => watched.told.includes('ADDED c'));
        expect(watched.told).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK', 'ADDED c']);
        expect(watched.events[2]).toMatchObject({ initialEventsEnd: true });
        watched.dispose();
      }),
    );

    it(
      'initial events without NotOlderThan -> refused as Invalid',
      using(async (subject) => {
        const watched = new Watched(subject, ConfigMaps, { namespace: subject.namespace, sendInitialEvents: true });
        await subject.until(() => watched.ends.length === 1);
        expect(watched.failure?.reason).toBe('Invalid');
      }),
    );

    it(
      'P-API-6 change across the selector -> DELETED as it was, ADDED as it is, silence outside',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a', { labels: { on: 'yes' } });
        const key = inNamespace(subject, 'a');
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          labelSelector: 'on=yes',
          resourceVersion: made.metadata.resourceVersion,
        });
        const patch = (body: object): Promise<unknown> =>
          subject.cluster.patch(ConfigMaps, key, { type: 'merge', body });
        await patch({ metadata: { labels: { on: 'no' } } });
        await patch({ data: { unseen: '1' } });
        await patch({ metadata: { labels: { on: 'yes' } } });
        await patch({ data: { seen: '1' } });
        await subject.until(() => watched.events.length === 3);
        expect(watched.told).toEqual(['DELETED a', 'ADDED a', 'MODIFIED a']);
        expect(watched.events[0]).toMatchObject({ object: { metadata: { labels: { on: 'yes' } } } });
        watched.dispose();
      }),
    );

    it(
      'one object by name -> only its events',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a');
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          fieldSelector: 'metadata.name=b',
          resourceVersion: made.metadata.resourceVersion,
        });
        await makeConfigMap(subject, 'b');
        await makeConfigMap(subject, 'c');
        await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'b'));
        await subject.until(() => watched.events.length === 2);
        expect(watched.told).toEqual(['ADDED b', 'DELETED b']);
        watched.dispose();
      }),
    );

    it(
      'timeoutSeconds -> ends by itself and cleanly',
      using(async (subject) => {
        const watched = new Watched(subject, ConfigMaps, { namespace: subject.namespace, timeoutSeconds: 2 });
        await subject.settle();
        expect(watched.ends).toEqual([]);
        await subject.advance(3000);
        await subject.until(() => watched.ends.length === 1);
        expect(watched.ends).toEqual([undefined]);
      }),
    );

    it(
      'P-API-16 disposed -> nothing more arrives',
      using(async (subject) => {
        const watched = new Watched(subject, ConfigMaps, { namespace: subject.namespace, labelSelector: 'set=mine' });
        await subject.settle();
        watched.dispose();
        await makeConfigMap(subject, 'a', { labels: { set: 'mine' } });
        await subject.settle();
        expect([watched.events, watched.ends]).toEqual([[], []]);
      }),
    );

    it(
      'bad selector -> BadRequest',
      using(async (subject) => {
        await refused(subject.cluster.list(ConfigMaps, { labelSelector: 'a in' }), 'BadRequest');
        const watched = new Watched(subject, ConfigMaps, { fieldSelector: 'data.k=x' });
        await subject.until(() => watched.ends.length === 1);
        expect(watched.failure?.reason).toBe('BadRequest');
      }),
    );
  });
}
