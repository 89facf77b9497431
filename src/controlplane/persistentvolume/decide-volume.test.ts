import { describe, expect, it } from 'vitest';
import { type ClaimParts, type VolumeParts, aClaim, aVolume } from '../../volume/makers.ts';
import { decideVolume } from './decide-volume.ts';

const AVAILABLE = { type: 'phase', phase: 'Available' };
const HELD: VolumeParts = { size: '10Gi', claim: 'c/u', phase: 'Bound' };

const ROWS: readonly [name: string, volume: VolumeParts, claim: ClaimParts | undefined, decision: object][] = [
  ['T36 no claimRef -> Available', { phase: 'Pending' }, undefined, { row: 'V1', ...AVAILABLE }],
  ['T37 claimRef by name only -> Available', { phase: 'Pending', claim: 'c' }, undefined, { row: 'V2', ...AVAILABLE }],
  ['T38 claim is gone -> release', HELD, undefined, { row: 'V9', type: 'release' }],
  [
    'T40 claim not bound yet -> its sync goes on',
    { ...HELD, bbc: true },
    {},
    { row: 'V4', type: 'hand-over', claim: 'default/c' },
  ],
  [
    'claim not bound yet, other volume mode -> told on both',
    { ...HELD, volumeMode: 'Block' },
    {},
    {
      row: 'V3',
      type: 'mismatch',
      onVolume: {
        type: 'Warning',
        reason: 'VolumeMismatch',
        message: 'Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" due to incompatible volumeMode.',
      },
      onClaim: {
        type: 'Warning',
        reason: 'VolumeMismatch',
        message: 'Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim due to incompatible volumeMode.',
      },
    },
  ],
  [
    'T43 claim names the volume -> Bound',
    { ...HELD, phase: 'Available' },
    { volumeName: 'v' },
    { row: 'V5', type: 'phase', phase: 'Bound' },
  ],
  [
    'released, the old claim is back -> Bound',
    { ...HELD, phase: 'Released' },
    { volumeName: 'v' },
    { row: 'V5', type: 'phase', phase: 'Bound' },
  ],
  [
    'T41 claim is bound elsewhere, the link was ours -> unbind',
    { ...HELD, bbc: true },
    { volumeName: 'other' },
    { row: 'V7', type: 'unbind' },
  ],
  [
    "T42 claim is bound elsewhere, the link was a user's -> unbind",
    HELD,
    { volumeName: 'other' },
    { row: 'V8', type: 'unbind' },
  ],
  [
    'T46 claim is bound elsewhere, provisioned with Delete -> release',
    { ...HELD, policy: 'Delete', provisionedBy: 'x' },
    { volumeName: 'other' },
    { row: 'V6', type: 'release' },
  ],
  [
    'claim is bound elsewhere, provisioned with Retain -> unbind',
    { ...HELD, provisionedBy: 'x', bbc: true },
    { volumeName: 'other' },
    { row: 'V7', type: 'unbind' },
  ],
];

describe('P-PV-2 decideVolume', () => {
  it.each(ROWS)('%s', (_name, volume, claim, decision) => {
    expect(decideVolume(aVolume(volume), claim === undefined ? undefined : aClaim(claim))).toEqual(decision);
  });
});
