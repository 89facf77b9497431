import { describe, expect, it } from 'vitest';
import { NOW, aMember, aReplicaSet, ago } from '../../../test/workloads/makers.ts';
import { isNews, statusOf } from './status.ts';

const active = [
  aMember('a'),
  aMember('b', { readyFor: 3 }),
  aMember('c', { readyFor: undefined, labels: { app: 'other' } }),
];
const facts = { active, terminating: [], failure: undefined, now: NOW };

describe('P-RS-6 statusOf', () => {
  it('pods in all states -> each count', () => {
    const set = aReplicaSet('web', { replicas: 3, minReadySeconds: 10 }, {}, { generation: 7 });
    expect(statusOf({ ...facts, set, terminating: [aMember('d', { deleting: true })] })).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 7,
    });
  });

  it('a version that does not count pods in deletion -> no such count', () => {
    expect(statusOf({ ...facts, set: aReplicaSet('web'), terminating: undefined })).not.toHaveProperty(
      'terminatingReplicas',
    );
  });

  it.each([
    ['too few pods  -> FailedCreate', 5, 'FailedCreate'],
    ['too many pods -> FailedDelete', 1, 'FailedDelete'],
  ])('a failure with %s', (_situation, replicas, reason) => {
    const { conditions } = statusOf({ ...facts, set: aReplicaSet('web', { replicas }), failure: 'no room' });
    expect(conditions).toEqual([
      { type: 'ReplicaFailure', status: 'True', lastTransitionTime: ago(0), reason, message: 'no room' },
    ]);
  });

  it('another failure -> the first one stays; none any more -> the condition goes, others stay', () => {
    const conditions = [
      { type: 'ReplicaFailure', status: 'True', lastTransitionTime: ago(60), reason: 'FailedCreate', message: 'first' },
      { type: 'Other', status: 'True', lastTransitionTime: ago(60) },
    ];
    const set = aReplicaSet('web', { replicas: 5 }, { conditions });
    expect(statusOf({ ...facts, set, failure: 'second' }).conditions).toEqual(conditions);
    expect(statusOf({ ...facts, set }).conditions).toEqual(conditions.slice(1));
  });
});

describe('isNews', () => {
  const set = aReplicaSet('web');
  const status = statusOf({ ...facts, set });
  const told = aReplicaSet('web', {}, status);

  it('told already -> no news', () => {
    expect(isNews(told, status)).toBe(false);
  });

  it.each([
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'terminatingReplicas',
    'observedGeneration',
  ] as const)('%s changed -> news', (count) => {
    expect(isNews(told, { ...status, [count]: (status[count] ?? 0) + 1 })).toBe(true);
  });

  it('a condition came or went -> news', () => {
    const failed = statusOf({ ...facts, set, failure: 'x' });
    expect(isNews(told, failed)).toBe(true);
    expect(isNews(aReplicaSet('web', {}, failed), status)).toBe(true);
  });
});
