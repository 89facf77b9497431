// Claims against as many volumes in virtual time, through the whole path: server, watches, queue, match index, four writes
// a bind. The cost per claim must not grow with their number. Client-side limits and latency are off, so that nothing but
// work is measured.
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { claimsAndVolumes } from './claims-and-volumes.ts';

const SIZES = [1_000, 3_000, 10_000] as const;
const ROUNDS = 3;

async function costPerClaim(count: number): Promise<number> {
  const world = await claimsAndVolumes(count);
  const startedAt = performance.now();
  await world.bindAll();
  return (performance.now() - startedAt) / count;
}

await costPerClaim(1_000);
const best = new Map<number, number>();
for (let round = 0; round < ROUNDS; round++) {
  for (const count of SIZES) best.set(count, Math.min(best.get(count) ?? Infinity, await costPerClaim(count)));
}
const micros = (count: number): string => `${((best.get(count) ?? 0) * 1000).toFixed(0)} us`;
const [small, middle, large] = SIZES;
reportRatio({
  name: 'bind-growth-3000',
  ratio: (best.get(middle) ?? 0) / (best.get(small) ?? 1),
  measured: `${micros(middle)} a claim of ${middle}`,
  against: `${micros(small)} a claim of ${small}`,
});
reportRatio({
  name: 'bind-growth-10000',
  ratio: (best.get(large) ?? 0) / (best.get(small) ?? 1),
  measured: `${micros(large)} a claim of ${large}`,
  against: `${micros(small)} a claim of ${small}`,
});
