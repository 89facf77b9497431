/**
 * Where the fresh seeds of this run begin: MOORING_SWEEP_SEED if it is given, or else the minute; undefined on a
 * developer's machine, where the fixed seeds have to do. Files that start in different minutes have no seed in common.
 */
export function freshSeed(): number | undefined {
  const given = process.env['MOORING_SWEEP_SEED'];
  if (given !== undefined) return Number(given);
  return process.env['CI'] === 'true' ? Math.floor(Date.now() / MINUTE_MS) * SEEDS_PER_MINUTE : undefined;
}

const MINUTE_MS = 60_000;
const SEEDS_PER_MINUTE = 1_000;
