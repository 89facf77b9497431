import { describe, expect, test } from 'vitest';
import type { DaemonSetSpec } from '../../kube/resources/daemon-set.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { podsByNode } from './daemon-pods.ts';
import { type DaemonFacts, decideManagement, decideRollout } from './decide-daemons.ts';
import { aNode } from '../../../test/scheduler/makers.ts';
import { type DaemonPodParts, aDaemonPod, aDaemonSet } from '../../../test/workloads/daemons.ts';
import { statusOf } from './status.ts';

const NOW = Date.UTC(2026, 0, 1, 1);
const SURGE = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } };
const ON_DELETE = { updateStrategy: { type: 'OnDelete' } };
const TAINTED = [{ key: 'own', effect: 'NoExecute' }];

const facts = (
  pods: readonly Pod[],
  spec: Partial<DaemonSetSpec> = {},
  nodes = [aNode({ name: 'a' }), aNode({ name: 'b' })],
): DaemonFacts => ({
  set: aDaemonSet(spec),
  hash: 'new',
  nodes,
  pods: podsByNode(pods),
  now: NOW,
});
const on = (name: string, parts: DaemonPodParts = {}): Pod => aDaemonPod(name, name[0] ?? '', parts);
const OLD = { hash: 'old' };
const LATER = { createdAt: '2026-01-01T00:30:00Z' };
const BROKEN = { isReady: false };

describe('P-DS-2 decideManagement', () => {
  test.each([
    ['no pod                        -> one on every node', [], {}, ['a', 'b'], []],
    ['one on each                   -> nothing', [on('a1'), on('b1')], {}, [], []],
    ['one is leaving                -> its successor waits', [on('a1', { isLeaving: true }), on('b1')], {}, [], []],
    ['two on a node                 -> the older stays', [on('a1'), on('a2', LATER), on('b1')], {}, [], ['a2']],
    ['leaving, with surge           -> at once', [on('a1', { isLeaving: true }), on('b1')], SURGE, ['a'], []],
    ['old and new, new not ready    -> both stay', [on('a1', OLD), on('a2', BROKEN), on('b1')], SURGE, [], []],
    ['old and new, new available    -> the old goes', [on('a1', OLD), on('a2'), on('b1')], SURGE, [], ['a1']],
    [
      'old not ready beside a new    -> the old goes',
      [on('a1', { ...OLD, ...BROKEN }), on('a2', BROKEN), on('b1')],
      SURGE,
      [],
      ['a1'],
    ],
  ])('%s', (_situation, pods, spec, create, remove) => {
    const plan = decideManagement(facts(pods, spec));
    expect([plan.create, plan.remove.map(({ metadata }) => metadata.name)]).toEqual([create, remove]);
  });

  test('a node that drives pods off -> its pod goes; a pod for a node that is gone -> goes', () => {
    const { nodeName: _none, ...spec } = on('c1').spec;
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['c'] }] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
    const waiting: Pod = { ...on('c1'), spec: { ...spec, affinity: { nodeAffinity: required } } };
    const plan = decideManagement(
      facts([on('a1'), on('b1'), waiting], {}, [aNode({ name: 'a', taints: TAINTED }), aNode({ name: 'b' })]),
    );
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(['a1', 'c1']);
  });

  test('P-DS-5 a pod that has ended -> named apart, and no second one beside it', () => {
    const plan = decideManagement(facts([on('a1', { phase: 'Failed' }), on('b1')]));
    expect([plan.create, plan.remove, [...plan.ended.keys()]]).toEqual([[], [], ['a']]);
  });
});

describe('P-DS-3 decideRollout', () => {
  test.each([
    ['all old, one may be missing   -> one goes', [on('a1', OLD), on('b1', OLD)], {}, [], ['a1']],
    ['one new, not yet available    -> wait', [on('a1', BROKEN), on('b1', OLD)], {}, [], []],
    ['one new, available            -> the next goes', [on('a1'), on('b1', OLD)], {}, [], ['b1']],
    ['an old one does not work      -> goes at once', [on('a1', { ...OLD, ...BROKEN }), on('b1', OLD)], {}, [], ['a1']],
    ['all new                       -> nothing', [on('a1'), on('b1')], {}, [], []],
    ['OnDelete                      -> nothing', [on('a1', OLD), on('b1', OLD)], ON_DELETE, [], []],
    ['surge, all old                -> one new beside', [on('a1', OLD), on('b1', OLD)], SURGE, ['a'], []],
    ['surge, new one comes up       -> wait', [on('a1', OLD), on('a2', BROKEN), on('b1', OLD)], SURGE, [], []],
    [
      'surge, new one available      -> old goes, next comes',
      [on('a1', OLD), on('a2'), on('b1', OLD)],
      SURGE,
      ['b'],
      ['a1'],
    ],
  ])('%s', (_situation, pods, spec, create, remove) => {
    const plan = decideRollout(facts(pods, spec));
    expect([plan.create, plan.remove.map(({ metadata }) => metadata.name)]).toEqual([create, remove]);
  });

  test('half of the nodes may be missing -> half of the pods go, rounded up', () => {
    const nodes = ['a', 'b', 'c'].map((name) => aNode({ name }));
    const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } };
    const plan = decideRollout(facts([on('a1', OLD), on('b1', OLD), on('c1', OLD)], spec, nodes));
    expect(plan.remove).toHaveLength(2);
  });
});

test('P-DS-4 the status counts nodes, not pods', () => {
  const nodes = [
    aNode({ name: 'a' }),
    aNode({ name: 'b' }),
    aNode({ name: 'c', taints: TAINTED }),
    aNode({ name: 'd' }),
  ];
  const pods = [on('a1'), on('a2', LATER), on('b1', { ...OLD, ...BROKEN }), on('c1')];
  expect(statusOf(facts(pods, {}, nodes), 0)).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});
