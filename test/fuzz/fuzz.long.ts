// Half a million hostile requests, in pieces with seeds of their own; memory must come back to its level after each piece.
// MOORING_FUZZ_REQUESTS and MOORING_FUZZ_SEED say otherwise how many, and from which seed.
import { reportFigure } from '../../scripts/long/report.ts';
import { fuzz } from './fuzz-run.ts';

const REQUESTS = Number(process.env['MOORING_FUZZ_REQUESTS'] ?? 500_000);
const SEED = process.env['MOORING_FUZZ_SEED'] ?? 'long';
const PIECE = 25_000;
/** What the code itself, compiled and warm, may grow by after the first piece. */
const GROWTH_MIB_MAX = 30;

const MIB = 1024 * 1024;
const heapMib = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MIB;
};

const startedAt = performance.now();
const byCode = new Map<number, number>();
const failures: string[] = [];
let level = 0;
let last = 0;
for (let from = 0; from < REQUESTS; from += PIECE) {
  const seed = `${SEED}/${from}`;
  const result = await fuzz({ seed, requests: Math.min(PIECE, REQUESTS - from) });
  for (const [code, count] of result.byCode) byCode.set(code, (byCode.get(code) ?? 0) + count);
  failures.push(...result.failures.map((each) => `MOORING_FUZZ_SEED=${seed} npx vitest run test/fuzz  ${each}`));
  last = heapMib();
  if (from === 0) level = last;
}
const seconds = (performance.now() - startedAt) / 1000;
const codes = [...byCode].toSorted(([left], [right]) => left - right).map(([code, count]) => `${code}: ${count}`);
reportFigure({ name: 'requests', value: `${REQUESTS} of seed ${SEED}, ${(REQUESTS / seconds).toFixed(0)} a second` });
reportFigure({ name: 'answers', value: codes.join(', ') });
reportFigure({ name: 'failures', value: String(failures.length) });
reportFigure({
  name: 'heap',
  value: `${level.toFixed(0)} MiB after the first piece, ${last.toFixed(0)} MiB at the end`,
});
for (const failure of failures.slice(0, 10)) reportFigure({ name: 'failure', value: failure.slice(0, 800) });
process.exitCode = failures.length > 0 || last - level > GROWTH_MIB_MAX ? 1 : 0;
