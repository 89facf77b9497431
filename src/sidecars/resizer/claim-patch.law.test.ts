// Whatever step a claim takes, the patch that is sent turns the claim that was seen into the one that was meant, and leaves
// conditions of others alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../kube/patch/patch.ts';
import {
  PersistentVolumeClaimSchema,
  type PersistentVolumeClaim,
} from '../../kube/resources/persistent-volume-claim.ts';
import { aClaim } from '../../volume/makers.ts';
import { modified, modifyCanceled, modifyFailed, modifyPending, modifying } from './attributes-states.ts';
import { claimPatch } from './claim-patch.ts';
import { failedResize, pendingOnNode, resized, resizing } from './claim-states.ts';

const NOW = '2026-01-02T00:00:00Z';
const THEN = '2026-01-01T00:00:00Z';
const NOT_REQUIRED = { 'volume.kubernetes.io/node-expansion-not-required': 'true' };
const TYPES = [
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
  'ModifyingVolume',
  'Other',
];

const condition = fc.record({
  type: fc.constantFrom(...TYPES),
  status: fc.constant('True'),
  lastProbeTime: fc.constantFrom(null, THEN),
  lastTransitionTime: fc.constant(THEN),
  message: fc.constantFrom('a', 'b'),
});
const claim: fc.Arbitrary<PersistentVolumeClaim> = fc
  .record({
    conditions: fc.uniqueArray(condition, { selector: ({ type }) => type, maxLength: 5 }),
    annotations: fc.constantFrom({}, NOT_REQUIRED, { mine: 'x', ...NOT_REQUIRED }),
    statuses: fc.constantFrom(undefined, { storage: 'NodeResizePending' }, { storage: 'x', 'example.com/y': 'z' }),
    allocated: fc.constantFrom(undefined, { storage: '2Gi' }),
    modify: fc.constantFrom(undefined, { status: 'Infeasible', targetVolumeAttributesClassName: 'gold' }),
  })
  .map(({ conditions, annotations, statuses, allocated, modify }) =>
    aClaim({
      phase: 'Bound',
      annotations,
      attributesClass: 'gold',
      status: {
        capacity: { storage: '1Gi' },
        ...(conditions.length === 0 ? {} : { conditions }),
        ...(statuses === undefined ? {} : { allocatedResourceStatuses: statuses }),
        ...(allocated === undefined ? {} : { allocatedResources: allocated }),
        ...(modify === undefined ? {} : { modifyVolumeStatus: modify }),
      },
    }),
  );
const failure = { code: 'Internal', message: 'no', infeasible: false, uncertain: false };
const step = fc.constantFrom<(given: PersistentVolumeClaim) => PersistentVolumeClaim>(
  (given) => resizing(given, '3Gi', { isNewSize: true, now: NOW }),
  (given) => resizing(given, '2Gi', { isNewSize: false, now: NOW }),
  (given) => pendingOnNode(given, NOW),
  (given) => resized(given, '3Gi'),
  (given) => failedResize(given, { error: 'no', infeasible: true, now: NOW }),
  (given) => failedResize(given, { error: 'no', infeasible: false, now: NOW }),
  (given) => modifying(given, 'gold', NOW),
  (given) => modifyFailed(given, failure, NOW),
  modifyPending,
  modified,
  modifyCanceled,
);

const parts = ({ metadata, status }: PersistentVolumeClaim) => {
  const { conditions = [], ...rest } = status;
  return {
    annotations: metadata.annotations ?? {},
    rest,
    conditions: conditions.map(withoutNulls),
  };
};
const withoutNulls = (object: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

describe('claimPatch', () => {
  it('P-RZ-10 any claim, any step -> the patch makes exactly the step', () => {
    fc.assert(
      fc.property(claim, step, fc.boolean(), (before, take, checksVersion) => {
        const after = take(before);
        const patch = claimPatch(before, after, checksVersion);
        if (patch.type !== 'strategic') throw new Error('not a strategic patch');
        const result = applyPatch(patch, before, PersistentVolumeClaimSchema) as PersistentVolumeClaim;
        expect(parts(result)).toEqual(parts(after));
        expect(result.spec).toEqual(before.spec);
      }),
    );
  });

  it('P-RZ-10 conditions that others write meanwhile -> stay', () => {
    fc.assert(
      fc.property(claim, step, (before, take) => {
        const foreign = { type: 'Foreign', status: 'True', lastProbeTime: null, lastTransitionTime: THEN };
        const conditions = [...(before.status.conditions ?? []), foreign];
        const meanwhile = { ...before, status: { ...before.status, conditions } };
        const patch = claimPatch(before, take(before), false);
        if (patch.type !== 'strategic') throw new Error('not a strategic patch');
        const result = applyPatch(patch, meanwhile, PersistentVolumeClaimSchema) as PersistentVolumeClaim;
        expect(result.status.conditions?.map(({ type }) => type)).toContain('Foreign');
      }),
    );
  });
});
