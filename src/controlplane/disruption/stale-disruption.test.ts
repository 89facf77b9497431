import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { Pod, PodCondition } from '../../kube/resources/pod.ts';
import { untilStale } from './stale-disruption.ts';

const NOW = Date.UTC(2026, 0, 1);
const target = (parts: Partial<PodCondition> = {}): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  lastProbeTime: null,
  lastTransitionTime: timestamp(NOW - 90 * SECOND_MS),
  ...parts,
});
const pod = (condition: PodCondition, phase = 'Running', metadata = {}): Pick<Pod, 'metadata' | 'status'> => ({
  metadata: { name: 'p', uid: '', resourceVersion: '', creationTimestamp: '', ...metadata },
  status: { phase, conditions: [condition] },
});

describe('untilStale', () => {
  test.each([
    ['told 90 s ago             -> 30 s', pod(target()), 30 * SECOND_MS],
    ['told 3 min ago            -> now', pod(target({ lastTransitionTime: timestamp(NOW - 3 * MINUTE_MS) })), 0],
    ['it is going               -> never', pod(target(), 'Running', { deletionTimestamp: 'x' }), undefined],
    ['it has ended              -> never', pod(target(), 'Failed'), undefined],
    ['told by its kubelet       -> never', pod(target({ reason: 'TerminationByKubelet' })), undefined],
    ['told that it may stay     -> never', pod(target({ status: 'False' })), undefined],
    ['told nothing              -> never', pod(target({ type: 'Ready' })), undefined],
  ])('P-DIS-5 %s', (_, given, after) => {
    expect(untilStale(given, NOW)).toBe(after);
  });
});
