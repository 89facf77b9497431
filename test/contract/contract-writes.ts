import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../../src/kube/object.ts';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { Leases } from '../../src/kube/resources/lease.ts';
import { Namespaces } from '../../src/kube/resources/namespace.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { type Using, Watched, claim, configMap, inNamespace, makeConfigMap, pod, refused } from './contract-subject.ts';

/** Creates, updates and patches. */
export function writesContract(using: Using): void {
  describe('create', () => {
    it(
      'draft -> the server fills uid, resourceVersion and creationTimestamp, and get answers the same',
      using(async (subject) => {
        const created = await makeConfigMap(subject, 'a', { data: { k: 'v' } });
        expect(created.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0);
        expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
        expect(await subject.cluster.get(ConfigMaps, inNamespace(subject, 'a'))).toEqual(created);
      }),
    );

    it(
      'name that is taken -> AlreadyExists',
      using(async (subject) => {
        await makeConfigMap(subject, 'a');
        const error = await refused(makeConfigMap(subject, 'a'), 'AlreadyExists');
        expect([error.code, error.message]).toEqual([409, 'configmaps "a" already exists']);
      }),
    );

    it(
      'generateName -> base and five characters, different each time',
      using(async (subject) => {
        const draft = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'gen-', namespace: subject.namespace },
        } as const;
        const names = [
          await subject.cluster.create(ConfigMaps, draft),
          await subject.cluster.create(ConfigMaps, draft),
        ].map(({ metadata }) => metadata.name);
        for (const name of names) expect(name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(names[0]).not.toBe(names[1]);
      }),
    );

    it(
      'bad name -> Invalid with the field in the causes',
      using(async (subject) => {
        const error = await refused(makeConfigMap(subject, 'Not_A_Name'), 'Invalid');
        expect(error.details?.causes?.map(({ field }) => field)).toEqual(['metadata.name']);
      }),
    );

    it(
      'namespace that is not there -> NotFound about the namespace',
      using(async (subject) => {
        const draft = { ...configMap(subject, 'a'), metadata: { name: 'a', namespace: `${subject.prefix}-nowhere` } };
        const error = await refused(subject.cluster.create(ConfigMaps, draft), 'NotFound');
        expect(error.details?.kind).toBe('namespaces');
      }),
    );

    it(
      'status in the draft of a kind with a status path -> dropped',
      using(async (subject) => {
        const created = await subject.cluster.create(PersistentVolumeClaims, {
          ...claim(subject, 'a'),
          status: { phase: 'Bound' },
        });
        expect(created.status.phase).toBe('Pending');
      }),
    );

    it(
      'P-API-10 dry run -> answered with a uid and no resourceVersion, nothing stored, nobody told',
      using(async (subject) => {
        const before = await subject.cluster.list(ConfigMaps, { namespace: subject.namespace });
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          resourceVersion: before.resourceVersion,
        });
        const made = await subject.cluster.create(ConfigMaps, configMap(subject, 'a'), { dryRun: true });
        expect([made.metadata.name, made.metadata.uid.length, made.metadata.resourceVersion]).toEqual([
          'a',
          36,
          undefined,
        ]);
        await refused(subject.cluster.get(ConfigMaps, inNamespace(subject, 'a')), 'NotFound');
        await makeConfigMap(subject, 'b');
        await subject.until(() => watched.events.length > 0);
        expect(watched.told).toEqual(['ADDED b']);
        watched.dispose();
      }),
    );

    it(
      'unknown field, Strict -> BadRequest naming it; otherwise stored without it',
      using(async (subject) => {
        const draft = { ...configMap(subject, 'a'), dat: { k: 'v' } };
        const error = await refused(
          subject.cluster.create(ConfigMaps, draft, { fieldValidation: 'Strict' }),
          'BadRequest',
        );
        expect(error.message).toContain('strict decoding error: unknown field "dat"');
        expect(await subject.cluster.create(ConfigMaps, draft)).not.toHaveProperty('dat');
      }),
    );
  });

  describe('update', () => {
    it(
      'P-API-3 stale resourceVersion -> Conflict, and the object stays',
      using(async (subject) => {
        const first = await makeConfigMap(subject, 'a', { data: { k: '1' } });
        const second = await subject.cluster.update(ConfigMaps, { ...first, data: { k: '2' } });
        expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
        const error = await refused(subject.cluster.update(ConfigMaps, { ...first, data: { k: '3' } }), 'Conflict');
        expect(error.message).toBe(
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        );
        expect(await subject.cluster.get(ConfigMaps, inNamespace(subject, 'a'))).toEqual(second);
      }),
    );

    it(
      'no resourceVersion -> unconditional, except for kinds that demand one',
      using(async (subject) => {
        const { metadata } = await makeConfigMap(subject, 'a', { data: { k: '1' } });
        const loose = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...metadata, resourceVersion: '' },
          data: { k: '2' },
        } as const;
        expect(await subject.cluster.update(ConfigMaps, loose)).toMatchObject({ data: { k: '2' } });
        const lease = await subject.cluster.create(Leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'l', namespace: subject.namespace },
          spec: {},
        });
        const error = await refused(
          subject.cluster.update(Leases, { ...lease, metadata: { ...lease.metadata, resourceVersion: '' } }),
          'Invalid',
        );
        expect(error.details?.kind).toBe('leases');
      }),
    );

    it(
      'another uid -> Conflict',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a');
        const other = {
          ...made,
          metadata: { ...made.metadata, uid: '11111111-2222-3333-4444-555555555555', resourceVersion: '' },
        };
        const error = await refused(subject.cluster.update(ConfigMaps, other), 'Conflict');
        expect(error.message).toContain('Precondition failed: UID in precondition: 11111111');
      }),
    );

    it(
      'P-API-2 nothing changes -> the same resourceVersion and no event',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a', { data: { k: '1' } });
        const watched = new Watched(subject, ConfigMaps, {
          namespace: subject.namespace,
          resourceVersion: made.metadata.resourceVersion,
        });
        expect(await subject.cluster.update(ConfigMaps, made)).toEqual(made);
        expect(
          await subject.cluster.patch(ConfigMaps, inNamespace(subject, 'a'), {
            type: 'merge',
            body: { data: { k: '1' } },
          }),
        ).toEqual(made);
        await makeConfigMap(subject, 'b');
        await subject.until(() => watched.events.length > 0);
        expect(watched.told).toEqual(['ADDED b']);
        watched.dispose();
      }),
    );

    it(
      'object that is not there -> NotFound; a lease is created',
      using(async (subject) => {
        // What a client that never read the object would send.
        const metadata = { name: 'l', namespace: subject.namespace } as ObjectMeta;
        await refused(
          subject.cluster.update(ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }),
          'NotFound',
        );
        const lease = await subject.cluster.update(Leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata,
          spec: {},
        });
        expect(lease.metadata.uid).not.toBe('');
      }),
    );

    it(
      'P-API-11 main path and status path -> each ignores the other half',
      using(async (subject) => {
        const made = await subject.cluster.create(PersistentVolumeClaims, claim(subject, 'a'));
        const bound = await subject.cluster.update(
          PersistentVolumeClaims,
          { ...made, spec: { ...made.spec, volumeName: 'v' }, status: { phase: 'Bound' } },
          { subresource: 'status' },
        );
        expect([bound.status.phase, bound.spec.volumeName]).toEqual(['Bound', undefined]);
        const labelled = { ...bound, metadata: { ...bound.metadata, labels: { x: 'y' } }, status: { phase: 'Lost' } };
        const changed = await subject.cluster.update(PersistentVolumeClaims, labelled);
        expect([changed.status.phase, changed.metadata.labels]).toEqual(['Bound', { x: 'y' }]);
      }),
    );

    it(
      'P-API-13 spec change -> generation rises; labels and status leave it',
      using(async (subject) => {
        const key = inNamespace(subject, 'p');
        const made = await subject.cluster.create(Pods, pod(subject, 'p'));
        const labelled = await subject.cluster.patch(Pods, key, {
          type: 'merge',
          body: { metadata: { labels: { x: 'y' } } },
        });
        const running = await subject.cluster.patch(
          Pods,
          key,
          { type: 'merge', body: { status: { phase: 'Running' } } },
          { subresource: 'status' },
        );
        const body = { spec: { activeDeadlineSeconds: 500 } };
        const changed = await subject.cluster.patch(Pods, key, { type: 'merge', body });
        expect([made, labelled, running, changed].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 1, 2]);
      }),
    );
  });

  describe('patch', () => {
    it(
      'merge patch -> null deletes, the rest is merged',
      using(async (subject) => {
        await makeConfigMap(subject, 'a', { data: { k: '1', l: '2' } });
        const patched = await subject.cluster.patch(ConfigMaps, inNamespace(subject, 'a'), {
          type: 'merge',
          body: { data: { k: null, m: '3' } },
        });
        expect(patched.data).toEqual({ l: '2', m: '3' });
      }),
    );

    it(
      'JSON patch -> operations in order; one that fails stores nothing',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a', { data: { k: '1' } });
        const key = inNamespace(subject, 'a');
        const add = { op: 'add', path: '/data/l', value: '2' } as const;
        await refused(
          subject.cluster.patch(ConfigMaps, key, {
            type: 'json',
            ops: [add, { op: 'test', path: '/data/k', value: 'other' }],
          }),
          'Invalid',
        );
        expect(await subject.cluster.get(ConfigMaps, key)).toEqual(made);
        const patched = await subject.cluster.patch(ConfigMaps, key, {
          type: 'json',
          ops: [add, { op: 'remove', path: '/data/k' }],
        });
        expect(patched.data).toEqual({ l: '2' });
      }),
    );

    it(
      'strategic patch -> list members merge by their key',
      using(async (subject) => {
        await subject.cluster.create(Pods, pod(subject, 'p'));
        const condition = (type: string, status: string): object => ({ status: { conditions: [{ type, status }] } });
        for (const [type, status] of [
          ['Ready', 'False'],
          ['Other', 'True'],
          ['Ready', 'True'],
        ] as const) {
          await subject.cluster.patch(
            Pods,
            inNamespace(subject, 'p'),
            { type: 'strategic', body: condition(type, status) },
            { subresource: 'status' },
          );
        }
        const { status } = await subject.cluster.get(Pods, inNamespace(subject, 'p'));
        const ready = status.conditions?.filter(({ type }) => type === 'Ready').map((each) => each.status);
        expect([ready, status.conditions?.length]).toEqual([['True'], 2]);
      }),
    );

    it(
      'resourceVersion in the patch -> checked',
      using(async (subject) => {
        const made = await makeConfigMap(subject, 'a');
        const key = inNamespace(subject, 'a');
        const withVersion = (resourceVersion: string): object => ({ metadata: { resourceVersion }, data: { k: '1' } });
        await refused(subject.cluster.patch(ConfigMaps, key, { type: 'merge', body: withVersion('1') }), 'Conflict');
        const patched = await subject.cluster.patch(ConfigMaps, key, {
          type: 'merge',
          body: withVersion(made.metadata.resourceVersion),
        });
        expect(patched.data).toEqual({ k: '1' });
      }),
    );

    it(
      'object that is not there -> NotFound',
      using(async (subject) => {
        await refused(
          subject.cluster.patch(ConfigMaps, inNamespace(subject, 'none'), { type: 'merge', body: {} }),
          'NotFound',
        );
      }),
    );
  });

  it(
    'namespace -> Active with a finalizer; deleted: Terminating, refuses creations, gone when finalized',
    using(async (subject) => {
      const name = `${subject.prefix}-life`;
      const made = await subject.cluster.create(Namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      expect([made.status.phase, made.spec.finalizers]).toEqual(['Active', ['kubernetes']]);
      await subject.cluster.delete(Namespaces, name);
      const going = await subject.cluster.get(Namespaces, name);
      expect(going.status.phase).toBe('Terminating');
      const draft = { ...configMap(subject, 'late'), metadata: { name: 'late', namespace: name } };
      const error = await refused(subject.cluster.create(ConfigMaps, draft), 'Forbidden');
      expect(error.details?.causes?.map(({ reason }) => reason)).toEqual(['NamespaceTerminating']);
      await subject.cluster.update(Namespaces, { ...going, spec: { finalizers: [] } }, { subresource: 'finalize' });
      await refused(subject.cluster.get(Namespaces, name), 'NotFound');
    }),
  );
}
