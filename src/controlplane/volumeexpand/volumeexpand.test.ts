import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolumeSpec, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { volumeExpandController } from './volumeexpand.ts';

const WAITS = 'waiting for an external controller to expand this PVC';
const EXTERNAL = (count: number): string =>
  `Normal ExternalExpanding PersistentVolumeClaim/default/data x${count}: ${WAITS}`;

/** A claim of 1Gi that is bound, and the controller. */
async function world(source: Partial<PersistentVolumeSpec> = {}): Promise<StorageWorld> {
  const run = new StorageWorld({ validates: false });
  const claim = aClaim({ name: 'data', volumeName: 'v', phase: 'Bound' });
  const { metadata } = await run.create(PersistentVolumeClaims, {
    ...claim,
    status: { ...claim.status, capacity: { storage: '1Gi' } },
  });
  const volume = aVolume({ name: 'v', claim: `data/${metadata.uid}`, phase: 'Bound' });
  await run.create(PersistentVolumes, { ...volume, spec: { ...volume.spec, ...source } });
  run.start(volumeExpandController());
  await run.wait(1000);
  return run;
}

async function request(run: StorageWorld, storage: string): Promise<void> {
  await run.change(PersistentVolumeClaims, 'default/data', (claim) => ({
    ...claim,
    spec: { ...claim.spec, resources: { requests: { storage } } },
  }));
  await run.wait(1000);
}

describe('the expand controller', () => {
  it('P-VE-1 a claim asks for more, and for more again -> told each time, and nothing is written', async () => {
    const run = await world({ csi: { driver: 'disk', volumeHandle: 'h' } });
    expect(await run.events()).toEqual([]);
    await request(run, '2Gi');
    expect(await run.events()).toEqual([EXTERNAL(1)]);
    await request(run, '3Gi');
    expect(await run.events()).toEqual([EXTERNAL(2)]);
    await request(run, '2Gi');
    expect(await run.events()).toEqual([EXTERNAL(2)]);
    expect(run.writesOf('expand-controller')).toEqual([]);
  });

  it('P-VE-1 started while a claim waits -> told again, in an Event of its own; not bound -> not', async () => {
    const run = await world();
    await request(run, '2Gi');
    run.start(volumeExpandController());
    await run.wait(1000);
    expect(await run.events()).toEqual([EXTERNAL(1), EXTERNAL(1)]);
    const other = aClaim({ name: 'other', size: '2Gi', volumeName: 'v' });
    await run.create(PersistentVolumeClaims, other);
    await run.wait(1000);
    expect(await run.events()).toHaveLength(2);
  });

  it('P-VE-2 a migrated plugin -> the driver is named on the claim, once', async () => {
    const run = await world({ cinder: { volumeID: 'v-1' } });
    await request(run, '2Gi');
    await request(run, '3Gi');
    const { metadata } = await run.user.get(PersistentVolumeClaims, 'default/data');
    expect(metadata.annotations).toEqual({ 'volume.kubernetes.io/storage-resizer': 'cinder.csi.openstack.org' });
    const text = 'CSI migration enabled for kubernetes.io/cinder; waiting for external resizer to expand the pvc';
    expect(await run.events()).toEqual([`Normal ExternalExpanding PersistentVolumeClaim/default/data x2: ${text}`]);
    expect(run.writesOf('expand-controller').map(({ text: what }) => what)).toEqual([
      'patch persistentvolumeclaims default/data status',
    ]);
  });

  it('P-VE-4 the volume is not there -> nothing is said until it is', async () => {
    const run = await world();
    const volume = await run.user.get(PersistentVolumes, 'v');
    await run.user.delete(PersistentVolumes, 'v');
    await request(run, '2Gi');
    expect(await run.events()).toEqual([]);
    await run.create(PersistentVolumes, volume);
    await run.wait(60_000);
    expect(await run.events()).toEqual([EXTERNAL(1)]);
  });
});
