import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { Condition } from '../../kube/resources/meta.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../kube/resources/pod-disruption-budget.ts';
import {
  type BudgetPod,
  asksForScale,
  countHealthy,
  decideDisruptions,
  decideExpectation,
  decideStatus,
  failedStatus,
  isUpToDate,
} from './budget-status.ts';

const NOW = Date.UTC(2026, 0, 1);
const ago = (ms: number): string => timestamp(NOW - ms);
const pod = (name: string, parts: Partial<BudgetPod> = {}): BudgetPod => ({
  name,
  isGoing: false,
  isReady: true,
  ...parts,
});
const status = (parts: Partial<PodDisruptionBudgetStatus> = {}): PodDisruptionBudgetStatus => ({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
  ...parts,
});
const budget = (parts: Partial<PodDisruptionBudgetStatus> = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '', generation: 3 },
  spec: {},
  status: status(parts),
});
const condition = (parts: Partial<Condition>): Condition => ({
  type: 'DisruptionAllowed',
  status: 'True',
  reason: 'SufficientPods',
  message: '',
  lastTransitionTime: ago(0),
  ...parts,
});

describe('decideExpectation', () => {
  test.each([
    [
      'minAvailable 2            -> the pods that are there',
      { minAvailable: 2 },
      { expectedPods: 4, desiredHealthy: 2 },
    ],
    ['minAvailable 50 %, 5      -> rounded up', { minAvailable: '50%' }, { expectedPods: 5, desiredHealthy: 3 }],
    ['minAvailable 0 %          -> none', { minAvailable: '0%' }, { expectedPods: 5, desiredHealthy: 0 }],
    ['maxUnavailable 1          -> all but one', { maxUnavailable: 1 }, { expectedPods: 5, desiredHealthy: 4 }],
    ['maxUnavailable 30 %, 5    -> two may be away', { maxUnavailable: '30%' }, { expectedPods: 5, desiredHealthy: 3 }],
    ['maxUnavailable above all  -> none needed', { maxUnavailable: 9 }, { expectedPods: 5, desiredHealthy: 0 }],
    ['nothing said              -> nothing', {}, { expectedPods: 0, desiredHealthy: 0 }],
  ])('P-DIS-1 %s', (_, spec, expected) => {
    expect(decideExpectation(spec, { pods: 4, scale: 5 })).toEqual(expected);
  });

  test('P-DIS-1 a text that is no percentage -> refused', () => {
    expect(() => decideExpectation({ maxUnavailable: 'two' }, { pods: 1, scale: 1 })).toThrow(
      'string is not a percentage',
    );
  });

  test.each([
    [{ minAvailable: 2 }, false],
    [{ minAvailable: '2%' }, true],
    [{ maxUnavailable: 1 }, true],
    [{}, false],
  ])('asksForScale %j -> %s', (spec, asks) => {
    expect(asksForScale(spec)).toBe(asks);
  });
});

describe('pods that were evicted', () => {
  const disrupted = status({
    disruptedPods: {
      soon: ago(30 * SECOND_MS),
      later: ago(10 * SECOND_MS),
      late: ago(121 * SECOND_MS),
      going: ago(0),
      gone: ago(0),
      edge: ago(2 * MINUTE_MS),
    },
  });
  const pods = [pod('soon'), pod('later'), pod('late'), pod('going', { isGoing: true }), pod('other'), pod('edge')];

  test('P-DIS-3 within two minutes -> kept; going or gone -> forgotten; too late -> told', () => {
    expect(decideDisruptions(disrupted, pods, NOW)).toEqual({
      disruptedPods: { soon: ago(30 * SECOND_MS), later: ago(10 * SECOND_MS), edge: ago(2 * MINUTE_MS) },
      notDeleted: ['late'],
      recheckAt: NOW,
    });
  });

  test('P-DIS-3 nobody -> no time to look again', () => {
    expect(decideDisruptions(status(), pods, NOW)).toEqual({ disruptedPods: {}, notDeleted: [], recheckAt: undefined });
  });

  test('P-DIS-2 healthy are those that are ready, not going and not expected to go', () => {
    const counted = [pod('a'), pod('b', { isReady: false }), pod('c', { isGoing: true }), pod('soon'), pod('edge')];
    expect(countHealthy(counted, disrupted.disruptedPods ?? {}, NOW)).toBe(2);
  });
});

describe('decideStatus', () => {
  const facts = { expectedPods: 5, desiredHealthy: 3, currentHealthy: 4, disruptedPods: {} };
  test.each([
    ['4 of 3 healthy        -> one', facts, 1, 'True', 'SufficientPods'],
    ['3 of 3 healthy        -> none', { ...facts, currentHealthy: 3 }, 0, 'False', 'InsufficientPods'],
    ['1 of 3 healthy        -> none', { ...facts, currentHealthy: 1 }, 0, 'False', 'InsufficientPods'],
    ['no pods are expected  -> none', { ...facts, expectedPods: 0, desiredHealthy: 0 }, 0, 'False', 'InsufficientPods'],
  ])('P-DIS-2 %s', (_, given, disruptionsAllowed, state, reason) => {
    const decided = decideStatus(budget(), given, NOW);
    expect(decided).toMatchObject({ disruptionsAllowed, observedGeneration: 3 });
    expect(decided.conditions).toEqual([condition({ status: state, reason, observedGeneration: 3 })]);
  });

  test('P-DIS-2 the condition keeps its time while it says the same', () => {
    const before = budget({ conditions: [condition({ lastTransitionTime: ago(MINUTE_MS) })] });
    expect(decideStatus(before, facts, NOW).conditions?.[0]?.lastTransitionTime).toBe(ago(MINUTE_MS));
  });

  test('P-DIS-4 counting failed -> nothing allowed, the rest as it was, with the reason', () => {
    const before = budget({
      disruptionsAllowed: 2,
      currentHealthy: 4,
      observedGeneration: 2,
      conditions: [condition({})],
    });
    expect(failedStatus(before, 'no controllers', NOW)).toEqual({
      ...before.status,
      disruptionsAllowed: 0,
      conditions: [
        condition({ status: 'False', reason: 'SyncFailed', message: 'no controllers', observedGeneration: 2 }),
      ],
    });
  });
});

describe('isUpToDate', () => {
  const facts = { expectedPods: 5, desiredHealthy: 3, currentHealthy: 4, disruptedPods: {} };
  const written = budget(decideStatus(budget(), facts, NOW));
  test.each([
    ['the same                -> yes', written, facts, true],
    ['another count           -> no', written, { ...facts, currentHealthy: 5 }, false],
    ['a pod was evicted       -> no', written, { ...facts, disruptedPods: { p: ago(0) } }, false],
    ['never counted           -> no', budget(), facts, false],
    ['of an older generation  -> no', budget({ ...written.status, observedGeneration: 2 }), facts, false],
    ['failed before           -> no', budget(failedStatus(written, 'x', NOW)), { ...facts, currentHealthy: 3 }, false],
  ])('P-DIS-2 %s', (_, before, given, same) => {
    expect(isUpToDate(before, decideStatus(before, given, NOW))).toBe(same);
  });
});
