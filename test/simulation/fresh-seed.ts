const DAY_MS = 86_400_000;
const SEEDS_PER_DAY = 1_000;

/**
 * Where the fresh seeds of this run begin: MOORING_SWEEP_SEED if it is given, or else the day: every day has seeds that no
 * day before it had, and one commit is judged alike all day long. Undefined on a developer's machine, where the fixed seeds have
 * to do. The number is printed: it repeats the whole run.
 */
export function freshSeed(): number | undefined {
  const given = process.env['MOORING_SWEEP_SEED'];
  if (given === undefined && process.env['CI'] !== 'true') return undefined;
  const first = given === undefined ? Math.floor(Date.now() / DAY_MS) * SEEDS_PER_DAY : Number(given);
  process.stdout.write(`fresh seeds: again with MOORING_SWEEP_SEED=${first} npx vitest run test/simulation\n`);
  return first;
}
