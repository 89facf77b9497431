import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import { decideExpansion, failedPatch, finishedPatch, isLarger, isRequestChanged } from './expansion.ts';

type Status = Partial<PersistentVolumeClaim['status']>;

function claim(
  status: Status,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  annotations: Readonly<Record<string, string>> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations,
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...spec },
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status },
  };
}

const at = (state: string, capacity = '1Gi'): Status => ({
  capacity: { storage: capacity },
  allocatedResources: { storage: '2Gi' },
  ...(state === '' ? {} : { allocatedResourceStatuses: { storage: state } }),
});
const SHARED = { accessModes: ['ReadWriteMany'] };
const SPARED = { 'volume.kubernetes.io/node-expansion-not-required': 'true' };

describe('whether a node may grow a volume now', () => {
  it.each([
    ['a resizer that writes no states', claim({}), { type: 'legacy' }],
    ['pending for the node', claim(at('NodeResizePending')), { type: 'expand', newSize: '2Gi', alreadyUpdated: false }],
    ['begun before', claim(at('NodeResizeInProgress')), { type: 'expand', newSize: '2Gi', alreadyUpdated: false }],
    ['still at the controller', claim(at('ControllerResizeInProgress')), { type: 'wait' }],
    ['known to be impossible', claim(at('NodeResizeInfeasible')), { type: 'wait' }],
    ['done', claim(at('', '2Gi')), { type: 'done', newSize: '2Gi' }],
    ['done by another node', claim(at('', '2Gi'), SHARED), { type: 'expand', newSize: '2Gi', alreadyUpdated: true }],
    ['done, no node step', claim(at('', '2Gi'), SHARED, SPARED), { type: 'done', newSize: '2Gi' }],
    ['no state and too small', claim(at('')), { type: 'wait' }],
  ])('P-KL-6 %s -> decided so', (_situation, given, expected) => {
    expect(decideExpansion(given)).toEqual(expected);
  });

  it.each([
    ['the wanted size is asked for', '2Gi', false],
    ['written otherwise', '2048Mi', false],
    ['the user gave it up', '1Gi', true],
  ])('%s -> changed: %s', (_situation, size, expected) => {
    expect(isRequestChanged(claim({}), size)).toBe(expected);
  });

  it.each([
    ['2Gi', '1Gi', true],
    ['1Gi', '1024Mi', false],
    ['0', undefined, false],
    [undefined, '1Gi', false],
  ])('%s after %s -> larger: %s', (wanted, size, expected) => {
    expect(isLarger(wanted, size)).toBe(expected);
  });
});

describe('what a node writes into a claim', () => {
  const condition = (type: string): NonNullable<Status['conditions']>[number] => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    message: 'old',
  });

  it('P-KL-6 grown -> size written, state and the conditions that are there taken away, against the version that was read', () => {
    const given = claim({ ...at('NodeResizeInProgress'), conditions: [condition('FileSystemResizePending')] });
    expect(finishedPatch(given, '2Gi')).toEqual({
      metadata: { resourceVersion: '7' },
      status: {
        capacity: { storage: '2Gi' },
        allocatedResourceStatuses: null,
        conditions: [{ type: 'FileSystemResizePending', $patch: 'delete' }],
      },
    });
  });

  it('P-KL-6 states of other resources -> stay', () => {
    const given = claim({ allocatedResourceStatuses: { storage: 'NodeResizeInProgress', other: 'x' } });
    expect(finishedPatch(given, '2Gi')).toMatchObject({ status: { allocatedResourceStatuses: { storage: null } } });
  });

  const failure = { message: 'boom', infeasible: true, now: 'now' };
  it('P-KL-6 failed for good -> state and condition', () => {
    expect(failedPatch(claim({}), failure)).toEqual({
      status: {
        allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' },
        conditions: [
          {
            type: 'NodeResizeError',
            status: 'True',
            lastTransitionTime: 'now',
            message: 'failed to expand pvc with boom',
          },
        ],
      },
    });
  });

  it('P-KL-6 failed again -> the first text stays', () => {
    const given = claim({ conditions: [condition('NodeResizeError')] });
    expect(failedPatch(given, { ...failure, infeasible: false })).toEqual({ status: {} });
  });
});
