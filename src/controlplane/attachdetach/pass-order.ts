import { type Random } from '../../base/random.ts';
import { type Pair } from './pair.ts';

/** By node, then by volume. */
export function sortedPairs(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.toSorted((a, b) => compare(a.node, b.node) || compare(a.volume, b.volume));
}

/** Any order, as maps upstream may be walked in; equal draws give equal orders. */
export function shuffledPairs(pairs: readonly Pair[], random: Random): readonly Pair[] {
  const drawn = sortedPairs(pairs).map((pair) => ({ pair, at: random.fraction() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ pair }) => pair);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
