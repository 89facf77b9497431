import { describe, expect, test } from 'vitest';
import {
  type DisruptionDecision,
  type ZoneState,
  countsForZone,
  decideDisruption,
  evictionRate,
  zoneOf,
  zoneStateOf,
} from './zones.ts';

const LIMITS = {
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

describe('zoneStateOf', () => {
  test.each([
    ['NL-02 2 ready, 3 not  -> partial', { ready: 2, notReady: 3 }, 'PartialDisruption'],
    ['NL-02 3 ready, 2 not  -> normal', { ready: 3, notReady: 2 }, 'Normal'],
    ['NL-02 none ready      -> full', { ready: 0, notReady: 1 }, 'FullDisruption'],
    ['1 ready, 2 not        -> normal: two are too few', { ready: 1, notReady: 2 }, 'Normal'],
    ['9 ready, 11 not: 55 % -> partial', { ready: 9, notReady: 11 }, 'PartialDisruption'],
    ['10 ready, 12 not      -> normal: less than 55 %', { ready: 10, notReady: 12 }, 'Normal'],
    ['all ready             -> normal', { ready: 4, notReady: 0 }, 'Normal'],
  ] as const)('P-NL-9 %s', (_, count, state) => {
    expect(zoneStateOf({ excluded: 2, ...count }, LIMITS)).toBe(state);
  });

  test('NL-02 P-NL-9 a node with exclude-disruption -> does not count', () => {
    expect(countsForZone({ 'node.kubernetes.io/exclude-disruption': '' })).toBe(false);
    expect(countsForZone({ other: '' })).toBe(true);
    expect(countsForZone()).toBe(true);
    expect(zoneStateOf({ ready: 0, notReady: 0, excluded: 1 }, LIMITS)).toBeUndefined();
  });
});

describe('evictionRate', () => {
  test.each([
    ['normal            -> full rate', 'Normal', 5, 0.1],
    ['full              -> full rate', 'FullDisruption', 5, 0.1],
    ['partial, 50 nodes -> none', 'PartialDisruption', 50, 0],
    ['partial, 51 nodes -> slow', 'PartialDisruption', 51, 0.01],
    ['not yet known     -> as it is', 'Initial', 5, undefined],
  ] as const)('P-NL-9 %s', (_, state, size, rate) => {
    expect(evictionRate(state, { ready: 0, notReady: size, excluded: 9 }, LIMITS)).toBe(rate);
  });
});

describe('decideDisruption', () => {
  const zones = (...states: ZoneState[]): ReadonlyMap<string, ZoneState> =>
    new Map(states.map((state, index) => [`z${index}`, state]));
  test.each<[string, ReadonlyMap<string, ZoneState>, ReadonlyMap<string, ZoneState>, DisruptionDecision]>([
    [
      'first look, all well       -> adjusted',
      zones('Initial', 'Initial'),
      zones('Normal', 'Normal'),
      { type: 'adjust', zones: ['z0', 'z1'] },
    ],
    [
      'nothing changed            -> nothing',
      zones('Normal', 'FullDisruption'),
      zones('Normal', 'FullDisruption'),
      { type: 'unchanged' },
    ],
    [
      'one zone goes down         -> only that',
      zones('Normal', 'Normal'),
      zones('Normal', 'FullDisruption'),
      { type: 'adjust', zones: ['z1'] },
    ],
    [
      'the last zone goes down    -> stop',
      zones('FullDisruption', 'PartialDisruption'),
      zones('FullDisruption', 'FullDisruption'),
      { type: 'stop-evictions' },
    ],
    ['all stay down              -> nothing', zones('FullDisruption'), zones('FullDisruption'), { type: 'unchanged' }],
    ['first look, all down       -> stop', zones('Initial'), zones('FullDisruption'), { type: 'stop-evictions' }],
    [
      'one of all comes back      -> resume',
      zones('FullDisruption', 'FullDisruption'),
      zones('PartialDisruption', 'FullDisruption'),
      { type: 'resume-evictions' },
    ],
    ['no nodes at all            -> nothing', zones(), zones(), { type: 'unchanged' }],
  ])('P-NL-10 %s', (_, before, after, decision) => {
    expect(decideDisruption(before, after)).toEqual(decision);
  });
});

describe('zoneOf', () => {
  test.each([
    ['no labels', undefined, ''],
    ['zone alone', { 'topology.kubernetes.io/zone': 'a' }, ':\u0000:a'],
    ['region and zone', { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r' }, 'r:\u0000:a'],
    [
      'beta label first',
      { 'topology.kubernetes.io/zone': 'a', 'failure-domain.beta.kubernetes.io/zone': 'b' },
      ':\u0000:b',
    ],
  ])('%s', (_, labels, zone) => {
    expect(zoneOf(labels)).toBe(zone);
  });
});
