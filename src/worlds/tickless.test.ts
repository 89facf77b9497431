import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import type { Draft } from '../kube/cluster.ts';
import { PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../kube/resources/persistent-volume.ts';
import { Pods } from '../kube/resources/pod.ts';
import { plainNodes } from './cluster-shape.ts';
import { DEFAULT_PROFILE } from './profiles.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from './simulated.ts';

const DRIVER = 'disk.example.com';

async function worldWithPod(tickless: boolean): Promise<SimulatedWorld> {
  const world = new SimulatedWorld({
    seed: 1,
    shape: {
      profile: DEFAULT_PROFILE,
      nodes: plainNodes(1, 1),
      drivers: [{ driver: { name: DRIVER } }],
      classes: [{ name: 'fast', provisioner: DRIVER, allowVolumeExpansion: true }],
      settings: {},
      tickless,
    },
  });
  world.start();
  const user = world.as('user');
  const metadata = { name: 'data', namespace: 'default' };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '1Gi' } },
  };
  const data = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec } as const;
  await world.until(user.create(PersistentVolumeClaims, data), SECOND_MS);
  const container = { name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const pod = { metadata: { name: 'p', namespace: 'default' }, spec: { containers: [container], volumes } };
  await world.until(user.create(Pods, { apiVersion: 'v1', kind: 'Pod', ...pod }), SECOND_MS);
  await world.advanceTo(SIMULATION_STARTS_AT + 10 * MINUTE_MS);
  return world;
}

async function stepsOfTenMinutes(tickless: boolean): Promise<number> {
  const world = await worldWithPod(tickless);
  const before = world.clock.fired;
  await world.advanceTo(SIMULATION_STARTS_AT + 20 * MINUTE_MS);
  world.dispose();
  return world.clock.fired - before;
}

describe('a tickless world', () => {
  it('P-KL-14 a pod at rest -> costs no step', async () => {
    const [ticking, tickless] = [await stepsOfTenMinutes(false), await stepsOfTenMinutes(true)];
    // Eight syncs with six timers each and seven questions how full the volume is; all else is the same.
    expect(ticking - tickless).toBeGreaterThan(40);
  });

  it('P-KL-14 the volume of a pod at rest grows -> the node grows it at a later sync, as in any world', async () => {
    for (const tickless of [false, true]) {
      const world = await worldWithPod(tickless);
      const user = world.as('user');
      const { items } = await world.until(user.list(PersistentVolumes), SECOND_MS);
      const name = items[0]?.metadata.name ?? '';
      const grown: Partial<Draft<PersistentVolume>> = { spec: { capacity: { storage: '2Gi' } } };
      await world.until(user.patch(PersistentVolumes, name, { type: 'merge', body: grown }), SECOND_MS);
      const since = world.clock.now();
      await world.advanceTo(since + 2 * MINUTE_MS);
      const calls = [...world.timeline.entries()].filter(({ verb }) => verb === 'NodeExpandVolume');
      expect(calls.length, tickless ? 'tickless' : 'ticking').toBeGreaterThan(0);
      expect(calls[0]?.at).toBeGreaterThan(since);
      world.dispose();
    }
  });
});
