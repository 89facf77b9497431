import { describe, expect, it } from 'vitest';
import { aDeployment, aReplicaSet, ago } from '../../../test/workloads/makers.ts';
import type { DeploymentSpec } from '../../kube/resources/deployment.ts';
import { decideNewSize, decideOldSizes, decideScale, isScalingEvent } from './decide-sizes.ts';

/** A set with so many replicas, of which so many are available; made so many seconds ago. */
const aSet = (
  name: string,
  replicas: number,
  available = replicas,
  parts: { readonly age?: number; readonly max?: number; readonly desired?: number } = {},
) => {
  const { age = 100, max, desired } = parts;
  const annotations = {
    ...(desired === undefined ? {} : { 'deployment.kubernetes.io/desired-replicas': String(desired) }),
    ...(max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }),
  };
  return aReplicaSet(
    name,
    { replicas },
    { replicas, availableReplicas: available },
    { creationTimestamp: ago(age), annotations },
  );
};
const rolling = (maxSurge: number | string, maxUnavailable: number | string): Partial<DeploymentSpec> => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const shown = (resizes: readonly { readonly name: string; readonly replicas: number }[]) =>
  resizes.map(({ name, replicas }) => `${name} ${replicas}`);

describe('P-DEP-2 decideNewSize', () => {
  it.each([
    ['nothing old                         -> all', 10, rolling(3, 2), [], 0, 10],
    ['all old, room for three             -> three', 10, rolling(3, 2), [10], 0, 3],
    ['old ones going                      -> as many more as fit', 10, rolling(3, 2), [8], 3, 5],
    ['no room                             -> as it is', 10, rolling(3, 2), [10], 3, 3],
    ['more room than wanted               -> all', 10, rolling(3, 2), [1], 6, 10],
    ['larger than wanted                  -> as wanted', 5, rolling(3, 2), [1], 9, 5],
    ['no surge, nothing gone yet          -> none', 10, rolling(0, 2), [10], 0, 0],
    ['Recreate                            -> all', 10, { strategy: { type: 'Recreate' } }, [0], 0, 10],
  ])('%s', (_situation, replicas, spec, old, size, expected) => {
    const others = old.map((count, index) => aSet(`old-${index}`, count));
    expect(decideNewSize(aDeployment({ replicas, ...spec }), others, size)).toBe(expected);
  });
});

describe('P-DEP-2 decideOldSizes', () => {
  const deployment = aDeployment({ replicas: 10, ...rolling(3, 2) });

  it.each([
    [
      'new ones not available             -> as many as may be missing',
      [aSet('old', 10)],
      aSet('new', 3, 0),
      ['old 8'],
    ],
    ['new ones available                 -> as many as are replaced', [aSet('old', 8)], aSet('new', 5, 5), ['old 3']],
    ['everything may go                  -> everything goes', [aSet('old', 1)], aSet('new', 10, 10), ['old 0']],
    ['nothing to spare                   -> nothing', [aSet('old', 8)], aSet('new', 5, 0), []],
    ['nothing old                        -> nothing', [aSet('old', 0)], aSet('new', 10, 10), []],
    [
      'unhealthy old ones                 -> those first, then no more than may be missing',
      [aSet('old', 10, 8)],
      aSet('new', 3, 0),
      ['old 8'],
    ],
    [
      'an unhealthy old set beside a good one -> the unhealthy goes whole',
      [aSet('bad', 3, 0, { age: 10 }), aSet('good', 10, 10, { age: 90 })],
      aSet('new', 0, 0),
      ['bad 0', 'good 8'],
    ],
    [
      'two good ones                      -> the oldest first',
      [aSet('younger', 4, 4, { age: 10 }), aSet('older', 4, 4, { age: 90 })],
      aSet('new', 5, 5),
      ['older 0', 'younger 3'],
    ],
  ])('%s', (_situation, oldSets, newSet, expected) => {
    expect(shown(decideOldSizes(deployment, newSet, oldSets))).toEqual(expected);
  });

  it('a set is touched twice -> two steps, each from where the last one left it', () => {
    const resizes = decideOldSizes(aDeployment({ replicas: 4, ...rolling(2, 2) }), aSet('new', 2, 2), [
      aSet('old', 4, 3),
    ]);
    expect(shown(resizes)).toEqual(['old 3', 'old 0']);
  });
});

describe('isScalingEvent', () => {
  it.each([
    ['sized for what is wanted            -> no', aSet('a', 3, 3, { desired: 10 }), false],
    ['sized for another size              -> yes', aSet('a', 3, 3, { desired: 5 }), true],
    ['does not say                        -> no', aSet('a', 3), false],
    ['sized for another, but empty        -> no', aSet('a', 0, 0, { desired: 5 }), false],
  ])('%s', (_situation, set, expected) => {
    expect(isScalingEvent(aDeployment(), [set])).toBe(expected);
  });

  it('an annotation that is no count -> says nothing', () => {
    const set = aReplicaSet(
      'a',
      { replicas: 1 },
      {},
      { annotations: { 'deployment.kubernetes.io/desired-replicas': '-3' } },
    );
    expect(isScalingEvent(aDeployment(), [set])).toBe(false);
  });
});

/** Rows of upstream's own tests. kubernetes:pkg/controller/deployment/deployment_controller_test.go, sync_test.go */
describe('P-DEP-4 decideScale', () => {
  const scale = (
    replicas: number,
    sets: { readonly newSet?: ReturnType<typeof aSet>; readonly oldSets?: readonly ReturnType<typeof aSet>[] },
    spec: Partial<DeploymentSpec> = rolling(0, 0),
  ) => shown(decideScale(aDeployment({ replicas, ...spec }), { newSet: sets.newSet, oldSets: sets.oldSets ?? [] }));
  const sized = (name: string, replicas: number, age: number, max: number) => aSet(name, replicas, 0, { age, max });

  it.each([
    ['one active set, up', 12, { newSet: sized('foo-v1', 10, 1, 10) }, ['foo-v1 12']],
    ['one active set, down', 5, { newSet: sized('foo-v1', 10, 1, 10) }, ['foo-v1 5']],
    ['one active set, as wanted', 10, { newSet: sized('foo-v1', 10, 1, 10) }, []],
    [
      'none active: the new one',
      4,
      { newSet: sized('foo-v1', 0, 1, 10), oldSets: [sized('old', 0, 9, 10)] },
      ['foo-v1 4'],
    ],
    [
      'none active, none new: the youngest',
      4,
      { oldSets: [sized('older', 0, 9, 10), sized('young', 0, 2, 10)] },
      ['young 4'],
    ],
    [
      'two of equal size, up: equally',
      12,
      { newSet: sized('foo-v2', 5, 1, 10), oldSets: [sized('foo-v1', 5, 2, 10)] },
      ['foo-v2 6', 'foo-v1 6'],
    ],
    [
      'two of equal size, down: equally',
      8,
      { newSet: sized('foo-v2', 5, 1, 10), oldSets: [sized('foo-v1', 5, 2, 10)] },
      ['foo-v1 4', 'foo-v2 4'],
    ],
    [
      'leftover, up: the younger gets it',
      11,
      { newSet: sized('foo-v2', 5, 1, 10), oldSets: [sized('foo-v1', 5, 2, 10)] },
      ['foo-v2 6', 'foo-v1 5'],
    ],
    [
      'three, up',
      12,
      { newSet: sized('foo-v3', 2, 1, 8), oldSets: [sized('foo-v2', 4, 2, 8), sized('foo-v1', 2, 3, 8)] },
      ['foo-v2 6', 'foo-v3 3', 'foo-v1 3'],
    ],
    [
      'to none',
      0,
      { newSet: sized('foo-v2', 6, 1, 10), oldSets: [sized('foo-v1', 4, 2, 10)] },
      ['foo-v2 0', 'foo-v1 0'],
    ],
  ])('%s', (_situation, replicas, sets, expected) => {
    expect(scale(replicas, sets)).toEqual(expected);
  });

  it('with surge -> the surge is shared out too', () => {
    const sets = { newSet: sized('foo-v2', 6, 1, 13), oldSets: [sized('foo-v1', 7, 2, 13)] };
    expect(scale(20, sets, rolling(3, 2))).toEqual(['foo-v1 12', 'foo-v2 11']);
  });

  it('no annotation -> the size that the Deployment says it has', () => {
    const sets = { newSet: aSet('foo-v2', 5, 0, { age: 1 }), oldSets: [aSet('foo-v1', 5, 0, { age: 2 })] };
    const deployment = aDeployment({ replicas: 20, ...rolling(0, 0) }, { replicas: 10 });
    expect(shown(decideScale(deployment, { newSet: sets.newSet, oldSets: sets.oldSets }))).toEqual([
      'foo-v2 10',
      'foo-v1 10',
    ]);
  });

  it('the new set holds everything and is available -> old ones go', () => {
    const newSet = aSet('new', 10, 10, { desired: 10 });
    expect(scale(10, { newSet, oldSets: [aSet('old', 3)] })).toEqual(['old 0']);
  });

  it('Recreate with two active sets -> nothing is shared out', () => {
    expect(
      scale(12, { newSet: sized('b', 5, 1, 10), oldSets: [sized('a', 5, 2, 10)] }, { strategy: { type: 'Recreate' } }),
    ).toEqual([]);
  });
});
