import { describe, expect, it } from 'vitest';
import { NOW, aDeployment, aReplicaSet, ago } from '../../../test/workloads/makers.ts';
import { SECOND_MS } from '../../base/clock.ts';
import type { DeploymentSpec, DeploymentStatus } from '../../kube/resources/deployment.ts';
import type { ReplicaSetStatus } from '../../kube/resources/replica-set.ts';
import { nextProgressCheckAfter, pauseSaying, withProgress } from './progress.ts';
import { profileOf } from './profile.ts';
import { isComplete, isNews, statusOf } from './status.ts';

const profile = profileOf();
const progressing = (reason: string, secondsAgo: number, status = 'True') => ({
  type: 'Progressing',
  status,
  lastUpdateTime: ago(secondsAgo),
  lastTransitionTime: ago(secondsAgo),
  reason,
  message: '',
});
const newSet = (replicas: number, status: Partial<ReplicaSetStatus>) =>
  aReplicaSet('web-new', { replicas }, { terminatingReplicas: 0, ...status });

describe('P-DEP-6 statusOf', () => {
  const sets = {
    newSet: newSet(3, { replicas: 2, readyReplicas: 2, availableReplicas: 1, terminatingReplicas: 1 }),
    oldSets: [
      aReplicaSet(
        'web-old',
        { replicas: 8 },
        { replicas: 9, readyReplicas: 8, availableReplicas: 7, terminatingReplicas: 2 },
      ),
    ],
  };

  it('counts of all sets -> sums, the new one apart', () => {
    expect(statusOf(aDeployment({}, { collisionCount: 2 }), sets, profile, NOW)).toEqual({
      observedGeneration: 1,
      replicas: 11,
      updatedReplicas: 2,
      readyReplicas: 10,
      availableReplicas: 8,
      unavailableReplicas: 3,
      terminatingReplicas: 3,
      collisionCount: 2,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastUpdateTime: ago(0),
          lastTransitionTime: ago(0),
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        },
      ],
    });
  });

  it('fewer available than may be missing -> not Available, since now', () => {
    const conditions = [{ ...progressing('MinimumReplicasAvailable', 60), type: 'Available' }];
    const status = statusOf(aDeployment({ replicas: 20 }, { conditions }), sets, profile, NOW);
    expect(status.conditions).toMatchObject([
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', lastTransitionTime: ago(0) },
    ]);
  });

  it('a set does not say how many pods are in deletion -> neither does the Deployment', () => {
    const silent = { ...sets, oldSets: [aReplicaSet('web-old', { replicas: 8 }, { replicas: 8 })] };
    expect(statusOf(aDeployment(), silent, profile, NOW)).not.toHaveProperty('terminatingReplicas');
    const unseen = { ...sets, oldSets: [aReplicaSet('web-old', {}, { replicas: 0, observedGeneration: 0 })] };
    expect(statusOf(aDeployment(), unseen, profile, NOW).terminatingReplicas).toBe(1);
    expect(statusOf(aDeployment(), sets, profileOf('1.34'), NOW)).not.toHaveProperty('terminatingReplicas');
  });

  it('told already -> no news; an unset count is 0', () => {
    const none = { newSet: newSet(0, {}), oldSets: [] };
    const status = statusOf(aDeployment({ replicas: 0 }), none, profile, NOW);
    const { conditions } = status;
    expect(isNews(aDeployment({}, { observedGeneration: 1, terminatingReplicas: 0, conditions }), status)).toBe(false);
    expect(isNews(aDeployment({}, { observedGeneration: 1, conditions }), status)).toBe(true);
    expect(
      isNews(aDeployment({}, { observedGeneration: 1, terminatingReplicas: 0, replicas: 1, conditions }), status),
    ).toBe(true);
  });
});

describe('isComplete', () => {
  const done = { updatedReplicas: 10, replicas: 10, availableReplicas: 10, observedGeneration: 1 };
  it.each([
    ['all updated and available     -> complete', {}, true],
    ['one not updated               -> not', { updatedReplicas: 9 }, false],
    ['one too many                  -> not', { replicas: 11 }, false],
    ['one not available             -> not', { availableReplicas: 9 }, false],
    ['of an older generation        -> not', { observedGeneration: 0 }, false],
  ])('%s', (_situation, part, expected) => {
    expect(isComplete(aDeployment(), { ...done, ...part })).toBe(expected);
  });
});

describe('P-DEP-6 withProgress', () => {
  const said = (
    set: ReturnType<typeof newSet> | undefined,
    before: DeploymentStatus,
    spec: Partial<DeploymentSpec> = {},
  ) => {
    const deployment = aDeployment({ replicas: 2, ...spec }, before);
    const sets = { newSet: set, oldSets: [] };
    const { conditions } = withProgress(deployment, statusOf(deployment, sets, profile, NOW), sets, NOW);
    return conditions.find(({ type }) => type === 'Progressing');
  };
  const half = newSet(2, { replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const full = newSet(2, { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
  const halfBefore = { replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 };

  it('all available -> progressed', () => {
    expect(said(full, { conditions: [progressing('ReplicaSetUpdated', 60)] })).toEqual({
      type: 'Progressing',
      status: 'True',
      lastUpdateTime: ago(0),
      lastTransitionTime: ago(60),
      reason: 'NewReplicaSetAvailable',
      message: 'ReplicaSet "web-new" has successfully progressed.',
    });
  });

  it('a count moved the right way -> the deadline runs anew', () => {
    const before = {
      ...halfBefore,
      readyReplicas: 0,
      availableReplicas: 0,
      conditions: [progressing('ReplicaSetUpdated', 60)],
    };
    expect(said(half, before)).toMatchObject({
      reason: 'ReplicaSetUpdated',
      message: 'ReplicaSet "web-new" is progressing.',
      lastUpdateTime: ago(0),
      lastTransitionTime: ago(60),
    });
  });

  it.each([
    ['nothing moved, within the deadline          -> as it was', 600, { reason: 'ReplicaSetUpdated', status: 'True' }],
    [
      'nothing moved, past the deadline            -> timed out',
      601,
      {
        reason: 'ProgressDeadlineExceeded',
        status: 'False',
        message: 'ReplicaSet "web-new" has timed out progressing.',
      },
    ],
  ])('%s', (_situation, secondsAgo, expected) => {
    expect(said(half, { ...halfBefore, conditions: [progressing('ReplicaSetUpdated', secondsAgo)] })).toMatchObject(
      expected,
    );
  });

  it('complete before and looked at again, long ago -> not judged', () => {
    const before = { ...halfBefore, conditions: [progressing('NewReplicaSetAvailable', 9999)] };
    expect(said(half, before)).toMatchObject({ reason: 'NewReplicaSetAvailable', lastUpdateTime: ago(9999) });
  });

  it('timed out -> stays so until something moves', () => {
    const before = { ...halfBefore, conditions: [progressing('ProgressDeadlineExceeded', 5, 'False')] };
    expect(said(half, before)).toMatchObject({ reason: 'ProgressDeadlineExceeded', lastUpdateTime: ago(5) });
    expect(said(full, before)).toMatchObject({
      reason: 'NewReplicaSetAvailable',
      status: 'True',
      lastTransitionTime: ago(0),
    });
  });

  it('no deadline -> no word; no set yet -> the Deployment is named', () => {
    const before = { ...halfBefore, conditions: [progressing('ReplicaSetUpdated', 60)] };
    expect(said(half, before, { progressDeadlineSeconds: 2 ** 31 - 1 })).toBeUndefined();
    expect(said(undefined, { ...before, replicas: 2, updatedReplicas: 0 })?.message).toBe(
      'Deployment "web" is progressing.',
    );
  });

  it('a set cannot make its pods -> ReplicaFailure, the new set’s before others’; over -> gone', () => {
    const failure = (message: string) => ({
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: ago(9),
      reason: 'FailedCreate',
      message,
    });
    const deployment = aDeployment();
    const failing = {
      newSet: newSet(1, { conditions: [failure('new')] }),
      oldSets: [aReplicaSet('web-old', {}, { conditions: [failure('old')] })],
    };
    const of = (sets: typeof failing) =>
      withProgress(deployment, statusOf(deployment, sets, profile, NOW), sets, NOW).conditions;
    expect(of(failing)).toContainEqual({ ...failure('new'), lastUpdateTime: ago(9) });
    expect(of({ ...failing, newSet: newSet(1, {}) })).toContainEqual({ ...failure('old'), lastUpdateTime: ago(9) });
    const healed = aDeployment({}, { conditions: [{ ...failure('new'), lastUpdateTime: ago(9) }] });
    const fine = { newSet: newSet(1, {}), oldSets: [] };
    const { conditions } = withProgress(healed, statusOf(healed, fine, profile, NOW), fine, NOW);
    expect(conditions.map(({ type }) => type)).not.toContain('ReplicaFailure');
  });
});

describe('P-DEP-5 pauseSaying', () => {
  it.each([
    ['paused                         -> said', true, 'ReplicaSetUpdated', 'DeploymentPaused'],
    ['paused and said                -> nothing', true, 'DeploymentPaused', undefined],
    ['resumed                        -> said', false, 'DeploymentPaused', 'DeploymentResumed'],
    ['going on                       -> nothing', false, 'ReplicaSetUpdated', undefined],
    ['paused after it timed out      -> it stays timed out', true, 'ProgressDeadlineExceeded', undefined],
  ])('%s', (_situation, paused, reason, expected) => {
    expect(pauseSaying(aDeployment({ paused }, { conditions: [progressing(reason, 5)] }))?.reason).toBe(expected);
  });

  it('no deadline -> nothing to say', () => {
    expect(pauseSaying(aDeployment({ paused: true, progressDeadlineSeconds: 2 ** 31 - 1 }))).toBeUndefined();
  });
});

describe('nextProgressCheckAfter', () => {
  const check = (reason: string, secondsAgo: number, available = 1) => {
    const deployment = aDeployment({ replicas: 2 }, { conditions: [progressing(reason, secondsAgo)] });
    const set = newSet(2, { replicas: 2, availableReplicas: available });
    return nextProgressCheckAfter(deployment, statusOf(deployment, { newSet: set, oldSets: [] }, profile, NOW), NOW);
  };

  it.each([
    ['going on            -> a second after the deadline', 'ReplicaSetUpdated', 180, 1, 421 * SECOND_MS],
    ['at the deadline     -> at once', 'ReplicaSetUpdated', 600, 1, 1],
    ['timed out           -> never', 'ProgressDeadlineExceeded', 5, 1, undefined],
    ['complete            -> never', 'ReplicaSetUpdated', 5, 2, undefined],
    ['complete before     -> never', 'NewReplicaSetAvailable', 9999, 1, undefined],
  ])('%s', (_situation, reason, secondsAgo, available, expected) => {
    expect(check(reason, secondsAgo, available)).toBe(expected);
  });
});
