import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { PV_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { type VolumeParts, aVolume } from '../../volume/makers.ts';
import { decideProtection, pvProtectionController } from './pvprotection.ts';

const PROTECTED = { finalizers: ['other', PV_PROTECTION_FINALIZER] };

describe('P-PVP-1 decideProtection', () => {
  it.each<[string, VolumeParts, readonly string[]]>([
    ['Bound and deleting -> kept', { ...PROTECTED, deleting: true, phase: 'Bound' }, PROTECTED.finalizers],
    ['Released and deleting -> goes', { ...PROTECTED, deleting: true, phase: 'Released' }, ['other']],
    ['Available and deleting -> goes', { ...PROTECTED, deleting: true }, ['other']],
    ['living -> kept', PROTECTED, PROTECTED.finalizers],
    ['P-PVP-2 living without it -> comes', { finalizers: ['other'] }, PROTECTED.finalizers],
    ['deleting without it -> stays without', { finalizers: ['other'], deleting: true }, ['other']],
  ])('%s', (_name, parts, finalizers) => {
    expect(decideProtection(aVolume(parts)).metadata.finalizers).toEqual(finalizers);
  });
});

it('P-PVP-1 T62 Bound volume deleted -> kept; Released -> gone', async () => {
  const world = new StorageWorld();
  world.start(pvProtectionController());
  await world.create(
    PersistentVolumes,
    aVolume({ claim: 'c/u', phase: 'Bound', finalizers: [PV_PROTECTION_FINALIZER] }),
  );
  await world.user.delete(PersistentVolumes, 'v');
  await world.wait(0);
  const kept = await world.user.get(PersistentVolumes, 'v');
  expect(kept.metadata.finalizers).toEqual([PV_PROTECTION_FINALIZER]);
  await world.user.update(PersistentVolumes, { ...kept, status: { phase: 'Released' } }, { subresource: 'status' });
  await world.wait(0);
  expect((await world.user.list(PersistentVolumes)).items).toEqual([]);
});
