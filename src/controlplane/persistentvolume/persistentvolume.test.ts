import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { type ClaimParts, type VolumeParts, aClaim, aClass, aPod, aVolume } from '../../volume/makers.ts';
import { persistentVolumeController } from './persistentvolume.ts';
import { type VolumePlugin } from './volume-plugin.ts';

const NAME = 'persistentvolume-controller';
const RESYNC_MS = 15 * SECOND_MS;

async function started(
  options: ConstructorParameters<typeof StorageWorld>[0] = {},
  settings: Parameters<typeof persistentVolumeController>[0] = {},
) {
  const world = new StorageWorld(options);
  const stop = world.start(persistentVolumeController(settings));
  await world.wait(0);
  const claim = async (parts: ClaimParts = {}) => {
    await world.create(PersistentVolumeClaims, aClaim(parts));
    await world.wait(0);
  };
  const volume = async (parts: VolumeParts = {}) => {
    await world.create(PersistentVolumes, aVolume({ phase: 'Pending', ...parts }));
    await world.wait(0);
  };
  const claimNow = (name = 'c') => world.user.get(PersistentVolumeClaims, `default/${name}`);
  const volumeNow = (name = 'v') => world.user.get(PersistentVolumes, name);
  return { world, stop, claim, volume, claimNow, volumeNow };
}

const texts = (world: StorageWorld): readonly string[] => world.writesOf(NAME).map(({ text }) => text);

describe('P-PV-7 the controller at work', () => {
  it('volume, then claim -> bound at once by four writes, and quiet ever after', async () => {
    const { world, claim, volume, claimNow } = await started();
    await volume();
    await claim();
    expect((await claimNow()).status.phase).toBe('Bound');
    const bind = [
      'update persistentvolumes v status',
      'update persistentvolumes v',
      'update persistentvolumes v status',
      'update persistentvolumeclaims default/c',
      'update persistentvolumeclaims default/c status',
    ];
    expect(texts(world)).toEqual(bind);
    await world.wait(10 * RESYNC_MS);
    expect(texts(world)).toEqual(bind);
    expect(await world.events()).toEqual([]);
  });

  it('claim, then volume -> bound at the next resync, the wait told until then', async () => {
    const { world, claim, volume, claimNow } = await started();
    await world.wait(SECOND_MS);
    await claim();
    await volume();
    await world.wait(13 * SECOND_MS);
    expect((await claimNow()).status.phase).toBe('Pending');
    await world.wait(SECOND_MS);
    expect((await claimNow()).status.phase).toBe('Bound');
    expect(await world.events()).toEqual([
      'Normal FailedBinding PersistentVolumeClaim/default/c x1: no persistent volumes available for this claim and no storage class is set',
    ]);
  });

  it('named volume comes later -> bound at the next resync', async () => {
    const { world, claim, volume, claimNow } = await started();
    await claim({ volumeName: 'v' });
    await volume();
    expect((await claimNow()).status.phase).toBe('Pending');
    await world.wait(RESYNC_MS);
    expect((await claimNow()).status.phase).toBe('Bound');
  });

  it('what a claim waits for is told again at each resync', async () => {
    const { world, claim } = await started();
    await claim();
    await world.wait(3 * RESYNC_MS);
    expect(await world.events()).toEqual([
      'Normal FailedBinding PersistentVolumeClaim/default/c x4: no persistent volumes available for this claim and no storage class is set',
    ]);
  });

  it('volume names the claim by uid, other volume mode -> told on both at each resync', async () => {
    const { world, claim, volume, claimNow } = await started();
    await claim({ className: '', volumeMode: 'Block' });
    await volume({ claim: `c/${(await claimNow()).metadata.uid}` });
    const told = async () =>
      (await world.events()).filter((event) => event.includes('incompatible')).map((event) => event.split(':')[0]);
    expect(await told()).toEqual([
      'Warning VolumeMismatch PersistentVolume/v x1',
      'Warning VolumeMismatch PersistentVolumeClaim/default/c x1',
    ]);
    await world.wait(2 * RESYNC_MS);
    expect(await told()).toEqual([
      'Warning VolumeMismatch PersistentVolume/v x3',
      'Warning VolumeMismatch PersistentVolumeClaim/default/c x3',
    ]);
  });

  it('claim deleted -> volume Released at once; claimRef cleared -> Available at once', async () => {
    const { world, claim, volume, volumeNow } = await started();
    await volume();
    await claim();
    await world.user.delete(PersistentVolumeClaims, 'default/c');
    await world.wait(0);
    expect((await volumeNow()).status.phase).toBe('Released');
    await world.change(PersistentVolumes, 'v', (each) => {
      const { claimRef: _cleared, ...spec } = each.spec;
      return { ...each, spec };
    });
    await world.wait(0);
    expect((await volumeNow()).status.phase).toBe('Available');
  });

  it('T33 claimRef of a bound volume cleared -> Available, then bound again at the next resync', async () => {
    const { world, claim, volume, volumeNow } = await started();
    await volume();
    await claim();
    await world.change(PersistentVolumes, 'v', (each) => {
      const { claimRef: _cleared, ...spec } = each.spec;
      return { ...each, spec };
    });
    await world.wait(0);
    expect((await volumeNow()).status.phase).toBe('Available');
    await world.wait(RESYNC_MS);
    expect((await volumeNow()).status.phase).toBe('Bound');
    expect((await volumeNow()).spec.claimRef?.name).toBe('c');
  });

  it('T51 volume deleted -> claim Lost at once', async () => {
    const { world, claim, volume, claimNow } = await started();
    await volume();
    await claim();
    await world.user.delete(PersistentVolumes, 'v');
    await world.wait(0);
    expect((await claimNow()).status).toEqual({ phase: 'Lost' });
  });

  it('lost, and the volume comes back with its claimRef -> bound at the next resync', async () => {
    const { world, claim, volume, claimNow, volumeNow } = await started();
    await volume();
    await claim();
    const { spec } = await volumeNow();
    await world.user.delete(PersistentVolumes, 'v');
    await world.wait(0);
    await volume({ spec });
    await world.wait(RESYNC_MS);
    expect((await claimNow()).status.phase).toBe('Bound');
  });

  it('claim deleted and made again under its name within one instant -> the volume is Released by the resync', async () => {
    const { world, claim, volume, volumeNow } = await started({ watchMs: 5 });
    await volume();
    await world.wait(10);
    await claim();
    await world.wait(100);
    await world.user.delete(PersistentVolumeClaims, 'default/c');
    await claim();
    await world.wait(RESYNC_MS);
    expect((await volumeNow()).status.phase).toBe('Released');
  });

  it('T56 default class comes later -> filled in and handed over at the next resync', async () => {
    const { world, claim, claimNow } = await started();
    await claim();
    await world.create(StorageClasses, aClass({ isDefault: true }));
    await world.wait(RESYNC_MS);
    expect((await claimNow()).spec.storageClassName).toBe('gold');
    expect((await claimNow()).metadata.annotations).toEqual({
      'volume.kubernetes.io/storage-provisioner': 'vendor.test/driver',
      'volume.beta.kubernetes.io/storage-provisioner': 'vendor.test/driver',
    });
  });

  it('T13 pod comes later -> WaitForPodScheduled at the next resync', async () => {
    const { world, claim } = await started();
    await world.create(StorageClasses, aClass({ name: 'wait', wait: true }));
    await claim({ className: 'wait' });
    await world.create(Pods, aPod({ name: 'user', claims: ['c'] }));
    await world.wait(RESYNC_MS);
    expect(await world.events()).toEqual([
      'Normal WaitForFirstConsumer PersistentVolumeClaim/default/c x1: waiting for first consumer to be created before binding',
      'Normal WaitForPodScheduled PersistentVolumeClaim/default/c x1: waiting for pod user to be scheduled',
    ]);
  });

  it('volume made for the claim by a provisioner -> bound at once', async () => {
    const { claim, volume, claimNow } = await started();
    await claim({ className: 'ext' });
    const { uid } = (await claimNow()).metadata;
    await volume({ name: 'made', claim: `c/${uid}`, className: 'ext', policy: 'Delete' });
    expect((await claimNow()).spec.volumeName).toBe('made');
  });

  it('two claims, one volume -> the first gets it, the second waits', async () => {
    const { world, claim, volume, claimNow } = await started({ requestMs: 20, watchMs: 5 });
    await volume();
    await world.wait(SECOND_MS);
    await claim({ name: 'first' });
    await claim({ name: 'second' });
    await world.wait(2 * RESYNC_MS);
    expect((await claimNow('first')).status.phase).toBe('Bound');
    expect((await claimNow('second')).status.phase).toBe('Pending');
  });
});

describe('P-PV-8 restart', () => {
  it('stopped between any two writes of a binding -> the next run finishes it', async () => {
    for (let stopAfter = 1; stopAfter <= 4; stopAfter++) {
      const { world, stop, claim, volume, claimNow, volumeNow } = await started({ requestMs: 10 });
      await volume();
      await world.wait(100);
      await claim();
      while (texts(world).length < 1 + stopAfter) await world.wait(1);
      stop();
      await world.wait(RESYNC_MS);
      world.start(persistentVolumeController());
      await world.wait(SECOND_MS);
      expect((await claimNow()).status.phase).toBe('Bound');
      expect((await volumeNow()).spec.claimRef?.uid).toBe((await claimNow()).metadata.uid);
      expect(texts(world)).toHaveLength(5);
    }
  });

  it('many bound claims at start -> none is taken for lost', async () => {
    const { world, stop, claim, volume } = await started();
    for (const name of ['a', 'b', 'd']) {
      await volume({ name });
      await claim({ name });
    }
    stop();
    const before = texts(world).length;
    world.start(persistentVolumeController());
    await world.wait(2 * RESYNC_MS);
    expect(texts(world)).toHaveLength(before);
    expect(await world.events()).toEqual([]);
  });
});

describe('P-PV-9 cause and wait', () => {
  it('a claim that waits -> one entry for each cause, naming what led to it', async () => {
    const { world, claim } = await started();
    await world.create(StorageClasses, aClass({ name: 'wait', wait: true }));
    await claim({ className: 'wait' });
    await world.wait(3 * RESYNC_MS);
    await world.create(Pods, aPod({ name: 'user', claims: ['c'] }));
    await world.wait(3 * RESYNC_MS);
    const waits = [...world.timeline.entries()].filter((entry) => entry.verb === 'waits');
    expect(waits.map(({ detail }) => detail)).toEqual(['first consumer to be created', 'pod user to be scheduled']);
    const cause = waits[0]?.because ?? 0;
    expect(world.timeline.get(cause)).toMatchObject({
      verb: 'create',
      kind: 'PersistentVolumeClaim',
      key: 'default/c',
    });
  });

  it('every write names the write that led to it', async () => {
    const { world, claim, volume } = await started();
    await volume();
    await claim();
    const written = [...world.timeline.entries()].filter((entry) => entry.actor === NAME);
    expect(written.length).toBeGreaterThan(3);
    for (const { because } of written) expect(because).not.toBeNull();
  });
});

describe('P-PV-10 reclaiming and provisioning by plugins', () => {
  const plugin = (parts: Partial<VolumePlugin>): readonly VolumePlugin[] => [
    { name: 'kubernetes.io/fake', canSupport: () => true, ...parts },
  ];

  it('T47 deleter fails twice -> tried again at resyncs, then gone', async () => {
    const tries: number[] = [];
    const world = new StorageWorld();
    const failing = plugin({
      delete: () => {
        tries.push(world.clock.monotonic());
        return tries.length < 3 ? Promise.reject(new Error('boom')) : Promise.resolve();
      },
    });
    world.start(persistentVolumeController({ plugins: failing }));
    await world.create(PersistentVolumes, aVolume({ claim: 'c/u', phase: 'Bound', policy: 'Delete' }));
    await world.wait(5 * RESYNC_MS);
    expect(tries).toEqual([0, RESYNC_MS, 2 * RESYNC_MS]);
    expect((await world.user.list(PersistentVolumes)).items).toEqual([]);
  });

  it('in-tree class -> volume pvc-<uid> made, marked and bound', async () => {
    const provision: VolumePlugin['provision'] = ({ claim }) =>
      Promise.resolve({
        capacity: { storage: claim.spec.resources.requests?.['storage'] ?? '' },
        accessModes: claim.spec.accessModes ?? [],
        nfs: { server: 's', path: '/p' },
      });
    const { world, claim, claimNow, volumeNow } = await started(
      {},
      { plugins: plugin({ provision, delete: () => Promise.resolve() }) },
    );
    await world.create(StorageClasses, aClass({ name: 'x', provisioner: 'kubernetes.io/fake' }));
    await claim({ className: 'x' });
    const bound = await claimNow();
    expect(bound.status.phase).toBe('Bound');
    const made = await volumeNow(`pvc-${bound.metadata.uid}`);
    expect(made.metadata.annotations).toMatchObject({
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'pv.kubernetes.io/provisioned-by': 'kubernetes.io/fake',
    });
    expect(made.metadata.finalizers).toContain('kubernetes.io/pv-controller');
    expect(await world.events()).toEqual([
      `Normal ProvisioningSucceeded PersistentVolumeClaim/default/c x1: Successfully provisioned volume pvc-${bound.metadata.uid} using kubernetes.io/fake`,
    ]);
    await world.user.delete(PersistentVolumeClaims, 'default/c');
    await world.wait(0);
    expect((await world.user.list(PersistentVolumes)).items).toEqual([]);
  });

  it('provisioning fails -> the selected node is given back and the error told', async () => {
    const provision = () => Promise.reject(new Error('no space'));
    const { world, claim, claimNow } = await started({}, { plugins: plugin({ provision }) });
    await world.user.create(Nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      spec: {},
      status: {},
    });
    await world.create(StorageClasses, aClass({ name: 'x', wait: true, provisioner: 'kubernetes.io/fake' }));
    await claim({ className: 'x', annotations: { 'volume.kubernetes.io/selected-node': 'n1' } });
    expect((await claimNow()).metadata.annotations).not.toHaveProperty('volume.kubernetes.io/selected-node');
    expect(await world.events()).toContain(
      'Warning ProvisioningFailed PersistentVolumeClaim/default/c x1: Failed to provision volume with StorageClass "x": no space',
    );
  });

  it.each([
    [
      'selected node is unknown',
      { annotations: { 'volume.kubernetes.io/selected-node': 'ghost' } },
      [],
      'Failed to get target node: node "ghost" not found',
    ],
    [
      'mount options are not supported',
      {},
      ['ro', 'noatime'],
      'Mount options are not supported by the provisioner but StorageClass "x" has mount options [ro noatime]',
    ],
  ])('in-tree class, %s -> told', async (_name, parts, mountOptions, message) => {
    const { world, claim } = await started({}, { plugins: plugin({ provision: () => Promise.resolve({}) }) });
    await world.create(StorageClasses, aClass({ name: 'x', provisioner: 'kubernetes.io/fake', mountOptions }));
    await claim({ className: 'x', ...parts });
    expect(await world.events()).toContain(`Warning ProvisioningFailed PersistentVolumeClaim/default/c x1: ${message}`);
  });

  it('host path class -> refused, as upstream without its flag', async () => {
    const { world, claim } = await started();
    await world.create(StorageClasses, aClass({ name: 'x', provisioner: 'kubernetes.io/host-path' }));
    await claim({ className: 'x' });
    expect(await world.events()).toEqual([
      'Warning ProvisioningFailed PersistentVolumeClaim/default/c x1: Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
    ]);
  });

  it('dynamic provisioning is off -> nothing is said or written', async () => {
    const { world, claim } = await started({}, { enableDynamicProvisioning: false });
    await world.create(StorageClasses, aClass({ name: 'x' }));
    await claim({ className: 'x' });
    await world.wait(RESYNC_MS);
    expect(texts(world)).toEqual([]);
    expect(await world.events()).toEqual([]);
  });

  it('1.27 -> the shorter text', async () => {
    const { world, claim } = await started({}, { profile: '1.27' });
    await world.create(StorageClasses, aClass({ name: 'x' }));
    await claim({ className: 'x' });
    expect((await world.events()).join()).toContain(
      'waiting for a volume to be created, either by external provisioner',
    );
  });
});
