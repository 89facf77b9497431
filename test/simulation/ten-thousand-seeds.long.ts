// Ten thousand seeds on all processors, with the program as it is shipped.
import { execFileSync, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { reportFigure } from '../../scripts/long/report.ts';

const SEEDS = 10_000;
const FIRST = 1_000_000;

interface SweepReport {
  readonly held: number;
  readonly failures: readonly {
    readonly replay: string;
    readonly kind: string;
    readonly about: string;
    readonly says: string;
  }[];
  readonly known: Readonly<Record<string, number>>;
}

execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
const words = [
  'dist/mooring.js',
  'sim',
  'sweep',
  '--seeds',
  String(SEEDS),
  '--seed',
  String(FIRST),
  '--no-minimise',
  '-o',
  'json',
];
const startedAt = performance.now();
const child = spawnSync(process.execPath, words, {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const seconds = (performance.now() - startedAt) / 1000;
const report = JSON.parse(child.stdout) as SweepReport;
reportFigure({ name: 'seeds', value: `${SEEDS} from ${FIRST}, on ${availableParallelism()} processors` });
reportFigure({ name: 'held', value: `${report.held} of ${SEEDS}` });
reportFigure({ name: 'seeds a second', value: (SEEDS / seconds).toFixed(1) });
for (const { replay, kind, about, says } of report.failures.slice(0, 20))
  reportFigure({ name: replay, value: `${kind}: ${about} ${says}` });
for (const [what, count] of Object.entries(report.known))
  reportFigure({ name: `as upstream: ${what}`, value: `${count} seeds` });
process.exitCode = child.status ?? 1;
