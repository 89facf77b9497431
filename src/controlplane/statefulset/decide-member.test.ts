import { describe, expect, it } from 'vitest';
import { NOW, type PodParts, aMember, aStatefulSet } from '../../../test/workloads/makers.ts';
import type { StatefulSetSpec } from '../../kube/resources/stateful-set.ts';
import { decideCondemned, decideReplica, decideUpdate, unavailableMaxOf } from './decide-member.ts';
import { type Members, type Replica, firstUnavailable, membersOf } from './members.ts';
import { ordinalOf } from './pod-identity.ts';
import { profileOf } from './profile.ts';

const profile = profileOf();
const PARALLEL = { podManagementPolicy: 'Parallel' };
const NOT_READY = { readyFor: undefined };
const PENDING = { phase: 'Pending', readyFor: undefined };

const replica = (name: string, parts: PodParts = {}): Replica => ({
  made: true,
  name,
  ordinal: ordinalOf(name),
  pod: aMember(name, parts),
});
const unmade = (name: string): Replica => ({
  made: false,
  name,
  ordinal: ordinalOf(name),
  draft: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: {} },
});
const factsOf = (spec: Partial<StatefulSetSpec> = {}, first?: string) => ({
  set: aStatefulSet(spec),
  now: NOW,
  profile,
  firstUnavailable: first,
});

describe('decideReplica', () => {
  const summary = (each: Replica, spec: Partial<StatefulSetSpec> = {}, version?: string): string => {
    const decision = decideReplica(each, { ...factsOf(spec), profile: profileOf(version) });
    const claims = 'ensuresClaims' in decision && decision.ensuresClaims ? ', claims first' : '';
    return decision.type === 'wait' ? `wait for ${decision.for}${claims}` : `${decision.type}${claims}`;
  };

  it.each([
    ['not made', unmade('web-1'), {}, 'create'],
    ['fine', replica('web-1'), {}, 'maintain'],
    ['pending', replica('web-1', PENDING), {}, 'wait for pod web-1 to be Running and Ready, claims first'],
    ['running, not ready', replica('web-1', NOT_READY), {}, 'wait for pod web-1 to be Running and Ready'],
    [
      'ready, not for long enough',
      replica('web-1', { readyFor: 5 }),
      { minReadySeconds: 10 },
      'wait for pod web-1 to be available',
    ],
    ['ready for long enough', replica('web-1', { readyFor: 10 }), { minReadySeconds: 10 }, 'maintain'],
    ['being deleted', replica('web-1', { deleting: true }), {}, 'wait for pod web-1 to be gone'],
    [
      'pending and being deleted',
      replica('web-1', { ...PENDING, deleting: true }),
      {},
      'wait for pod web-1 to be gone, claims first',
    ],
    ['Parallel, not made', unmade('web-1'), PARALLEL, 'create'],
    ['Parallel, pending', replica('web-1', PENDING), PARALLEL, 'maintain, claims first'],
    ['Parallel, being deleted', replica('web-1', { deleting: true }), PARALLEL, 'maintain'],
  ])('%s -> its step', (_situation, each, spec, expected) => {
    expect(summary(each, spec)).toBe(expected);
  });

  it.each([
    ['Failed', {}],
    ['Succeeded', {}],
    ['Failed', PARALLEL],
  ])('P-STS-7 pod %s -> deleted; while it goes, waited for', (phase, spec) => {
    expect(summary(replica('web-1', { phase }), spec)).toBe('delete');
    expect(summary(replica('web-1', { phase, deleting: true }), spec)).toBe('wait for pod web-1 to be gone');
  });

  it('pod Succeeded before 1.29 -> not replaced', () => {
    expect(summary(replica('web-1', { phase: 'Succeeded' }), {}, '1.28')).toBe(
      'wait for pod web-1 to be Running and Ready',
    );
  });
});

describe('decideCondemned', () => {
  it.each([
    ['fine                                            -> delete', {}, {}, undefined, { type: 'delete' }],
    [
      'being deleted                                   -> wait',
      { deleting: true },
      {},
      'web-3',
      { type: 'wait', for: 'pod web-3 to be gone' },
    ],
    [
      'not ready, another is the first that is not     -> wait',
      NOT_READY,
      {},
      'web-1',
      { type: 'wait', for: 'pod web-3 to be Running and Ready' },
    ],
    ['not ready, itself the first that is not         -> delete', NOT_READY, {}, 'web-3', { type: 'delete' }],
    [
      'not available, another is the first that is not -> wait',
      { readyFor: 5 },
      { minReadySeconds: 10 },
      'web-1',
      { type: 'wait', for: 'pod web-3 to be available' },
    ],
    [
      'not available, itself the first that is not     -> delete',
      { readyFor: 5 },
      { minReadySeconds: 10 },
      'web-3',
      { type: 'delete' },
    ],
    ['Parallel, not ready                             -> delete', NOT_READY, PARALLEL, 'web-1', { type: 'delete' }],
    [
      'Parallel, being deleted                         -> on to the next',
      { deleting: true },
      PARALLEL,
      'web-3',
      { type: 'pass' },
    ],
  ])('P-STS-2 %s', (_situation, parts, spec, first, expected) => {
    expect(decideCondemned(aMember('web-3', parts), factsOf(spec, first))).toEqual(expected);
  });
});

describe('P-STS-8 decideUpdate', () => {
  const at = (revision: string, parts: PodParts = {}): PodParts => ({
    ...parts,
    labels: { 'controller-revision-hash': revision },
  });
  const decide = (replicas: readonly Replica[], spec: Partial<StatefulSetSpec> = {}, unavailableMax = 1) => {
    const members: Members = { replicas, condemned: [] };
    const set = aStatefulSet(spec);
    const { pods, waitingFor } = decideUpdate(members, { set, now: NOW, updateRevision: 'new', unavailableMax });
    return waitingFor ?? pods.map(({ metadata }) => metadata.name);
  };
  const old = [replica('web-0', at('old')), replica('web-1', at('old')), replica('web-2', at('old'))];
  const partition = (count: number) => ({
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: count } },
  });

  it.each([
    ['all old                       -> the highest', old, {}, ['web-2']],
    ['the highest updated           -> the next', [...old.slice(0, 2), replica('web-2', at('new'))], {}, ['web-1']],
    [
      'the highest updated, not fine -> wait',
      [...old.slice(0, 2), replica('web-2', at('new', NOT_READY))],
      {},
      'pod web-2 to be updated and available',
    ],
    [
      'the highest not made yet      -> wait',
      [...old.slice(0, 2), unmade('web-2')],
      {},
      'pod web-2 to be updated and available',
    ],
    [
      'the highest going             -> wait',
      [...old.slice(0, 2), replica('web-2', at('old', { deleting: true }))],
      {},
      'pod web-2 to be updated and available',
    ],
    [
      'an old one that is not fine   -> it may go at once',
      [...old.slice(0, 2), replica('web-2', at('old', NOT_READY))],
      {},
      ['web-2'],
    ],
    ['all updated                   -> nothing', old.map(({ name }) => replica(name, at('new'))), {}, []],
    ['OnDelete                      -> nothing', old, { updateStrategy: { type: 'OnDelete' } }, []],
    ['partition 2                   -> only those from 2 on', old, partition(2), ['web-2']],
    ['partition 3                   -> nothing', old, partition(3), []],
    ['partition above all           -> nothing', old, partition(9), []],
  ])('%s', (_situation, replicas, spec, expected) => {
    expect(decide(replicas, spec)).toEqual(expected);
  });

  it.each([
    ['two may be away        -> two of the highest', old, ['web-2', 'web-1']],
    ['one of two is away     -> one', [replica('web-0', at('old', NOT_READY)), ...old.slice(1)], ['web-2']],
    ['both are away          -> none', [replica('web-0', at('old', NOT_READY)), unmade('web-1'), ...old.slice(2)], []],
  ])('gate MaxUnavailableStatefulSet, %s', (_situation, replicas, expected) => {
    expect(decide(replicas, {}, 2)).toEqual(expected);
  });

  it.each([
    [undefined, 1],
    [2, 2],
    ['50%', 5],
    ['19%', 1],
    ['1%', 1],
  ])('maxUnavailable %s of ten -> %d', (maxUnavailable, expected) => {
    const rollingUpdate = { partition: 0, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) };
    expect(
      unavailableMaxOf(aStatefulSet({ replicas: 10, updateStrategy: { type: 'RollingUpdate', rollingUpdate } })),
    ).toBe(expected);
  });
});

describe('membersOf', () => {
  const template = aStatefulSet().spec.template;
  const revisions = { current: { name: 'old', template }, update: { name: 'new', template } };
  const shown = ({ replicas, condemned }: Members) => ({
    replicas: replicas.map((each) =>
      each.made ? each.name : `${each.name} ${each.draft.metadata.labels?.['controller-revision-hash'] ?? ''}`,
    ),
    condemned: condemned.map(({ metadata }) => metadata.name),
  });
  const pods = ['web-0', 'web-4', 'web-7', 'web-5'].map((name) => aMember(name));

  it('pods by ordinal -> gaps to be filled, those out of range from the highest down', () => {
    expect(shown(membersOf(aStatefulSet(), pods, revisions, profile))).toEqual({
      replicas: ['web-0', 'web-1 new', 'web-2 new'],
      condemned: ['web-7', 'web-5', 'web-4'],
    });
  });

  it('ordinals start at 4 -> those below are out of range too', () => {
    expect(shown(membersOf(aStatefulSet({ ordinals: { start: 4 } }), pods, revisions, profile))).toEqual({
      replicas: ['web-4', 'web-5', 'web-6 new'],
      condemned: ['web-7', 'web-0'],
    });
  });

  it.each([
    [
      'partition 2            -> below it as it was',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      0,
      ['web-0 old', 'web-1 old', 'web-2 new'],
    ],
    [
      'no partition, 1 current -> the first as it was',
      { updateStrategy: { type: 'RollingUpdate' } },
      1,
      ['web-0 old', 'web-1 new', 'web-2 new'],
    ],
    [
      'OnDelete               -> all new',
      { updateStrategy: { type: 'OnDelete' } },
      3,
      ['web-0 new', 'web-1 new', 'web-2 new'],
    ],
  ])('P-STS-8 pods made anew: %s', (_situation, spec, currentReplicas, expected) => {
    expect(shown(membersOf(aStatefulSet(spec, { currentReplicas }), [], revisions, profile)).replicas).toEqual(
      expected,
    );
  });

  it('the first that cannot be counted on -> replicas before the condemned, by ordinal', () => {
    const set = aStatefulSet({ replicas: 1 });
    const first = (members: readonly ReturnType<typeof aMember>[]) =>
      firstUnavailable(set, membersOf(set, members, revisions, profile), NOW);
    expect(first([])).toBe('web-0');
    expect(first([aMember('web-0', NOT_READY), aMember('web-1', NOT_READY)])).toBe('web-0');
    expect(first([aMember('web-0'), aMember('web-2', NOT_READY), aMember('web-1', NOT_READY)])).toBe('web-1');
    expect(first([aMember('web-0'), aMember('web-1')])).toBeUndefined();
  });
});
