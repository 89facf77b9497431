import { describe, expect, it } from 'vitest';
import { defaultClass } from '../../volume/default-class.ts';
import { type ClaimParts, type ClassParts, type VolumeParts, aClaim, aClass, aVolume } from '../../volume/makers.ts';
import { MatchIndex } from '../../volume/match-index.ts';
import { type ClaimDecision, type ClaimView, decideClaim } from './decide-claim.ts';
import { profileOf } from './profile.ts';

interface Given {
  readonly volumes?: readonly VolumeParts[];
  readonly claim: ClaimParts;
  readonly classes?: readonly ClassParts[];
  readonly pods?: readonly string[];
  readonly profile?: string;
}

function viewOf(given: Given): ClaimView {
  const index = new MatchIndex();
  for (const volume of given.volumes ?? []) index.set(aVolume(volume));
  const classes = (given.classes ?? []).map((each) => aClass(each));
  return {
    volumeNamed: (name) => index.get(name),
    matchOf: (claim, delayBinding) => index.find(claim, { delayBinding }),
    classNamed: (name) => classes.find((each) => each.metadata.name === name),
    defaultClass: () => defaultClass(classes),
    unscheduledPodsOf: () => given.pods ?? [],
  };
}

/** What was decided, with the volume by name. */
function decided(given: Given): Record<string, unknown> {
  const decision: ClaimDecision = decideClaim(aClaim(given.claim), viewOf(given), profileOf(given.profile));
  const { volume, waitingFor: _explained, ...rest } = { volume: undefined, waitingFor: undefined, ...decision };
  return volume === undefined ? rest : { ...rest, volume: volume.metadata.name };
}

const NO_CLASS = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};
const U5 = { row: 'U5', type: 'pend', event: NO_CLASS };
const bind = (row: string, volume = 'v') => ({ row, type: 'bind', volume });
const mismatch = (why: string) => ({
  row: 'U9',
  type: 'pend',
  event: { type: 'Warning', reason: 'VolumeMismatch', message: `Cannot bind to requested volume "v": ${why}` },
});
const pends = (row: string, reason: string, message: string) => ({
  row,
  type: 'pend',
  event: { type: reason === 'FailedBinding' ? 'Warning' : 'Normal', reason, message },
});
const loses = (row: string, reason: string, message: string) => ({
  row,
  type: 'lose',
  event: { type: 'Warning', reason, message },
});
const WAIT: readonly ClassParts[] = [{ name: 'wait', wait: true }];
const WAITING: Given = { volumes: [{ className: 'wait' }], claim: { className: 'wait' }, classes: WAIT };
const TAKEN = 'volume "v" already bound to a different claim.';

const ROWS: readonly [name: string, given: Given, decision: object][] = [
  ['T01 a volume fits -> bind', { volumes: [{}], claim: {} }, bind('U1')],
  ['T02 request too large, no class -> FailedBinding', { volumes: [{}], claim: { size: '10Gi' } }, U5],
  [
    'T03 as T02, phase Bound but never completed -> FailedBinding',
    { volumes: [{}], claim: { size: '10Gi', phase: 'Bound' } },
    U5,
  ],
  [
    'T04 two volumes fit -> the smaller',
    { volumes: [{ name: 'a', size: '10Gi' }, { name: 'b' }], claim: {} },
    bind('U1', 'b'),
  ],
  [
    'T05 a volume names the claim -> it, though larger',
    { volumes: [{ name: 'a', size: '10Gi', claim: 'c' }, { name: 'b' }], claim: {} },
    bind('U1', 'a'),
  ],
  [
    'T06 a volume names the claim by another uid -> not that one',
    { volumes: [{ size: '10Gi', claim: 'c/other' }], claim: {} },
    U5,
  ],
  ['T07 crash after step 1 -> bind goes on', { volumes: [{ claim: 'c/u', bbc: true }], claim: {} }, bind('U1')],
  [
    'T08 crash after step 2 -> bind goes on',
    { volumes: [{ claim: 'c/u', phase: 'Bound', bbc: true }], claim: {} },
    bind('U1'),
  ],
  [
    'T09 crash after step 3 -> bind goes on',
    { volumes: [{ claim: 'c/u', phase: 'Bound', bbc: true }], claim: { volumeName: 'v', bbc: true, bc: true } },
    bind('B4'),
  ],
  [
    'T10 labels match the selector -> bind',
    { volumes: [{ labels: { x: 'y' } }], claim: { selector: { matchLabels: { x: 'y' } } } },
    bind('U1'),
  ],
  [
    'T11 no labels for the selector -> FailedBinding',
    { volumes: [{}], claim: { selector: { matchLabels: { x: 'y' } } } },
    U5,
  ],
  [
    'T12 class waits, no pod -> WaitForFirstConsumer',
    WAITING,
    pends('U3', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding'),
  ],
  [
    'T13 class waits, one pod -> WaitForPodScheduled',
    { ...WAITING, pods: ['p1'] },
    pends('U3', 'WaitForPodScheduled', 'waiting for pod p1 to be scheduled'),
  ],
  [
    'T13 class waits, two pods -> both are named',
    { ...WAITING, pods: ['p1', 'p2'] },
    pends('U3', 'WaitForPodScheduled', 'waiting for pods p1,p2 to be scheduled'),
  ],
  [
    'T14 class waits, volume names the claim -> bind',
    { ...WAITING, volumes: [{ className: 'wait', claim: 'c' }] },
    bind('U1'),
  ],
  [
    'T15 named volume lacks the mode -> VolumeMismatch',
    { volumes: [{}], claim: { volumeName: 'v', modes: ['ReadWriteMany'] } },
    mismatch('incompatible accessMode'),
  ],
  [
    'T16 no volume is Available -> FailedBinding',
    {
      volumes: [
        { name: 'p', phase: 'Pending' },
        { name: 'f', phase: 'Failed' },
        { name: 'r', phase: 'Released' },
      ],
      claim: {},
    },
    U5,
  ],
  [
    'T17 named volume does not exist -> Pending without event',
    { claim: { volumeName: 'ghost', phase: 'Bound' } },
    { row: 'U7', type: 'pend' },
  ],
  ['T18 named volume is free -> bind', { volumes: [{}], claim: { volumeName: 'v' } }, bind('U8')],
  [
    'T19 named volume has another claim -> FailedBinding',
    { volumes: [{ claim: 'c1/u1', phase: 'Bound' }], claim: { volumeName: 'v', phase: 'Bound' } },
    pends('U11', 'FailedBinding', TAKEN),
  ],
  [
    'T20 as T19, but the link was ours -> error',
    { volumes: [{ claim: 'c1/u1', phase: 'Bound' }], claim: { volumeName: 'v', phase: 'Bound', bbc: true } },
    {
      row: 'U12',
      type: 'refuse',
      event: { type: 'Warning', reason: 'FailedBinding', message: TAKEN },
      error: 'invalid binding of claim "default/c" to volume "v": volume already claimed by "default/c1"',
    },
  ],
  [
    'T21 named volume too small -> VolumeMismatch',
    { volumes: [{}], claim: { size: '2Gi', volumeName: 'v' } },
    mismatch('requested PV is too small'),
  ],
  [
    'T22 named volume of another class -> VolumeMismatch',
    { volumes: [{ className: 'gold' }], claim: { volumeName: 'v' } },
    mismatch('storageClassName does not match'),
  ],
  [
    'T23 the smaller volume has a class -> the one without',
    {
      volumes: [
        { name: 'a', className: 'gold' },
        { name: 'b', size: '10Gi' },
      ],
      claim: {},
    },
    bind('U1', 'b'),
  ],
  ['T24 other volume mode -> FailedBinding', { volumes: [{}], claim: { className: '', volumeMode: 'Block' } }, U5],
  [
    'both sides name each other, nothing fits -> bind all the same',
    { volumes: [{ claim: 'c', size: '1Mi', className: 'gold' }], claim: { volumeName: 'v' } },
    bind('U10'),
  ],
  [
    'T31 bound once, volumeName gone -> Lost',
    { claim: { phase: 'Bound', bbc: true, bc: true } },
    loses('B1', 'ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'),
  ],
  [
    'T32 bound once, volume gone -> Lost',
    { claim: { volumeName: 'v', phase: 'Bound', bbc: true, bc: true } },
    loses('B2', 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'),
  ],
  [
    'T33 bound once, claimRef cleared -> bind again, whatever fits',
    { volumes: [{ size: '1Mi' }], claim: { volumeName: 'v', bbc: true, bc: true } },
    bind('B3'),
  ],
  [
    'T34 bound once, volume has another claim -> Lost',
    { volumes: [{ claim: 'c/x' }], claim: { volumeName: 'v', bbc: true, bc: true } },
    loses('B5', 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly'),
  ],
  [
    'bound once, only the uid cleared -> Lost',
    { volumes: [{ claim: 'c' }], claim: { volumeName: 'v', bc: true } },
    loses('B5', 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly'),
  ],
  [
    'lost, the volume came back -> bind',
    { volumes: [{ claim: 'c/u' }], claim: { volumeName: 'v', phase: 'Lost', bc: true } },
    bind('B4'),
  ],
  [
    'T52 class provisions -> provision',
    { claim: { className: 'ext' }, classes: [{ name: 'ext' }] },
    { row: 'U4', type: 'provision', className: 'ext' },
  ],
  [
    'T53 class waits, node selected, a free volume -> provision, the volume is left to the scheduler',
    {
      volumes: [{ className: 'wait' }],
      claim: { className: 'wait', annotations: { 'volume.kubernetes.io/selected-node': 'node1' } },
      classes: WAIT,
    },
    { row: 'U4', type: 'provision', className: 'wait' },
  ],
  [
    'T55 class does not exist -> provision, which will say so',
    { claim: { className: 'ghost' } },
    { row: 'U4', type: 'provision', className: 'ghost' },
  ],
  [
    'T56 unset class and a default -> filled in',
    { claim: {}, classes: [{ name: 'gold', isDefault: true }, { name: 'silver' }] },
    { row: 'U2', type: 'assign-class', className: 'gold' },
  ],
  [
    'T57 empty class and a default -> never filled',
    { claim: { className: '' }, classes: [{ name: 'gold', isDefault: true }] },
    U5,
  ],
  [
    'T58 two defaults -> the newer',
    {
      claim: {},
      classes: [
        { name: 'gold', isDefault: true },
        { name: 'silver', isDefault: true, created: '2026-02-01T00:00:00Z' },
      ],
    },
    { row: 'U2', type: 'assign-class', className: 'silver' },
  ],
  [
    'unset class, a default and a volume without class -> the volume wins',
    { volumes: [{}], claim: {}, classes: [{ name: 'gold', isDefault: true }] },
    bind('U1'),
  ],
  [
    '1.25: unset class and a later default -> not filled',
    { claim: {}, classes: [{ name: 'gold', isDefault: true }], profile: '1.25' },
    U5,
  ],
  ['being deleted and never bound -> can still be bound', { volumes: [{}], claim: { deleting: true } }, bind('U1')],
];

describe('P-PV-1 decideClaim', () => {
  it.each(ROWS)('%s', (_name, given, decision) => {
    expect(decided(given)).toEqual(decision);
  });

  it('every wait says what for', () => {
    const waits = ROWS.map(([, given]) => decideClaim(aClaim(given.claim), viewOf(given), profileOf()));
    for (const wait of waits) expect(wait.type !== 'pend' || wait.waitingFor.length > 0).toBe(true);
  });
});
