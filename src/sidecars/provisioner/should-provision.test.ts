import { expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type ClassParts, type ClaimParts, aClaim, aClass } from '../../volume/makers.ts';
import { decideClaim } from './should-provision.ts';

const DRIVER = 'disk.csi.test';
const GA = 'volume.kubernetes.io/storage-provisioner';
const BETA = 'volume.beta.kubernetes.io/storage-provisioner';
const NODE = 'volume.kubernetes.io/selected-node';
const ours = { [GA]: DRIVER };

const decide = (claim: PersistentVolumeClaim, parts: ClassParts = {}, driver = DRIVER) => {
  const storageClass = aClass({ provisioner: DRIVER, ...parts });
  const decision = decideClaim(claim, driver, (name) => (name === 'gold' ? storageClass : undefined));
  return decision.type === 'provision' ? `provision on ${decision.selectedNode || 'any node'}` : decision.type;
};

test.each<[string, ClaimParts, ClassParts, string]>([
  ['given to us -> provision', { annotations: ours }, {}, 'provision on any node'],
  ['given by the old annotation -> provision', { annotations: { [BETA]: DRIVER } }, {}, 'provision on any node'],
  ['the new annotation wins', { annotations: { [GA]: 'other', [BETA]: DRIVER } }, {}, 'leave'],
  ['not given -> leave, although the class is ours', {}, {}, 'leave'],
  ['has a volume -> leave', { annotations: ours, volumeName: 'v' }, {}, 'leave'],
  ['class missing -> fail', { annotations: ours, className: 'none' }, {}, 'fail'],
  ['waits, no node -> leave', { annotations: ours }, { wait: true }, 'leave'],
  ['waits, empty node -> leave', { annotations: { ...ours, [NODE]: '' } }, { wait: true }, 'leave'],
  ['waits, node -> provision', { annotations: { ...ours, [NODE]: 'n1' } }, { wait: true }, 'provision on n1'],
  ['class of another provisioner -> leave', { annotations: ours }, { provisioner: 'other' }, 'leave'],
])('P-PROV-1 decideClaim: %s', (_name, claim, storageClass, expected) => {
  expect(decide(aClaim({ className: 'gold', ...claim }), storageClass)).toBe(expected);
});

test('P-PROV-1 a claim of a migrated in-tree plugin -> served by the driver that replaced it', () => {
  const annotations = { [GA]: 'kubernetes.io/aws-ebs', 'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com' };
  const claim = aClaim({ className: 'gold', annotations });
  expect(decide(claim, { provisioner: 'kubernetes.io/aws-ebs' }, 'ebs.csi.aws.com')).toBe('provision on any node');
  expect(decide(claim, { provisioner: 'kubernetes.io/aws-ebs' })).toBe('leave');
});

test('class missing -> the sentence says which', () => {
  const claim = aClaim({ className: 'none', annotations: ours });
  const decision = decideClaim(claim, DRIVER, () => undefined);
  expect(decision).toEqual({ type: 'fail', message: 'storageClass "none" not found' });
});
