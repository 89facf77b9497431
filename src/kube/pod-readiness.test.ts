import { describe, expect, it } from 'vitest';
import { NOW, aMember } from '../../test/workloads/makers.ts';
import { SECOND_MS } from '../base/clock.ts';
import {
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminating,
  nextAvailabilityAfter,
  podReadyAt,
} from './pod-readiness.ts';

describe('isPodAvailable', () => {
  it.each([
    ['not ready                              -> not available', undefined, 0, false],
    ['ready, nothing more asked              -> available', 0, 0, true],
    ['ready for less than asked              -> not available', 9, 10, false],
    ['ready for exactly as long as asked     -> available', 10, 10, true],
  ])('%s', (_situation, readyFor, minReadySeconds, expected) => {
    expect(isPodAvailable(aMember('p', { readyFor }), minReadySeconds, NOW)).toBe(expected);
  });

  it('ready without a time, some time asked -> not available', () => {
    const conditions = [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }];
    const pod = aMember('p', { status: { conditions } });
    expect([isPodReady(pod), podReadyAt(pod), isPodAvailable(pod, 1, NOW)]).toEqual([true, undefined, false]);
    expect(isPodAvailable(pod, 0, NOW)).toBe(true);
  });

  it('condition Ready False -> not ready, since when does not matter', () => {
    const conditions = [
      { type: 'Ready', status: 'False', lastProbeTime: null, lastTransitionTime: '2020-01-01T00:00:00Z' },
    ];
    expect(isPodAvailable(aMember('p', { status: { conditions } }), 0, NOW)).toBe(false);
  });
});

describe('isPodActive, isPodTerminating', () => {
  it.each([
    ['running              -> active', {}, true, false],
    ['being deleted        -> terminating', { deleting: true }, false, true],
    ['failed               -> neither', { phase: 'Failed' }, false, false],
    ['succeeded, deleting  -> neither', { phase: 'Succeeded', deleting: true }, false, false],
  ])('%s', (_situation, parts, active, terminating) => {
    const pod = aMember('p', parts);
    expect([isPodActive(pod), isPodTerminating(pod)]).toEqual([active, terminating]);
  });
});

describe('nextAvailabilityAfter', () => {
  const pods = [
    aMember('old', { readyFor: 60 }),
    aMember('newer', { readyFor: 7 }),
    aMember('newest', { readyFor: 2 }),
  ];

  it('several ready pods -> the one that is available next', () => {
    expect(nextAvailabilityAfter(pods, 10, NOW)).toBe(3 * SECOND_MS);
  });

  it('all available, or none ready -> time changes nothing', () => {
    expect(nextAvailabilityAfter(pods, 1, NOW)).toBeUndefined();
    expect(nextAvailabilityAfter([aMember('p', { readyFor: undefined })], 10, NOW)).toBeUndefined();
  });
});
