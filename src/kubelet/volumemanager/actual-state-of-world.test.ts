import { describe, expect, it } from 'vitest';
import type { PluginTraits, VolumeSpec } from '../csiplugin/volume-spec.ts';
import { ActualStateOfWorld, type MountDecision } from './actual-state-of-world.ts';

const TRAITS: PluginTraits = { plugin: 'kubernetes.io/csi', attachable: true, deviceMountable: true, volumeName: 'v' };
const SPEC: VolumeSpec = {
  type: 'persistent',
  name: 'pv1',
  readOnly: false,
  spec: { csi: { driver: 'd', volumeHandle: 'h' } },
};

const attach = (world: ActualStateOfWorld): void => world.markVolumeAsAttached(TRAITS, SPEC, 'csi-1');
const mount = (world: ActualStateOfWorld): void => {
  attach(world);
  world.initializeClaimSize('v', '1Gi');
  world.markVolumeAsMounted('v', 'p', SPEC);
};

const ROWS: readonly (readonly [string, (world: ActualStateOfWorld) => void, string | undefined, MountDecision])[] = [
  ['unknown', () => undefined, '1Gi', { type: 'attach' }],
  ['attached', attach, '1Gi', { type: 'mount', isRemount: false }],
  [
    'perhaps mounted',
    (world) => {
      attach(world);
      world.markVolumeMountAsUncertain('v', 'p', SPEC);
    },
    '1Gi',
    { type: 'mount', isRemount: false },
  ],
  ['mounted', mount, '1Gi', { type: 'none' }],
  [
    'mounted, to be set up again and grown',
    (world) => {
      mount(world);
      world.markRemountRequired('p', () => true);
    },
    '2Gi',
    { type: 'mount', isRemount: true },
  ],
  ['mounted and too small', mount, '2Gi', { type: 'expand', currentSize: '1Gi' }],
  ['mounted and larger than wanted', mount, '512Mi', { type: 'none' }],
  ['mounted, no size wanted', mount, undefined, { type: 'none' }],
  [
    'mounted, too small, not while in use',
    (world) => {
      mount(world);
      world.markForInUseExpansionError('v');
    },
    '2Gi',
    { type: 'none' },
  ],
];

describe('what to do about a wanted volume', () => {
  it.each(ROWS)('P-KL-5 %s -> decided so', (_situation, act, size, expected) => {
    const world = new ActualStateOfWorld(() => undefined);
    act(world);
    expect(world.decideMount('v', 'p', size)).toEqual(expected);
  });

  it('a volume that a pod has -> not forgotten', () => {
    const world = new ActualStateOfWorld(() => undefined);
    mount(world);
    expect(() => world.markVolumeAsDetached('v')).toThrow('a volume that a pod has is not forgotten');
  });
});
