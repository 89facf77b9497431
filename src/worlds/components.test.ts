import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { isApiError } from '../kube/api-error.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Namespaces } from '../kube/resources/namespace.ts';
import { ServiceAccounts } from '../kube/resources/service-account.ts';
import type { ClusterShape } from './cluster-shape.ts';
import { componentsOf } from './components.ts';
import { DEFAULT_PROFILE } from './profiles.ts';
import { Settings } from './settings.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from './simulated.ts';

const SHAPE: ClusterShape = { profile: DEFAULT_PROFILE, nodes: [], drivers: [], classes: [], settings: {} };

/** A world whose server is said to have a certificate. */
async function furnished(): Promise<SimulatedWorld> {
  const world = new SimulatedWorld({
    shape: SHAPE,
    seed: 1,
    also: (around) => componentsOf(SHAPE, new Settings({}), { ...around, rootCa: 'PEM' }),
  });
  world.start();
  await world.advanceTo(SIMULATION_STARTS_AT + 10 * SECOND_MS);
  return world;
}

describe('the components of a cluster', () => {
  test('P-WORLD-5 a server with a certificate -> every namespace has its account and the certificate, and still goes', async () => {
    const world = await furnished();
    const user = world.as('test');
    const make = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } as const;
    await world.until(user.create(Namespaces, make), SECOND_MS);
    await world.advanceTo(world.clock.now() + SECOND_MS);
    const account = await world.until(user.get(ServiceAccounts, 'shop/default'), SECOND_MS);
    const bundle = await world.until(user.get(ConfigMaps, 'shop/kube-root-ca.crt'), SECOND_MS);
    expect([account.metadata.name, bundle.data]).toEqual(['default', { 'ca.crt': 'PEM' }]);
    await world.until(user.delete(Namespaces, 'shop'), SECOND_MS);
    await world.advanceTo(world.clock.now() + MINUTE_MS);
    const gone = world.until(user.get(Namespaces, 'shop'), SECOND_MS);
    await expect(gone).rejects.toSatisfy((error) => isApiError(error, 'NotFound'));
    world.dispose();
  });

  test('P-WORLD-5 no certificate -> neither of them', async () => {
    const world = new SimulatedWorld({ shape: SHAPE, seed: 1 });
    world.start();
    await world.advanceTo(SIMULATION_STARTS_AT + 10 * SECOND_MS);
    const { items } = await world.until(world.as('test').list(ServiceAccounts), SECOND_MS);
    expect(items).toEqual([]);
    world.dispose();
  });
});
