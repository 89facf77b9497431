import { describe, expect, it } from 'vitest';
import { NOW, type PodParts, aMember } from '../../../test/workloads/makers.ts';
import { decideDeletions } from './deletion-order.ts';

/** Of two pods that differ in one thing, the one that goes first. */
const cost = (value: string): PodParts => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });
const restarted = (restartCount: number): PodParts => ({
  status: {
    containerStatuses: [{ name: 'main', restartCount, state: {}, lastState: {}, ready: true, image: '', imageID: '' }],
  },
});
const sidecar = (restartCount: number): PodParts => ({
  spec: { nodeName: 'n1', initContainers: [{ name: 'side', restartPolicy: 'Always', resources: {} }] },
  status: {
    initContainerStatuses: [
      { name: 'side', restartCount, state: {}, lastState: {}, ready: true, image: '', imageID: '' },
    ],
  },
});
const WORSE: readonly (readonly [string, PodParts, PodParts])[] = [
  ['without a node', { spec: { nodeName: '' } }, {}],
  ['pending', { phase: 'Pending' }, {}],
  ['pending rather than unknown', { phase: 'Pending' }, { phase: 'Unknown' }],
  ['unknown', { phase: 'Unknown' }, {}],
  ['not ready', { readyFor: undefined }, {}],
  ['cheaper', cost('-5'), cost('3')],
  ['cheaper than one without a price', cost('-1'), {}],
  ['ready for less time', { readyFor: 60 }, { readyFor: 3600 }],
  ['restarted more often', restarted(3), restarted(1)],
  ['with a sidecar restarted more often', sidecar(2), sidecar(0)],
  ['younger', { createdAgo: 60 }, { createdAgo: 36_000 }],
];

const namesOf = (pods: readonly ReturnType<typeof aMember>[]) => pods.map(({ metadata }) => metadata.name);

describe('P-RS-4 decideDeletions', () => {
  it.each(WORSE)('%s -> goes first', (_situation, worse, better) => {
    // The uid would decide for the other one.
    const pods = [aMember('worse', { uid: 'z', ...worse }), aMember('better', { uid: 'a', ...better })];
    for (const order of [pods, pods.toReversed()]) {
      expect(namesOf(decideDeletions({ pods: order, related: order, count: 1, now: NOW }))).toEqual(['worse']);
    }
  });

  it('a price that is no number -> none', () => {
    for (const text of ['+1', '01', '1.5', 'x', '99999999999']) {
      const pods = [aMember('priced', { uid: 'b', ...cost(text) }), aMember('free', { uid: 'a' })];
      expect(namesOf(decideDeletions({ pods, related: pods, count: 1, now: NOW }))).toEqual(['free']);
    }
  });

  it('two on one node, one alone -> one of the two, siblings of other sets counted', () => {
    const on = (nodeName: string): PodParts => ({ spec: { nodeName } });
    const pods = [aMember('a', { uid: 'z', ...on('n1') }), aMember('b', { uid: 'a', ...on('n2') })];
    const sibling = aMember('sibling', on('n1'));
    const choose = (related: readonly ReturnType<typeof aMember>[]) =>
      namesOf(decideDeletions({ pods, related, count: 1, now: NOW }));
    expect(choose([...pods, sibling])).toEqual(['a']);
    expect(choose([...pods, { ...sibling, status: { phase: 'Failed' } }])).toEqual(['b']);
  });

  it('times of one magnitude -> the uid decides, as if by chance', () => {
    const pods = [aMember('a', { uid: 'z', readyFor: 50 }), aMember('b', { uid: 'a', readyFor: 55 })];
    expect(namesOf(decideDeletions({ pods, related: pods, count: 1, now: NOW }))).toEqual(['b']);
  });

  it('all are to go -> all, in no order', () => {
    const pods = [aMember('a'), aMember('b')];
    expect(decideDeletions({ pods, related: [], count: 2, now: NOW })).toBe(pods);
  });
});
