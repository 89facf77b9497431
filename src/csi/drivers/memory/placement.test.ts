import { expect, test } from 'vitest';
import type { MemoryPool } from './config.ts';
import { type PlacementFacts, availableBytes, decidePlacement } from './placement.ts';

const zone = (name: string) => ({ zone: name });
const pool = (name: string, changes: Partial<MemoryPool> = {}): MemoryPool => ({
  name,
  capacityBytes: 10n,
  parameters: {},
  segments: undefined,
  ...changes,
});
const facts = (changes: Partial<PlacementFacts>): PlacementFacts => ({
  sizeBytes: 4n,
  parameters: {},
  requirement: undefined,
  places: undefined,
  pools: [],
  usedBytes: () => 0n,
  ...changes,
});
const wants = (preferred: readonly string[], requisite: readonly string[]) => ({
  preferred: preferred.map((name) => ({ segments: zone(name) })),
  requisite: requisite.map((name) => ({ segments: zone(name) })),
});
const zonal = [pool('pa', { segments: zone('a') }), pool('pb', { segments: zone('b') })];
const places = [zone('a'), zone('b')];
const byKind = [pool('slow'), pool('fast', { parameters: { kind: 'fast' }, capacityBytes: 3n })];

test.each<[string, PlacementFacts, object]>([
  ['no topology, no pools -> anywhere', facts({}), { type: 'place', segments: undefined, pool: undefined }],
  ['no requirement -> first place', facts({ places }), { type: 'place', segments: zone('a'), pool: undefined }],
  ['preferred before requisite', facts({ places, requirement: wants(['b'], ['a', 'b']) }), { segments: zone('b') }],
  ['preferred unknown -> requisite', facts({ places, requirement: wants(['z'], ['z', 'b']) }), { segments: zone('b') }],
  ['nothing known -> full', facts({ places, requirement: wants([], ['z']) }), { type: 'full' }],
  [
    'first place full -> next',
    facts({ places, pools: zonal, usedBytes: (p) => (p.name === 'pa' ? 9n : 0n) }),
    { pool: 'pb' },
  ],
  ['every pool full -> full', facts({ places, pools: zonal, usedBytes: () => 7n }), { type: 'full' }],
  ['exactly full is allowed', facts({ pools: [pool('p')], usedBytes: () => 6n }), { pool: 'p' }],
  [
    'parameters ask for a pool -> only that one',
    facts({ pools: byKind, parameters: { kind: 'fast' } }),
    { type: 'full' },
  ],
  ['no parameter -> the pool without', facts({ pools: byKind }), { pool: 'slow' }],
  ['no pool claims the request -> unlimited', facts({ pools: byKind.slice(1) }), { type: 'place', pool: undefined }],
])('P-CSI-3 decidePlacement: %s', (_name, given, expected) => {
  expect(decidePlacement(given)).toMatchObject(expected);
});

test('availableBytes: largest room in a place; unknown place 0; nothing limits -> unlimited', () => {
  const storage = facts({ places, pools: zonal, usedBytes: (p) => (p.name === 'pa' ? 9n : 2n) });
  expect(availableBytes(storage, { segments: zone('a') })).toBe(1n);
  expect(availableBytes(storage)).toBe(8n);
  expect(availableBytes(storage, { segments: zone('z') })).toBe(0n);
  expect(availableBytes(facts({ places }))).toBe('unlimited');
});
