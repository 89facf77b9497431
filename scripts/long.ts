// `npm run long`: the full-size runs (*.long.ts in folders of test), which take minutes to hours and
// are not part of `npm run check`. Writes what they found to docs/reports/long.md; `npm run long -- sweep` runs only those
// with that word in their names, and writes docs/reports/sweep.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename, dirname } from 'node:path';
import { programsIn, runProgram } from './bench/programs.ts';
import { type Circumstances, type LongRun, readFigures, renderReport } from './long/report.ts';

const FOLDERS = ['perf', 'simulation', 'fuzz', 'crash', 'acceptance'].map((name) => `test/${name}`);

/** Of worlds with thousands of volumes; docs/decisions/0005 has the figures. */
const ROOM_FOR_YOUNG = '--max-semi-space-size=128';

function circumstances(): Omit<Circumstances, 'command'> {
  const git = (...options: string[]): string => execFileSync('git', options, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain') === '' ? '' : ', with changes on top';
  const processors = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short=12', 'HEAD')}${changed}`,
    machine: `${processors.length} cores (${processors[0]?.model.trim() ?? 'unknown'}), ${memoryGiB} GiB`,
    node: process.version,
  };
}

function main(): number {
  const [word] = process.argv.slice(2);
  const programs = FOLDERS.flatMap((folder) => programsIn(folder, '.long.ts')).filter((program) =>
    basename(program).includes(word ?? ''),
  );
  if (programs.length === 0) {
    process.stderr.write(`long: there is no *${word ?? ''}*.long.ts in ${FOLDERS.join(', ')}\n`);
    return 1;
  }
  const report = `docs/reports/${word ?? 'long'}.md`;
  const runs: LongRun[] = [];
  for (const program of programs) {
    process.stderr.write(`long: ${program}\n`);
    const { output, seconds, failed } = runProgram(program, [ROOM_FOR_YOUNG]);
    runs.push({ program, seconds, failed, figures: readFigures(output) });
  }
  const page = renderReport(
    { ...circumstances(), command: ['npm run long', ...(word === undefined ? [] : [word])].join(' -- ') },
    runs,
  );
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, page);
  process.stdout.write(page);
  return runs.some((run) => run.failed) ? 1 : 0;
}

process.exitCode = main();
