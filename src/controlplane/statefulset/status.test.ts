import { describe, expect, it } from 'vitest';
import { NOW, aMember, aStatefulSet } from '../../../test/workloads/makers.ts';
import { completed, isNews, statusOf } from './status.ts';

const at = (revision: string) => ({ labels: { 'controller-revision-hash': revision } });
const pods = [
  aMember('web-0', at('new')),
  aMember('web-1', { ...at('old'), readyFor: 3 }),
  aMember('web-2', { ...at('old'), deleting: true }),
  aMember('web-3', { phase: 'Pending', readyFor: undefined }),
];
const facts = { pods, currentRevision: 'old', updateRevision: 'new', collisionCount: 0, now: NOW };

describe('P-STS-10 statusOf', () => {
  it('pods in all states -> each count', () => {
    expect(statusOf({ ...facts, set: aStatefulSet({ minReadySeconds: 10 }) })).toEqual({
      observedGeneration: 1,
      replicas: 4,
      readyReplicas: 3,
      availableReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: 'old',
      updateRevision: 'new',
      collisionCount: 0,
    });
  });
});

describe('completed', () => {
  const status = statusOf({ ...facts, pods: [aMember('web-0', at('new'))], set: aStatefulSet() });

  it('all updated and ready -> what was wanted is current', () => {
    expect(completed(aStatefulSet({ replicas: 1 }), status)).toMatchObject({
      currentRevision: 'new',
      currentReplicas: 1,
    });
  });

  it('one missing, or updates by deletion only -> not over', () => {
    expect(completed(aStatefulSet({ replicas: 2 }), status)).toBe(status);
    expect(completed(aStatefulSet({ replicas: 1, updateStrategy: { type: 'OnDelete' } }), status)).toBe(status);
  });
});

describe('isNews', () => {
  const set = aStatefulSet();
  const status = statusOf({ ...facts, set });
  const told = aStatefulSet({}, status);

  it('told already -> no news; an older generation -> no news', () => {
    expect(isNews(told, status)).toBe(false);
    expect(isNews(told, { ...status, observedGeneration: 0 })).toBe(false);
  });

  it.each([
    'observedGeneration',
    'replicas',
    'readyReplicas',
    'availableReplicas',
    'currentReplicas',
    'updatedReplicas',
  ] as const)('%s changed -> news', (count) => {
    expect(isNews(told, { ...status, [count]: status[count] + 1 })).toBe(true);
  });

  it('a revision changed -> news', () => {
    expect(isNews(told, { ...status, currentRevision: 'x' })).toBe(true);
    expect(isNews(told, { ...status, updateRevision: 'x' })).toBe(true);
  });
});
