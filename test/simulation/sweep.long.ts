// Ten thousand seeds on all processors, with the program as it is shipped. MOORING_SWEEP_SEEDS and MOORING_SWEEP_SEED say
// otherwise how many, and from where on.
import { execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { reportFigure } from '../../scripts/long/report.ts';

const SEEDS = Number(process.env['MOORING_SWEEP_SEEDS'] ?? 10_000);
const FIRST = Number(process.env['MOORING_SWEEP_SEED'] ?? 1_000_000);

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
const words = ['sim', 'sweep', '--seeds', String(SEEDS), '--seed', String(FIRST), '--no-minimise', '-o', 'json'];
const startedAt = performance.now();
const child = spawn(process.execPath, ['dist/mooring.js', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
child.stderr.pipe(process.stderr);
const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
const seconds = (performance.now() - startedAt) / 1000;
const report = JSON.parse(stdout) as SweepReport;
reportFigure({ name: 'seeds', value: `${SEEDS} from ${FIRST}, on ${availableParallelism()} processors` });
reportFigure({ name: 'held', value: `${report.held} of ${SEEDS}` });
reportFigure({ name: 'seconds', value: seconds.toFixed(0) });
reportFigure({ name: 'seeds a second', value: (SEEDS / seconds).toFixed(1) });
reportFigure({ name: 'CPU seconds a seed', value: stderr.match(/[\d.]+(?= CPU seconds each)/g)?.at(-1) ?? 'unknown' });
for (const { replay, kind, about, says } of report.failures.slice(0, 20))
  reportFigure({ name: replay, value: `${kind}: ${about} ${says}` });
for (const [what, count] of Object.entries(report.known))
  reportFigure({ name: `as upstream: ${what}`, value: `${count} seeds` });
process.exitCode = status ?? 1;
