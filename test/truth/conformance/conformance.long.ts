// All conformance specs that must pass, also those that take long: on a cluster of ours alone, and beside real programs.
import { spawnSync } from 'node:child_process';
import { reportFigure } from '../../../scripts/long/report.ts';

for (const [where, words] of [
  ['mooring up', ['--up']],
  ['beside real programs', []],
] as const) {
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'conformance', '--', '--long', ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = stdout.trimEnd().split('\n');
  reportFigure({ name: `specs, ${where}`, value: lines.at(-1) ?? '' });
  const failed = lines.filter((line) => line.startsWith('FAIL'));
  reportFigure({ name: `failed, ${where}`, value: failed.length === 0 ? 'none' : failed.join(' | ') });
  if (status !== 0) process.exitCode = status ?? 1;
}
