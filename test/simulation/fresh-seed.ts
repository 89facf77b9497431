const MINUTE_MS = 60_000;
const SEEDS_PER_MINUTE = 1_000;

/**
 * Where the fresh seeds of this run begin: MOORING_SWEEP_SEED if it is given, or else the minute; undefined on a
 * developer's machine, where the fixed seeds have to do. Files that start in different minutes have no seed in common.
 * The number is printed: it repeats the whole run.
 */
export function freshSeed(): number | undefined {
  const given = process.env['MOORING_SWEEP_SEED'];
  if (given === undefined && process.env['CI'] !== 'true') return undefined;
  const first = given === undefined ? Math.floor(Date.now() / MINUTE_MS) * SEEDS_PER_MINUTE : Number(given);
  process.stdout.write(`fresh seeds: again with MOORING_SWEEP_SEED=${first} npx vitest run test/simulation\n`);
  return first;
}
