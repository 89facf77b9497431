import { expect, test } from 'vitest';
import { aClaim } from '../../volume/makers.ts';
import { driverParameters, fsTypeOf, objectMetadata } from './class-parameters.ts';

const PREFIXED = 'csi.storage.k8s.io/fstype';

test.each([
  ['none, no default', {}, '', { type: 'found', value: '' }],
  ['none, a default', {}, 'ext4', { type: 'found', value: 'ext4' }],
  ['prefixed', { [PREFIXED]: 'xfs' }, 'ext4', { type: 'found', value: 'xfs' }],
  ['old key in any case', { FsType: 'xfs' }, '', { type: 'found', value: 'xfs' }],
  [
    'both',
    { fstype: 'xfs', [PREFIXED]: 'xfs' },
    '',
    { type: 'wrong', message: `fstype specified in parameters with both "fstype" and "${PREFIXED}" keys` },
  ],
])('fsTypeOf: %s', (_name, parameters: Record<string, string>, fallback, expected) => {
  expect(fsTypeOf(parameters, fallback)).toEqual(expected);
});

test('driverParameters: ours are taken out, old keys of ours stay', () => {
  const parameters = { kind: 'fast', fstype: 'xfs', csiProvisionerSecretName: 's', [PREFIXED]: 'xfs' };
  expect(driverParameters(parameters)).toEqual({
    type: 'found',
    value: { kind: 'fast', fstype: 'xfs', csiProvisionerSecretName: 's' },
  });
});

test('driverParameters: an unknown key with our prefix -> wrong', () => {
  expect(driverParameters({ 'csi.storage.k8s.io/typo': 'x' })).toEqual({
    type: 'wrong',
    message:
      'failed to strip CSI Parameters of prefixed keys: found unknown parameter key "csi.storage.k8s.io/typo" with reserved namespace csi.storage.k8s.io/',
  });
});

test('objectMetadata: claim and volume by name', () => {
  expect(objectMetadata(aClaim({ name: 'data', namespace: 'shop' }), 'pvc-1')).toEqual({
    'csi.storage.k8s.io/pvc/name': 'data',
    'csi.storage.k8s.io/pvc/namespace': 'shop',
    'csi.storage.k8s.io/pv/name': 'pvc-1',
  });
});
