import { describe, expect, it } from 'vitest';
import { aDeployment, aReplicaSet } from '../../../test/workloads/makers.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { decideCleanup } from './decide-cleanup.ts';

const old = (
  revision: number,
  parts: {
    readonly replicas?: number;
    readonly pods?: number;
    readonly deleting?: boolean;
    readonly behind?: boolean;
  } = {},
): ReplicaSet => {
  const { replicas = 0, pods = 0, deleting = false, behind = false } = parts;
  return aReplicaSet(
    `web-${revision}`,
    { replicas },
    { replicas: pods, observedGeneration: behind ? 1 : 2 },
    {
      generation: 2,
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  );
};
const namesOf = (limit: number | undefined, sets: readonly ReplicaSet[]) =>
  decideCleanup(aDeployment(limit === undefined ? {} : { revisionHistoryLimit: limit }), sets).map(
    ({ metadata }) => metadata.name,
  );

describe('P-DEP-8 decideCleanup', () => {
  it.each([
    ['as many as may be kept           -> none', 3, [old(1), old(2), old(3)], []],
    [
      'more                             -> those of the lowest revisions',
      1,
      [old(10), old(9), old(2)],
      ['web-2', 'web-9'],
    ],
    ['none may be kept                 -> all', 0, [old(2), old(1)], ['web-1', 'web-2']],
    ['without a limit                  -> none', undefined, [old(1), old(2)], []],
    ['the largest limit                -> none', 2 ** 31 - 1, [old(1), old(2)], []],
    [
      'one has pods or is to have some  -> it stays, and nobody goes instead',
      1,
      [old(1, { pods: 1 }), old(2, { replicas: 1 }), old(3), old(4)],
      ['web-3'],
    ],
    ['its controller has not looked yet -> it stays', 0, [old(1, { behind: true })], []],
    ['one is going already             -> not counted', 1, [old(1, { deleting: true }), old(2)], []],
  ])('%s', (_situation, limit, sets, expected) => {
    expect(namesOf(limit, sets)).toEqual(expected);
  });
});
