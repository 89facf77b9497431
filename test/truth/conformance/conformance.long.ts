// All conformance specs that must pass, also those that take long.
import { spawnSync } from 'node:child_process';
import { reportFigure } from '../../../scripts/long/report.ts';

const { status, stdout } = spawnSync('npm', ['run', '-s', 'conformance', '--', '--long'], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const lines = stdout.trimEnd().split('\n');
reportFigure({ name: 'specs', value: lines.at(-1) ?? '' });
const failed = lines.filter((line) => line.startsWith('FAIL'));
reportFigure({ name: 'failed', value: failed.length === 0 ? 'none' : failed.join(' | ') });
process.exitCode = status ?? 1;
