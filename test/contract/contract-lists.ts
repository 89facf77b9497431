import { describe, expect, it } from 'vitest';
import type { ListOptions } from '../../src/kube/cluster.ts';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { type ContractSubject, type Using, inNamespace, makeConfigMap, pod, refused } from './contract-subject.ts';

/** Labelled, because every namespace of a real cluster has a config map of its own. */
const MINE = 'set=mine';

async function makeSome(subject: ContractSubject, names: readonly string[]): Promise<void> {
  for (const name of names) await makeConfigMap(subject, name, { labels: { set: 'mine', name } });
}

export function listsContract(using: Using): void {
  describe('list', () => {
    const namesOf = async ({ cluster, namespace }: ContractSubject, options: ListOptions): Promise<readonly string[]> =>
      (await cluster.list(ConfigMaps, { namespace, ...options })).items.map(({ metadata }) => metadata.name);

    it(
      'made in any order -> in key order, under the revision of the newest write',
      using(async (subject) => {
        await makeSome(subject, ['b', 'c', 'a']);
        const newest = await subject.cluster.get(ConfigMaps, inNamespace(subject, 'a'));
        const list = await subject.cluster.list(ConfigMaps, { namespace: subject.namespace, labelSelector: MINE });
        expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
        expect(Number(list.resourceVersion)).toBeGreaterThanOrEqual(Number(newest.metadata.resourceVersion));
        expect(list.items).toContainEqual(newest);
      }),
    );

    it(
      'label selectors -> =, !=, in, notin, exists, not exists, and all of them together',
      using(async (subject) => {
        await makeSome(subject, ['a', 'b']);
        await makeConfigMap(subject, 'c', { labels: { set: 'mine', other: 'x' } });
        const rows: readonly (readonly [string, readonly string[]])[] = [
          ['name=a', ['a']],
          ['name!=a', ['b', 'c']],
          ['name in (a,b)', ['a', 'b']],
          ['name notin (a)', ['b', 'c']],
          ['name', ['a', 'b']],
          ['!name', ['c']],
          ['other=x,!name', ['c']],
        ];
        for (const [selector, names] of rows) {
          expect(await namesOf(subject, { labelSelector: `${MINE},${selector}` }), selector).toEqual(names);
        }
      }),
    );

    it(
      'field selectors -> name and namespace for all kinds, more for pods, BadRequest for the rest',
      using(async (subject) => {
        await makeSome(subject, ['a', 'b']);
        expect(await namesOf(subject, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
        const { items } = await subject.cluster.list(ConfigMaps, {
          fieldSelector: `metadata.namespace=${subject.namespace},metadata.name=a`,
        });
        expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
        await subject.cluster.create(Pods, pod(subject, 'bound', { nodeName: 'nobody-runs-here' }));
        await subject.cluster.create(Pods, pod(subject, 'loose'));
        const pods = await subject.cluster.list(Pods, {
          namespace: subject.namespace,
          fieldSelector: 'spec.nodeName=nobody-runs-here',
        });
        expect(pods.items.map(({ metadata }) => metadata.name)).toEqual(['bound']);
        await refused(
          subject.cluster.list(PersistentVolumeClaims, { fieldSelector: 'status.phase=Bound' }),
          'BadRequest',
        );
        await refused(subject.cluster.list(Pods, { fieldSelector: 'spec.image=x' }), 'BadRequest');
      }),
    );

    it(
      'P-API-7 pages -> one state in key order under one revision, whatever is written between',
      using(async (subject) => {
        await makeSome(subject, ['a', 'b', 'c', 'd', 'e']);
        const { namespace } = subject;
        const first = await subject.cluster.list(ConfigMaps, { namespace, labelSelector: MINE, limit: 3 });
        expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
        await subject.cluster.delete(ConfigMaps, inNamespace(subject, 'd'));
        await makeSome(subject, ['z']);
        expect(first.continue).toBeTypeOf('string');
        const second = await subject.cluster.list(ConfigMaps, {
          namespace,
          labelSelector: MINE,
          limit: 3,
          continue: first.continue ?? '',
        });
        expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['d', 'e']);
        expect([second.resourceVersion, second.continue ?? '']).toEqual([first.resourceVersion, '']);
      }),
    );

    it(
      'page without selector -> says how many are left',
      using(async (subject) => {
        await makeSome(subject, ['a', 'b', 'c']);
        const { namespace } = subject;
        const all = await subject.cluster.list(ConfigMaps, { namespace });
        const first = await subject.cluster.list(ConfigMaps, { namespace, limit: 1 });
        expect(first.remainingItemCount).toBe(all.items.length - 1);
      }),
    );

    it(
      'token that cannot be read -> BadRequest',
      using(async (subject) => {
        await refused(
          subject.cluster.list(ConfigMaps, { namespace: subject.namespace, limit: 1, continue: 'garbage' }),
          'BadRequest',
        );
      }),
    );

    it(
      'P-API-7 resourceVersion -> exactly that state, or not older than it, or refused',
      using(async (subject) => {
        const { namespace } = subject;
        const old = await makeConfigMap(subject, 'a', { data: { k: '1' }, labels: { set: 'mine' } });
        await subject.cluster.patch(ConfigMaps, inNamespace(subject, 'a'), {
          type: 'merge',
          body: { data: { k: '2' } },
        });
        const at = async (options: ListOptions): Promise<unknown> =>
          (await subject.cluster.list(ConfigMaps, { namespace, labelSelector: MINE, ...options })).items[0]?.data;
        const { resourceVersion } = old.metadata;
        expect(await at({ resourceVersion, resourceVersionMatch: 'Exact' })).toEqual({ k: '1' });
        expect(await at({ resourceVersion, resourceVersionMatch: 'NotOlderThan' })).toEqual({ k: '2' });
        await refused(at({ resourceVersionMatch: 'Exact' }), 'Invalid');
        const error = await refused(at({ resourceVersion: '999999999999' }), 'Timeout');
        expect(error.details?.causes?.map(({ reason }) => reason)).toEqual(['ResourceVersionTooLarge']);
      }),
    );
  });
}
