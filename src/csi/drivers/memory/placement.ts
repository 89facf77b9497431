// Where a new volume goes: a topology and a pool with room. Pure: facts in, a decision out.
import { assert } from '../../../base/assert.ts';
import type { StringMap, Topology, TopologyRequirement } from '../../driver.ts';
import type { MemoryPool } from './config.ts';

export interface PlacementFacts {
  readonly sizeBytes: bigint;
  readonly parameters: StringMap;
  readonly requirement: TopologyRequirement | undefined;
  /** Where the backend has storage; undefined for a driver without topology. */
  readonly places: readonly StringMap[] | undefined;
  readonly pools: readonly MemoryPool[];
  usedBytes(pool: MemoryPool): bigint;
}
export type Placement =
  | { readonly type: 'place'; readonly segments: StringMap | undefined; readonly pool: string | undefined }
  | { readonly type: 'full'; readonly message: string };

export function decidePlacement(facts: PlacementFacts): Placement {
  const places = placesFor(facts);
  if (places.length === 0) return { type: 'full', message: 'no storage in any requisite topology' };
  const pools = poolsFor(facts.pools, facts.parameters);
  for (const segments of places) {
    if (pools.length === 0) return { type: 'place', segments, pool: undefined };
    const pool = pools.find((each) => isIn(each, segments) && hasRoom(each, facts));
    if (pool !== undefined) return { type: 'place', segments, pool: pool.name };
  }
  const left = pools.map((pool) => `${pool.name}: ${pool.capacityBytes - facts.usedBytes(pool)} bytes left`).join(', ');
  return { type: 'full', message: `no pool has ${facts.sizeBytes} bytes (${left})` };
}

/** Bytes that one more volume could take in this place (in any, if none is given). */
export function availableBytes(
  facts: Omit<PlacementFacts, 'sizeBytes' | 'requirement'>,
  at?: Topology,
): bigint | 'unlimited' {
  const places = facts.places?.filter((place) => at === undefined || isSubset(at.segments, place)) ?? [undefined];
  if (places.length === 0) return 0n;
  const pools = poolsFor(facts.pools, facts.parameters);
  if (pools.length === 0) return 'unlimited';
  const reachable = pools.filter((pool) => places.some((place) => isIn(pool, place)));
  return reachable.reduce((most, pool) => {
    const left = pool.capacityBytes - facts.usedBytes(pool);
    return left > most ? left : most;
  }, 0n);
}

/** Preferred ones first to last, then the rest of requisite, each as the place of ours that it means. */
function placesFor({ requirement, places }: PlacementFacts): readonly (StringMap | undefined)[] {
  if (places === undefined) return [undefined];
  if (requirement === undefined) return places;
  const wanted = [...requirement.preferred, ...requirement.requisite];
  const found = wanted.flatMap(({ segments }) => places.filter((place) => isSubset(segments, place)));
  return [...new Set(found)];
}

/**
 * The pools that name most of the request's parameters; a pool that names another value is never among them. A request
 * that no pool claims is not limited by any.
 */
function poolsFor(pools: readonly MemoryPool[], parameters: StringMap): readonly MemoryPool[] {
  const matching = pools.filter((pool) => isSubset(pool.parameters, parameters));
  const most = Math.max(0, ...matching.map(weight));
  return matching.filter((pool) => weight(pool) === most);
}
const weight = (pool: MemoryPool): number => Object.keys(pool.parameters).length;

function isIn(pool: MemoryPool, place: StringMap | undefined): boolean {
  if (pool.segments === undefined) return true;
  assert(place !== undefined, 'a pool with segments belongs to a driver with topology');
  return isSubset(pool.segments, place);
}

const hasRoom = (pool: MemoryPool, facts: PlacementFacts): boolean =>
  facts.usedBytes(pool) + facts.sizeBytes <= pool.capacityBytes;

export const isSubset = (part: StringMap, whole: StringMap): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value);
