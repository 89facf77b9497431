import { expect, test } from 'vitest';
import { type VolumeParts, aVolume } from '../../volume/makers.ts';
import { isOurVolume, shouldDelete, withRightFinalizer } from './sync-volume.ts';

const DRIVER = 'disk.csi.test';
const OURS = 'external-provisioner.volume.kubernetes.io/finalizer';
const csi = (driver: string) => ({ csi: { driver, volumeHandle: 'h' } });

test.each<[string, VolumeParts, boolean]>([
  ['provisioned by us', { provisionedBy: DRIVER }, true],
  ['provisioned by another, though it names our driver', { provisionedBy: 'x', spec: csi(DRIVER) }, false],
  ['made by hand for our driver', { spec: csi(DRIVER) }, true],
  ['made by hand for another', { spec: csi('x') }, false],
  ['no CSI volume', {}, false],
])('isOurVolume: %s -> %s', (_name, parts, expected) => {
  expect(isOurVolume(aVolume(parts), DRIVER)).toBe(expected);
});

test('isOurVolume: a volume of a migrated plugin -> the driver that replaced it', () => {
  const annotations = { 'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com' };
  expect(isOurVolume(aVolume({ annotations }), 'ebs.csi.aws.com')).toBe(true);
  expect(isOurVolume(aVolume({ annotations, provisionedBy: 'kubernetes.io/aws-ebs' }), 'ebs.csi.aws.com')).toBe(true);
});

test.each<[string, VolumeParts, readonly string[] | undefined]>([
  ['Delete and bound -> added', { policy: 'Delete', phase: 'Bound' }, [OURS]],
  ['Delete, not bound -> as it is', { policy: 'Delete', phase: 'Available' }, undefined],
  ['Delete, bound, being deleted -> as it is', { policy: 'Delete', phase: 'Bound', deleting: true }, undefined],
  ['Delete and released -> kept', { policy: 'Delete', phase: 'Released', finalizers: ['x', OURS] }, ['x', OURS]],
  ['Retain -> removed', { policy: 'Retain', phase: 'Bound', finalizers: ['x', OURS] }, ['x']],
  ['Recycle -> removed', { policy: 'Recycle', phase: 'Bound', finalizers: [OURS] }, undefined],
])('P-PROV-5 withRightFinalizer: %s', (_name, parts, expected) => {
  expect(withRightFinalizer(aVolume(parts)).metadata.finalizers).toEqual(expected);
});

test.each<[string, VolumeParts, boolean]>([
  ['released, Delete', { phase: 'Released', policy: 'Delete', finalizers: [OURS] }, true],
  ['released, Delete, no finalizer', { phase: 'Released', policy: 'Delete' }, true],
  [
    'released, being deleted, our finalizer',
    { phase: 'Released', policy: 'Delete', deleting: true, finalizers: [OURS] },
    true,
  ],
  ['released, being deleted, finalizer gone', { phase: 'Released', policy: 'Delete', deleting: true }, false],
  ['released, Retain', { phase: 'Released', policy: 'Retain' }, false],
  ['bound', { phase: 'Bound', policy: 'Delete' }, false],
  ['failed', { phase: 'Failed', policy: 'Delete' }, false],
])('P-PROV-6 shouldDelete: %s -> %s', (_name, parts, expected) => {
  expect(shouldDelete(aVolume(parts))).toBe(expected);
});
