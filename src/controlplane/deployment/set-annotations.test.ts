import { describe, expect, it } from 'vitest';
import { aDeployment, aReplicaSet } from '../../../test/workloads/makers.ts';
import { maxRevision, newSetAnnotations, replicasAnnotations, revisionOf } from './set-annotations.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const withRevision = (revision: string) => aReplicaSet('web', {}, {}, { annotations: { [REVISION]: revision } });

describe('P-DEP-7 newSetAnnotations', () => {
  it('a new set -> the Deployment’s annotations but its own, and the revision', () => {
    const annotations = {
      note: 'x',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      [REVISION]: '7',
      'deployment.kubernetes.io/desired-replicas': '1',
    };
    expect(newSetAnnotations(aDeployment({}, {}, { annotations }), {}, 3n)).toEqual({ note: 'x', [REVISION]: '3' });
  });

  it.each([
    [
      'a lower revision          -> raised, the former kept',
      { [REVISION]: '1' },
      3n,
      { [REVISION]: '3', [HISTORY]: '1' },
    ],
    [
      'raised again              -> both former kept',
      { [REVISION]: '3', [HISTORY]: '1' },
      5n,
      { [REVISION]: '5', [HISTORY]: '1,3' },
    ],
    ['already the highest       -> as it is', { [REVISION]: '9' }, 3n, { [REVISION]: '9' }],
    ['equal                     -> as it is', { [REVISION]: '3' }, 3n, { [REVISION]: '3' }],
    ['no number                 -> left alone', { [REVISION]: 'x' }, 3n, { [REVISION]: 'x' }],
  ])('%s', (_situation, before, revision, expected) => {
    expect(newSetAnnotations(aDeployment(), before, revision)).toEqual(expected);
  });

  it('a history that grows too long -> the oldest go', () => {
    const long = Array.from({ length: 400 }, (_, index) => String(1000 + index)).join(',');
    const { [HISTORY]: history = '' } = newSetAnnotations(
      aDeployment(),
      { [REVISION]: '2000', [HISTORY]: long },
      2001n,
    );
    expect(history.length).toBeLessThanOrEqual(2000);
    expect(history.startsWith('1001,')).toBe(true);
    expect(history.endsWith(',1399,2000')).toBe(true);
  });
});

describe('revisionOf', () => {
  it('none is 0, text counts nowhere -> the highest of the rest', () => {
    expect(revisionOf(aReplicaSet('web'))).toBe(0n);
    expect(revisionOf(withRevision('x'))).toBeUndefined();
    expect(revisionOf(withRevision('9223372036854775808'))).toBeUndefined();
    expect(maxRevision([withRevision('2'), withRevision('x'), withRevision('10'), aReplicaSet('web')])).toBe(10n);
  });
});

it('P-DEP-7 a revision beyond 2^53 -> the next one is one more, to the last digit', () => {
  const next = maxRevision([withRevision('3546343826724305832')]) + 1n;
  expect(newSetAnnotations(aDeployment(), {}, next)).toEqual({ [REVISION]: '3546343826724305833' });
});

describe('replicasAnnotations', () => {
  it('ten replicas with a quarter of surge -> 10 and 13', () => {
    expect(replicasAnnotations(aDeployment())).toEqual({
      'deployment.kubernetes.io/desired-replicas': '10',
      'deployment.kubernetes.io/max-replicas': '13',
    });
  });
});
