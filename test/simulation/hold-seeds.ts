import { expect, test } from 'vitest';
import { playSeed } from '../../src/simulation/sweep/sweep.ts';

/** Seeds that one test plays: enough to be quick to find, few enough to be quick. */
const AT_ONCE = 10;
const MS_PER_SEED_MAX = 20_000;

/** Every promise holds for each of these seeds; what does not is named with the command that plays it again. */
export function holdSeeds(first: number, count: number): void {
  for (let from = first; from < first + count; from += AT_ONCE) {
    const size = Math.min(AT_ONCE, first + count - from);
    test(
      `P-SIM-9 seeds ${from} to ${from + size - 1} -> every promise holds`,
      async () => {
        const broken: string[] = [];
        for (let seed = from; seed < from + size; seed++) {
          const { failure } = await playSeed(seed);
          if (failure === undefined) continue;
          broken.push(`mooring sim replay --seed ${seed}   # ${failure.kind}: ${failure.about} ${failure.says}`);
        }
        expect(broken).toEqual([]);
      },
      size * MS_PER_SEED_MAX,
    );
  }
}
