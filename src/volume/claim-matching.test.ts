import { describe, expect, it } from 'vitest';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { findBestMatch, findMatchingVolume, volumeMismatch } from './claim-matching.ts';
import { type ClaimParts, type VolumeParts, aClaim, aVolume } from './makers.ts';
import { MatchIndex } from './match-index.ts';

const RWO = ['ReadWriteOnce'];
const ROX = ['ReadOnlyMany'];
const onNode = (zone: string): PersistentVolume['spec'] => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
  },
});

const indexOf = (volumes: readonly PersistentVolume[]): MatchIndex => {
  const index = new MatchIndex();
  for (const volume of volumes) index.set(volume);
  return index;
};

const BEST: readonly [name: string, volumes: readonly VolumeParts[], claim: ClaimParts, match: string | undefined][] = [
  [
    'T25 fewest access modes first, size second -> the larger volume with one mode',
    [
      { name: 'a', size: '100Gi', modes: RWO },
      { name: 'b', size: '1Gi' },
    ],
    { modes: RWO },
    'a',
  ],
  [
    'T26 a volume names the claim -> it wins over smaller ones',
    [
      { name: 'pv1', modes: RWO },
      { name: 'pv5', size: '5Gi', modes: RWO },
      { name: 'pv8', size: '8Gi', modes: RWO, claim: 'c' },
    ],
    { modes: RWO },
    'pv8',
  ],
  [
    'T27 the volume that names the claim is too small -> passed over',
    [
      { name: 'pv1', modes: RWO },
      { name: 'bad', size: '1Mi', modes: RWO, claim: 'c' },
    ],
    { modes: RWO },
    'pv1',
  ],
  [
    'T28 the volume that names the claim lacks its mode -> passed over',
    [
      { name: 'pv1', modes: RWO },
      { name: 'bad', modes: ROX, claim: 'c' },
    ],
    { modes: RWO },
    'pv1',
  ],
  [
    'T29 a volume bound to the same name under another uid -> passed over',
    [
      { name: 'x', size: '1G', phase: 'Bound', claim: 'c/other' },
      { name: 'y', size: '1G' },
    ],
    { size: '1G' },
    'y',
  ],
  [
    'T30 attributes class equal -> taken',
    [
      { name: 's', size: '10Gi', attributesClass: 'silver' },
      { name: 'n', size: '10Gi' },
    ],
    { size: '8Gi', attributesClass: 'silver' },
    's',
  ],
  [
    'T30 attributes class of no volume -> none',
    [
      { name: 's', size: '10Gi', attributesClass: 'silver' },
      { name: 'n', size: '10Gi' },
    ],
    { size: '8Gi', attributesClass: 'gold' },
    undefined,
  ],
  ['the volume that names the claim is being deleted -> none', [{ claim: 'c', deleting: true }], {}, undefined],
  [
    'the volume that names the claim has another class and phase -> taken all the same',
    [{ claim: 'c', className: 'gold', phase: 'Pending' }],
    {},
    'v',
  ],
  ['the only fit is being deleted -> none', [{ deleting: true }], {}, undefined],
  [
    'equal sizes written differently -> the first by name',
    [
      { name: 'b', size: '1Gi' },
      { name: 'a', size: '1024Mi' },
    ],
    {},
    'a',
  ],
  ['1G is less than 1Gi -> none', [{ size: '1G' }], { size: '1Gi' }, undefined],
  [
    'a claim of the same name in another namespace -> does not get the volume',
    [{ claim: 'c' }],
    { namespace: 'elsewhere' },
    undefined,
  ],
  [
    'selector with all four operators -> the volume whose labels satisfy them',
    [
      { name: 'a', labels: { tier: 'gold', old: 'x' } },
      { name: 'b', labels: { tier: 'gold', zone: 'z2' } },
      { name: 'd', size: '2Gi', labels: { tier: 'gold', zone: 'z1' } },
    ],
    {
      selector: {
        matchLabels: { tier: 'gold' },
        matchExpressions: [
          { key: 'zone', operator: 'Exists' },
          { key: 'old', operator: 'DoesNotExist' },
          { key: 'zone', operator: 'NotIn', values: ['z2'] },
          { key: 'zone', operator: 'In', values: ['z1', 'z3'] },
        ],
      },
    },
    'd',
  ],
];

describe('P-VOL-1 findBestMatch and MatchIndex', () => {
  for (const [name, parts, claimParts, match] of BEST) {
    it(name, () => {
      const volumes = parts.map(aVolume);
      const options = { delayBinding: false };
      expect(findBestMatch(aClaim(claimParts), volumes, options)?.metadata.name).toBe(match);
      expect(indexOf(volumes).find(aClaim(claimParts), options)?.metadata.name).toBe(match);
    });
  }

  it('claim with an attributes class while the gate is off -> error', () => {
    const find = () =>
      findBestMatch(aClaim({ attributesClass: 'gold' }), [aVolume()], {
        delayBinding: false,
        volumeAttributesClass: false,
      });
    expect(find).toThrow(
      'unsupported volumeAttributesClassName is set on claim default/c when the feature-gate VolumeAttributesClass is disabled',
    );
  });

  it('selector with an unknown operator -> error', () => {
    const claim = aClaim({ selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } });
    expect(() => findBestMatch(claim, [aVolume()], { delayBinding: false })).toThrow(
      'error creating internal label selector for claim: default/c: "Near" is not a valid label selector operator',
    );
  });

  it('volume with an attributes class while the gate is off -> passed over', () => {
    const options = { delayBinding: false, volumeAttributesClass: false };
    expect(findBestMatch(aClaim(), [aVolume({ attributesClass: 'gold' })], options)).toBeUndefined();
  });

  it('delayed binding without a node -> free volumes are left alone, pre-bound ones taken', () => {
    const volumes = [aVolume({ name: 'free' }), aVolume({ name: 'held', claim: 'c' })];
    expect(findBestMatch(aClaim(), volumes, { delayBinding: true })?.metadata.name).toBe('held');
    expect(findBestMatch(aClaim(), volumes.slice(0, 1), { delayBinding: true })).toBeUndefined();
  });
});

describe('P-VOL-2 findMatchingVolume on a node', () => {
  const near = aVolume({ name: 'near', size: '5Gi', modes: RWO, spec: onNode('z1') });
  const far = aVolume({ name: 'far', size: '1Gi', modes: RWO, spec: onNode('z2') });
  const node = { metadata: { name: 'n1', labels: { zone: 'z1' } } };
  const claim = aClaim({ modes: RWO });

  it('the smaller volume is out of reach -> the larger one', () => {
    expect(findMatchingVolume(claim, [far, near], { node, delayBinding: true })).toBe(near);
  });
  it('chosen for another claim of the pod -> none', () => {
    const excluded = new Set(['near']);
    expect(findMatchingVolume(claim, [far, near], { node, excluded, delayBinding: true })).toBeUndefined();
  });
  it('pre-bound volume is out of reach -> none at all, although another would fit', () => {
    const held = aVolume({ name: 'held', modes: RWO, claim: 'c', spec: onNode('z2') });
    expect(findMatchingVolume(claim, [near, held], { node, delayBinding: true })).toBeUndefined();
  });
  it('modes not offered -> none', () => {
    expect(findMatchingVolume(aClaim(), [near], { node, delayBinding: true })).toBeUndefined();
  });
});

const MISMATCHES: readonly [name: string, volume: VolumeParts, claim: ClaimParts, message: string | undefined][] = [
  ['all fits -> none', {}, {}, undefined],
  [
    'selector and phase are not asked -> none',
    { phase: 'Failed' },
    { selector: { matchLabels: { a: 'b' } } },
    undefined,
  ],
  ['being deleted', { deleting: true, size: '1Mi' }, {}, 'the volume is marked for deletion "v"'],
  ['too small', { size: '1Mi', className: 'gold' }, {}, 'requested PV is too small'],
  ['class differs', { className: 'gold', attributesClass: 'x' }, {}, 'storageClassName does not match'],
  [
    'attributes class differs',
    { attributesClass: 'x', volumeMode: 'Block' },
    {},
    'volumeAttributesClassName does not match',
  ],
  ['volume mode differs', { volumeMode: 'Block', modes: RWO }, {}, 'incompatible volumeMode'],
  ['mode not offered', { modes: RWO }, {}, 'incompatible accessMode'],
];

describe('P-VOL-3 volumeMismatch: the first failing rule speaks', () => {
  it.each(MISMATCHES)('%s', (_name, volume, claim, message) => {
    expect(volumeMismatch(aVolume(volume), aClaim(claim))).toBe(message);
  });
  it('gate off and a class set -> not supported', () => {
    expect(
      volumeMismatch(aVolume({ attributesClass: 'x' }), aClaim({ attributesClass: 'x' }), {
        volumeAttributesClass: false,
      }),
    ).toBe('volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled');
  });
});
