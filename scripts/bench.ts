// `npm run bench`: runs test/perf/*.bench.ts and compares their ratios with test/perf/ratios.json. Ends with 1 when one is a
// fifth worse. `npm run bench -- --store` writes the worst of three runs instead of judging; words choose benches by name.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { programsIn, runProgram } from './bench/programs.ts';
import {
  type Ratio,
  type StoredRatios,
  type Verdict,
  bestOf,
  isWorse,
  judge,
  readRatios,
  worstOf,
} from './bench/ratios.ts';

const FOLDER = 'test/perf';
const STORED = 'test/perf/ratios.json';
/** A bench that looks worse runs again before it is believed; other work on the machine looks the same as a slow change. */
const RUNS_MAX = 4;
const STORED_RUNS = 3;
/** Many times what the longest takes. */
const LIMIT_MS = 600_000;

function readStored(): StoredRatios {
  const ratios: Record<string, number> = {};
  const parsed: unknown = existsSync(STORED) ? JSON.parse(readFileSync(STORED, 'utf8')) : {};
  for (const [name, ratio] of Object.entries(parsed ?? {})) ratios[name] = Number(ratio);
  return ratios;
}

function measure(path: string, stored: StoredRatios): Ratio[] {
  const runs: Ratio[][] = [];
  for (let run = 0; run < RUNS_MAX; run += 1) {
    runs.push(ratiosOf(path));
    const looksWorse = bestOf(runs).some(({ name, ratio }) => isWorse(ratio, stored[name] ?? Number.POSITIVE_INFINITY));
    if (!looksWorse) break;
  }
  return bestOf(runs);
}

function ratiosOf(path: string): Ratio[] {
  const { output, failed } = runProgram(path, [], LIMIT_MS);
  if (failed) throw new Error(`${path} failed, or did not end`);
  return readRatios(output);
}

const measureToStore = (path: string): Ratio[] => worstOf(Array.from({ length: STORED_RUNS }, () => ratiosOf(path)));

function rowOf(verdict: Verdict): readonly string[] {
  if (verdict.type === 'not-measured') return [verdict.name, '-', '-', '', '', 'NOT MEASURED: no bench reports it'];
  const { name, ratio, measured, against } = verdict.measured;
  const row = [name, ratio.toFixed(2)];
  if (verdict.type === 'not-stored') return [...row, '-', measured, against, 'NOT STORED: npm run bench -- --store'];
  return [...row, verdict.stored.toFixed(2), measured, against, verdict.type === 'worse' ? 'WORSE' : 'ok'];
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

function main(options: readonly string[]): number {
  const store = options.includes('--store');
  const words = options.filter((option) => option !== '--store');
  const isChosen = (path: string): boolean => words.length === 0 || words.some((word) => path.includes(word));
  const paths = programsIn(FOLDER, '.bench.ts').filter(isChosen);
  const stored = readStored();
  const ratios = paths.flatMap((path) => (store ? measureToStore(path) : measure(path, stored)));
  const rounded = Object.fromEntries(ratios.map(({ name, ratio }) => [name, Number(ratio.toPrecision(3))] as const));
  const kept = words.length === 0 ? {} : stored;
  const verdicts = judge(ratios, store ? rounded : stored).filter(
    ({ type }) => words.length === 0 || type !== 'not-measured',
  );
  print([['bench', 'ratio', 'stored', 'measured', 'against', ''], ...verdicts.map(rowOf)]);
  if (store) writeFileSync(STORED, `${JSON.stringify(sorted({ ...kept, ...rounded }), null, 2)}\n`);
  const isGreen = verdicts.every((verdict) => verdict.type === 'kept');
  if (!isGreen) process.stdout.write('bench: a ratio is worse than stored, or is not judged\n');
  return isGreen ? 0 : 1;
}

const sorted = (ratios: StoredRatios): StoredRatios =>
  Object.fromEntries(Object.entries(ratios).toSorted(([a], [b]) => (a < b ? -1 : 1)));

process.exitCode = main(process.argv.slice(2));
