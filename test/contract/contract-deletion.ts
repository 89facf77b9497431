import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { type Using, Watched, claim, inNamespace, makeConfigMap, pod, refused } from './contract-subject.ts';

const NODE = 'nobody-runs-here';

export function deletionContract(using: Using): void {
  describe('delete', () => {
    it(
      'nothing holds the object -> gone; kinds that answer it answer its last state',
      using(async (subject) => {
        await makeConfigMap(subject, 'a');
        expect(await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'a'))).toBeUndefined();
        await refused(subject.cluster.get(ConfigMaps, inNamespace(subject, 'a')), 'NotFound');
        const made = await subject.cluster.create(Pods, pod(subject, 'p'));
        const deleted = await subject.cluster.delete(Pods, inNamespace(subject, 'p'));
        expect(deleted?.metadata.uid).toBe(made.metadata.uid);
        await refused(subject.cluster.get(Pods, inNamespace(subject, 'p')), 'NotFound');
      }),
    );

    it(
      'object that is not there -> NotFound',
      using(async (subject) => {
        await refused(subject.cluster.delete(ConfigMaps, inNamespace(subject, 'none')), 'NotFound');
      }),
    );

    it(
      'P-API-4 finalizers -> marked, no new ones, gone with the last',
      using(async (subject) => {
        const key = inNamespace(subject, 'a');
        const made = await makeConfigMap(subject, 'a', { finalizers: ['example.com/one', 'example.com/two'] });
        const marked = await subject.cluster.delete(ConfigMaps, key);
        expect(marked?.metadata).toMatchObject({ uid: made.metadata.uid, deletionGracePeriodSeconds: 0 });
        expect(marked?.metadata.deletionTimestamp).toBeDefined();
        expect(await subject.cluster.delete(ConfigMaps, key)).toEqual(marked);
        const withFinalizers = (finalizers: readonly string[]): object => ({ metadata: { finalizers } });
        const more = ['example.com/one', 'example.com/two', 'example.com/more'];
        await refused(subject.cluster.patch(ConfigMaps, key, { type: 'merge', body: withFinalizers(more) }), 'Invalid');
        await subject.cluster.patch(ConfigMaps, key, { type: 'merge', body: withFinalizers(['example.com/two']) });
        expect((await subject.cluster.get(ConfigMaps, key)).metadata.finalizers).toEqual(['example.com/two']);
        await subject.cluster.patch(ConfigMaps, key, { type: 'merge', body: withFinalizers([]) });
        await refused(subject.cluster.get(ConfigMaps, key), 'NotFound');
      }),
    );

    it(
      'protection finalizer -> put on a new claim by admission',
      using(async (subject) => {
        const made = await subject.cluster.create(PersistentVolumeClaims, claim(subject, 'c'));
        expect(made.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
      }),
    );

    it(
      'P-API-4 scheduled pod -> waits for its grace; a shorter one shortens it, 0 ends it',
      using(async (subject) => {
        const key = inNamespace(subject, 'p');
        await subject.cluster.create(Pods, pod(subject, 'p', { nodeName: NODE }));
        const graceOf = async (gracePeriodSeconds?: number): Promise<number | undefined> => {
          const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
          return (await subject.cluster.delete(Pods, key, options))?.metadata.deletionGracePeriodSeconds;
        };
        expect([await graceOf(), await graceOf(20), await graceOf(25), await graceOf()]).toEqual([30, 20, 20, 20]);
        expect((await subject.cluster.get(Pods, key)).metadata.generation).toBe(2);
        expect(await graceOf(0)).toBe(0);
        await refused(subject.cluster.get(Pods, key), 'NotFound');
      }),
    );

    it(
      'preconditions that do not hold -> Conflict, nothing happens',
      using(async (subject) => {
        const key = inNamespace(subject, 'a');
        const { metadata } = await makeConfigMap(subject, 'a');
        const uid = '11111111-2222-3333-4444-555555555555';
        const byUid = await refused(subject.cluster.delete(ConfigMaps, key, { preconditions: { uid } }), 'Conflict');
        expect(byUid.message).toContain(
          'the UID in the precondition (11111111-2222-3333-4444-555555555555) does not match the UID in record',
        );
        await refused(subject.cluster.delete(ConfigMaps, key, { preconditions: { resourceVersion: '1' } }), 'Conflict');
        await subject.cluster.delete(ConfigMaps, key, {
          preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
        });
        await refused(subject.cluster.get(ConfigMaps, key), 'NotFound');
      }),
    );

    it(
      'P-API-10 dry run -> answered, still there',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a');
        await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'a'), { dryRun: true });
        expect(await subject.cluster.get(ConfigMaps, inNamespace(subject, 'a'))).toEqual(made);
      }),
    );

    it(
      'foreground -> waits for the garbage collector; background -> gone',
      using(async (subject) => {
        await makeConfigMap(subject, 'a');
        const key = inNamespace(subject, 'a');
        const waiting = await subject.cluster.delete(ConfigMaps, key, { propagationPolicy: 'Foreground' });
        expect(waiting?.metadata.finalizers).toEqual(['foregroundDeletion']);
        await subject.cluster.delete(ConfigMaps, key, { propagationPolicy: 'Background' });
        await refused(subject.cluster.get(ConfigMaps, key), 'NotFound');
      }),
    );

    it(
      'name made again -> another uid',
      using(async (subject) => {
        const first = await makeConfigMap(subject, 'a');
        await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'a'));
        const second = await makeConfigMap(subject, 'a');
        expect(second.metadata.uid).not.toBe(first.metadata.uid);
      }),
    );

    it(
      'watcher -> sees the last state under the revision of the deletion',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a', { data: { k: '1' } });
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          resourceVersion: made.metadata.resourceVersion,
        });
        await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'a'));
        await subject.until(() => watched.events.length > 0);
        const [event] = watched.events;
        expect(event).toMatchObject({ type: 'DELETED', object: { data: { k: '1' } } });
        const version = event?.type === 'DELETED' ? Number(event.object.metadata.resourceVersion) : 0;
        expect(version).toBeGreaterThan(Number(made.metadata.resourceVersion));
        watched.dispose();
      }),
    );
  });

  it(
    'deleteCollection by label -> only those go',
    using(async (subject) => {
      for (const [name, x] of [
        ['a', '1'],
        ['b', '2'],
        ['c', '1'],
      ] as const)
        await makeConfigMap(subject, name, { labels: { x } });
      await subject.cluster.deleteCollection(ConfigMaps, { namespace: subject.namespace, labelSelector: 'x=1' });
      const left = await subject.cluster.list(ConfigMaps, { namespace: subject.namespace, labelSelector: 'x' });
      expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    }),
  );
}
