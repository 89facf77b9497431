import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import type { Taint, Toleration } from '../../kube/resources/node-selector.ts';
import { type EvictionDecision, decideEviction } from './decide-eviction.ts';

const taint = (key: string, value?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(value === undefined ? {} : { value }),
});
const exists = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const after = (seconds: number): EvictionDecision => ({ type: 'evict-after', delayMs: seconds * SECOND_MS });
const NOW: EvictionDecision = { type: 'evict-now' };
const STAY: EvictionDecision = { type: 'stay' };

describe('decideEviction', () => {
  test.each<[string, readonly Taint[], readonly Toleration[], EvictionDecision]>([
    ['TE-01 no toleration                 -> now', [taint('t')], [], NOW],
    ['TE-01 tolerated for 1 s             -> after 1 s', [taint('t')], [exists('t', 1)], after(1)],
    ['TE-01 tolerated for ever            -> stays', [taint('t')], [exists('t')], STAY],
    ['another key                         -> now', [taint('t')], [exists('u', 5)], NOW],
    ['another effect                      -> now', [taint('t')], [{ ...exists('t'), effect: 'NoSchedule' }], NOW],
    ['any effect                          -> stays', [taint('t')], [{ key: 't', operator: 'Exists' }], STAY],
    ['any key                             -> stays', [taint('t')], [{ operator: 'Exists' }], STAY],
    ['equal value                         -> stays', [taint('t', 'v')], [{ key: 't', value: 'v' }], STAY],
    [
      'another value                       -> now',
      [taint('t', 'v')],
      [{ key: 't', operator: 'Equal', value: 'w' }],
      NOW,
    ],
    ['an operator behind a closed gate    -> now', [taint('t', '1')], [{ key: 't', operator: 'Gt', value: '0' }], NOW],
    ['zero seconds                        -> at once', [taint('t')], [exists('t', 0)], after(0)],
    ['less than zero                      -> at once', [taint('t')], [exists('t', -5)], after(0)],
    [
      'two taints, the shorter counts      -> after it',
      [taint('t'), taint('u')],
      [exists('t', 60), exists('u', 10)],
      after(10),
    ],
    [
      'two taints, one for ever            -> the other counts',
      [taint('t'), taint('u')],
      [exists('t'), exists('u', 10)],
      after(10),
    ],
    ['two taints, one not tolerated       -> now', [taint('t'), taint('u')], [exists('t', 60)], NOW],
    [
      'two fit, the first counts           -> not the shorter',
      [taint('t')],
      [exists('t', 60), exists('t', 10)],
      after(60),
    ],
  ])('P-TE-1 %s', (_, taints, tolerations, decision) => {
    expect(decideEviction({ taints, tolerations, isTimed: false })).toEqual(decision);
  });

  test.each<[string, readonly Toleration[], EvictionDecision]>([
    ['still tolerated for a while -> goes on', [exists('t', 300)], { type: 'keep-waiting' }],
    ['tolerated for less          -> goes on, not shortened', [exists('t', 1)], { type: 'keep-waiting' }],
    ['tolerated for ever          -> stopped', [exists('t')], STAY],
    ['no longer tolerated         -> now', [], NOW],
  ])('P-TE-2 clock running, %s', (_, tolerations, decision) => {
    expect(decideEviction({ taints: [taint('t')], tolerations, isTimed: true })).toEqual(decision);
  });
});
