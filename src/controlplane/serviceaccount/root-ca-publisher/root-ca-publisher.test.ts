import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../../test/persistentvolume/storage-world.ts';
import { NAMESPACE_TERMINATING, refusing } from '../../../../test/serviceaccount/refusing.ts';
import { notFound, serviceUnavailable } from '../../../kube/api-error.ts';
import { type ConfigMap, ConfigMaps } from '../../../kube/resources/config-map.ts';
import { Namespaces } from '../../../kube/resources/namespace.ts';
import { decideRootCa, rootCaPublisher } from './root-ca-publisher.ts';

const CA = '-----BEGIN CERTIFICATE-----\nroot\n-----END CERTIFICATE-----\n';
const ANNOTATION = 'kubernetes.io/description';
const KEY = 'default/kube-root-ca.crt';

const stored = (data: ConfigMap['data'], annotations: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'kube-root-ca.crt',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
  },
  ...(data === undefined ? {} : { data }),
});
const WHOLE = { 'ca.crt': CA };
const OWN = { [ANNOTATION]: 'ours' };

async function world(): Promise<StorageWorld> {
  const started = new StorageWorld();
  started.start(rootCaPublisher({ rootCa: CA }));
  await started.wait(100);
  return started;
}

describe('what is to be done about the bundle of a namespace', () => {
  it.each([
    ['as it should be', stored(WHOLE, OWN), 'nothing'],
    ['absent', undefined, 'create'],
    ['another certificate', stored({ 'ca.crt': 'other' }, OWN), 'update'],
    ['more than the certificate', stored({ ...WHOLE, more: 'x' }, OWN), 'update'],
    ['no data', stored(undefined, OWN), 'update'],
    ['not described', stored(WHOLE), 'update'],
    ['described by nothing', stored(WHOLE, { [ANNOTATION]: '' }), 'update'],
  ])('P-RCA-1 %s -> decided so', (_situation, found, expected) => {
    expect(decideRootCa('shop', found, CA).type).toBe(expected);
  });

  it('P-RCA-2 put right -> data replaced, other annotations and the object itself kept', () => {
    const found = stored({ 'ca.crt': 'other', more: 'x' }, { team: 'a' });
    const decision = decideRootCa('shop', found, CA);
    expect(decision).toMatchObject({ type: 'update', object: { metadata: { uid: 'u', resourceVersion: '1' } } });
    if (decision.type !== 'update') return;
    expect(decision.object.data).toEqual(WHOLE);
    expect(Object.keys(decision.object.metadata.annotations ?? {})).toEqual(['team', ANNOTATION]);
  });
});

describe('the publisher of the root certificate', () => {
  it('P-RCA-1 the namespaces that are there and a new one -> each has the bundle, described', async () => {
    const run = await world();
    await run.user.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await run.wait(100);
    const { items } = await run.user.list(Namespaces);
    for (const { metadata } of items) {
      const { data, metadata: found } = await run.user.get(ConfigMaps, `${metadata.name}/kube-root-ca.crt`);
      expect(data).toEqual(WHOLE);
      expect(found.annotations?.[ANNOTATION]).toMatch(/^Contains a CA bundle/);
    }
  });

  it('P-RCA-2 deleted or changed -> published again', async () => {
    const run = await world();
    await run.user.delete(ConfigMaps, KEY);
    await run.wait(100);
    const again = await run.user.get(ConfigMaps, KEY);
    await run.user.update(ConfigMaps, { ...again, data: { 'ca.crt': 'forged' } });
    await run.wait(100);
    const { data, metadata } = await run.user.get(ConfigMaps, KEY);
    expect([data, metadata.uid]).toEqual([WHOLE, again.metadata.uid]);
  });

  it('P-RCA-2 other config maps -> never touched', async () => {
    const run = await world();
    const before = run.writesOf('root-ca-cert-publisher').length;
    const note = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace: 'default' } } as const;
    await run.user.create(ConfigMaps, note);
    await run.user.delete(ConfigMaps, 'default/note');
    await run.wait(1000);
    expect(run.writesOf('root-ca-cert-publisher')).toHaveLength(before);
  });

  it.each([
    ['goes', NAMESPACE_TERMINATING],
    ['is gone', notFound(Namespaces, 'shop')],
  ])('P-RCA-3 the namespace %s -> asked once, and not tried again', async (_situation, error) => {
    const run = new StorageWorld();
    let asked = 0;
    const refused = refusing(rootCaPublisher({ rootCa: CA }), () => {
      asked++;
      return error;
    });
    run.start(refused);
    const { items } = await run.user.list(Namespaces);
    await run.wait(60_000);
    expect([asked, run.logged]).toEqual([items.length, []]);
  });

  it('P-RCA-4 the server fails -> tried again after a wait', async () => {
    const run = new StorageWorld();
    let failures = 3;
    run.start(
      refusing(rootCaPublisher({ rootCa: CA }), () => (failures-- > 0 ? serviceUnavailable('down') : undefined)),
    );
    await run.wait(5000);
    expect([(await run.user.get(ConfigMaps, KEY)).data, failures]).toEqual([WHOLE, -4]);
  });
});
