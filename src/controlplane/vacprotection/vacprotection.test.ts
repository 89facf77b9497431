import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { classesOfClaim, classesOfVolume, vacProtectionController } from './vacprotection.ts';

const FINALIZER = 'kubernetes.io/vac-protection';
const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'silver' },
  driverName: 'd.test',
  parameters: { a: 'b' },
} as const;

describe('names of classes', () => {
  it('wanted, current and target class of a claim -> each once', () => {
    const claim = aClaim({
      attributesClass: 'gold',
      status: {
        currentVolumeAttributesClassName: 'silver',
        modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: 'gold' },
      },
    });
    expect(classesOfClaim(claim)).toEqual(['gold', 'silver']);
    expect(classesOfClaim(aClaim({ attributesClass: '' }))).toEqual([]);
  });
  it('class of a volume', () => {
    expect(classesOfVolume(aVolume({ attributesClass: 'gold' }))).toEqual(['gold']);
    expect(classesOfVolume(aVolume())).toEqual([]);
  });
});

describe('the controller at work', () => {
  async function started() {
    const world = new StorageWorld();
    world.start(vacProtectionController());
    await world.user.create(VolumeAttributesClasses, CLASS);
    await world.wait(0);
    const names = async () => (await world.user.list(VolumeAttributesClasses)).items.map((each) => each.metadata.name);
    const remove = async () => {
      await world.user.delete(VolumeAttributesClasses, 'silver');
      await world.wait(0);
    };
    return { world, names, remove };
  }

  it('P-VACP-2 new class -> gets the finalizer', async () => {
    const { world } = await started();
    const { metadata } = await world.user.get(VolumeAttributesClasses, 'silver');
    expect(metadata.finalizers).toEqual([FINALIZER]);
  });
  it('P-VACP-1 unused class deleted -> gone', async () => {
    const { names, remove } = await started();
    await remove();
    expect(await names()).toEqual([]);
  });
  it('P-VACP-1 class of a claim deleted -> kept until the claim is gone', async () => {
    const { world, names, remove } = await started();
    await world.create(PersistentVolumeClaims, aClaim({ attributesClass: 'silver' }));
    await world.wait(0);
    await remove();
    expect(await names()).toEqual(['silver']);
    await world.user.delete(PersistentVolumeClaims, 'default/c');
    await world.wait(0);
    expect(await names()).toEqual([]);
  });
  it('P-VACP-1 class of a volume deleted -> kept until the volume names another', async () => {
    const { world, names, remove } = await started();
    await world.create(
      PersistentVolumes,
      aVolume({ attributesClass: 'silver', spec: { csi: { driver: 'd.test', volumeHandle: 'h' } } }),
    );
    await world.wait(0);
    await remove();
    expect(await names()).toEqual(['silver']);
    await world.change(PersistentVolumes, 'v', (volume) => ({
      ...volume,
      spec: { ...volume.spec, volumeAttributesClassName: 'gold' },
    }));
    await world.wait(0);
    expect(await names()).toEqual([]);
  });
});
