import { describe, expect, it } from 'vitest';
import { type StorageWorldOptions, StorageWorld } from '../../../../test/persistentvolume/storage-world.ts';
import { NAMESPACE_TERMINATING, refusing } from '../../../../test/serviceaccount/refusing.ts';
import { serviceUnavailable } from '../../../kube/api-error.ts';
import { type Namespace, Namespaces } from '../../../kube/resources/namespace.ts';
import { type ServiceAccount, ServiceAccounts } from '../../../kube/resources/service-account.ts';
import { lacksAccount, serviceAccountsController } from './accounts.ts';

const metadata = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const namespaced = (phase: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata,
  spec: {},
  status: { phase },
});
const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };

async function world(options?: StorageWorldOptions): Promise<StorageWorld> {
  const started = new StorageWorld(options);
  started.start(serviceAccountsController());
  await started.wait(100);
  return started;
}
const make = (run: StorageWorld, name: string, finalizers?: readonly string[]): Promise<Namespace> =>
  run.user.create(Namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...(finalizers === undefined ? {} : { finalizers }) },
  });
const accountsIn = async (run: StorageWorld, namespace: string): Promise<readonly string[]> =>
  (await run.user.list(ServiceAccounts, { namespace })).items.map((each) => each.metadata.name);

describe('whether a namespace lacks its account', () => {
  it.each([
    ['a namespace that lives, without account', namespaced('Active'), undefined, true],
    ['a namespace with account', namespaced('Active'), account, false],
    ['a namespace that goes', namespaced('Terminating'), undefined, false],
    ['no namespace', undefined, undefined, false],
  ])('P-ACC-1 %s -> decided so', (_situation, namespace, found, expected) => {
    expect(lacksAccount(namespace, found)).toBe(expected);
  });
});

describe('the service account controller', () => {
  it('P-ACC-1 the namespaces that are there and a new one -> each has its account default', async () => {
    const run = await world();
    await make(run, 'shop');
    await run.wait(100);
    const { items } = await run.user.list(Namespaces);
    expect(items.map(({ metadata: { name } }) => name)).toContain('shop');
    for (const each of items) expect(await accountsIn(run, each.metadata.name)).toEqual(['default']);
  });

  it('P-ACC-2 the account is deleted -> made again; changed -> left as it is', async () => {
    const run = await world();
    const first = await run.user.get(ServiceAccounts, 'default/default');
    await run.user.delete(ServiceAccounts, 'default/default');
    await run.wait(100);
    const second = await run.user.get(ServiceAccounts, 'default/default');
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    await run.user.update(ServiceAccounts, { ...second, automountServiceAccountToken: false });
    await run.wait(100);
    expect((await run.user.get(ServiceAccounts, 'default/default')).automountServiceAccountToken).toBe(false);
  });

  it('P-ACC-2 another account is deleted -> nothing is made in its place', async () => {
    const run = await world();
    await run.user.create(ServiceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot', namespace: 'default' },
    });
    await run.user.delete(ServiceAccounts, 'default/robot');
    await run.wait(100);
    expect(await accountsIn(run, 'default')).toEqual(['default']);
  });

  it('P-ACC-3 a namespace that goes -> its account is not made again', async () => {
    const run = await world();
    await make(run, 'shop', ['example.com/hold']);
    await run.wait(100);
    await run.user.delete(Namespaces, 'shop');
    await run.user.delete(ServiceAccounts, 'shop/default');
    await run.wait(10_000);
    expect(await accountsIn(run, 'shop')).toEqual([]);
  });

  it('P-ACC-3 refused because the namespace goes -> not tried again', async () => {
    const run = new StorageWorld();
    let asked = 0;
    const refused = refusing(serviceAccountsController(), () => {
      asked++;
      return NAMESPACE_TERMINATING;
    });
    run.start(refused);
    const { items } = await run.user.list(Namespaces);
    await run.wait(60_000);
    expect([asked, run.logged]).toEqual([items.length, []]);
  });

  it('P-ACC-4 the server fails -> tried again after a wait', async () => {
    const run = new StorageWorld();
    let failures = 3;
    run.start(refusing(serviceAccountsController(), () => (failures-- > 0 ? serviceUnavailable('down') : undefined)));
    await run.wait(5000);
    expect([await accountsIn(run, 'default'), failures]).toEqual([['default'], -4]);
  });
});
