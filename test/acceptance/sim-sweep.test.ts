// Sweeps, replays and comparisons with the program as it is bundled: threads start the same program.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bundle } from '../../scripts/build/bundle.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-sweep-'));
const program = path.join(folder, 'dist', 'mooring.js');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  await bundle(path.dirname(program), { logLevel: 'error' });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(path.resolve('stories'), path.join(folder, 'stories'));
}, 120_000);

function mooring(...words: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { code: status, out: stdout, err: stderr };
}

interface Report {
  readonly seeds: number;
  readonly held: number;
  readonly hashes: Readonly<Record<string, string>>;
}
const sweep = (...words: readonly string[]): Report =>
  JSON.parse(mooring('sim', 'sweep', '-o', 'json', ...words).out) as Report;

describe('mooring sim sweep', () => {
  test('P-SIM-9 fifty seeds on one thread and on three -> equal hashes, the same bytes on stdout, progress on stderr', () => {
    const [one, three] = ['1', '3'].map((jobs) =>
      mooring('sim', 'sweep', '--seeds', '50', '--seed', '501', '--jobs', jobs, '-o', 'json'),
    );
    expect(three?.out).toBe(one?.out);
    const { held, hashes } = JSON.parse(one?.out ?? '') as Report;
    expect(held).toBe(50);
    expect(new Set(Object.values(hashes)).size).toBe(50);
    expect(one?.err).toMatch(/50 of 50 seeds, 0 failed, [\d.]+ a second, [\d.]+ CPU seconds each\n$/);
    expect(one?.code).toBe(0);
  }, 600_000);

  test('in shards -> together the whole, each seed once', () => {
    const parts = ['1/3', '2/3', '3/3'].map((shard) =>
      sweep('--seeds', '5', '--seed', '11', '--jobs', '1', '--shard', shard),
    );
    expect(parts.map(({ seeds }) => seeds)).toEqual([2, 2, 1]);
    expect(parts.flatMap(({ hashes }) => Object.keys(hashes)).toSorted()).toEqual([
      'seed 11',
      'seed 12',
      'seed 13',
      'seed 14',
      'seed 15',
    ]);
  }, 120_000);

  test('the Job of a million seeds -> as many shards as it has indexes, each in words that the program takes', () => {
    const { spec } = parse(readFileSync('docs/guide/sweep-job.yaml', 'utf8')) as {
      readonly spec: {
        readonly completionMode: string;
        readonly completions: number;
        readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
      };
    };
    expect(spec.completionMode).toBe('Indexed');
    const script = spec.template.spec.containers[0]?.args[0] ?? '';
    const words = script
      .replace(/^exec mooring /, '')
      .replace('$((JOB_COMPLETION_INDEX + 1))', String(spec.completions))
      .replace('--seeds 1000000', `--seeds ${spec.completions}`)
      .split(' ');
    expect(words).toContain(`${spec.completions}/${spec.completions}`);
    const { code, out } = mooring(...words);
    expect([code, out.trimEnd().split('\n').at(-1)]).toEqual([0, '1 of 1 seeds held']);
  }, 120_000);

  test.each([
    [['--seeds', 'many'], /--seeds takes a whole number, not "many"/],
    [['--shard', '4/3'], /--shard takes i\/n with i from 1 to n, not "4\/3"/],
    [['--jobs', '0'], /--jobs must be at least 1/],
    [['-o', 'yaml'], /unknown output "yaml": write table or json/],
  ])('%j -> one line and exit code 2', (words, expected) => {
    const { code, err } = mooring('sim', 'sweep', ...words);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('mooring sim replay', () => {
  test('a seed -> its timeline, and that it was played twice and equal', () => {
    const { code, out } = mooring('sim', 'replay', '--seed', '2');
    expect(code).toBe(0);
    expect(out).toMatch(/✓ every promise held\nplayed twice: equal \([0-9a-f]{16}\)\n$/);
  }, 60_000);

  test('-o story -> a file that sim run plays to the same timeline', () => {
    const story = path.join(folder, 'seed-2.yaml');
    writeFileSync(story, mooring('sim', 'replay', '--seed', '2', '-o', 'story').out);
    const [replayed, played] = [
      mooring('sim', 'replay', '--seed', '2', '-o', 'json'),
      mooring('sim', 'run', story, '-o', 'json'),
    ];
    const entriesOf = (text: string): unknown => (JSON.parse(text) as { readonly entries: unknown }).entries;
    expect(entriesOf(played.out)).toEqual(entriesOf(replayed.out));
  }, 120_000);

  test('without a seed -> exit code 2', () => {
    expect(mooring('sim', 'replay').code).toBe(2);
  });
});

describe('mooring sim run --compare', () => {
  test('P-SIM-12 two values -> a row each, with the time of each promise and how it ended', () => {
    const { code, out } = mooring('sim', 'run', 'first-claims', '--compare', 'pvclaimbinder-sync-period=5s,60s');
    expect(code).toBe(0);
    const [header = '', first = '', second = ''] = out.split('\n');
    expect(header).toMatch(/^PVCLAIMBINDER-SYNC-PERIOD +E1 +E2 .* HELD +END$/);
    expect(first).toMatch(/^5s +\d\d:\d\d\.\d{3} .*pvc\/static Bound/);
    expect(second).toMatch(/^60s +\d\d:\d\d\.\d{3} /);
  }, 60_000);

  test.each([
    [['nonsense'], /--compare takes KEY=a,b,c, not "nonsense"/],
    [['wether=a'], /cannot compare by "wether"/],
    [['nodes=soon'], /with nodes=soon:\d+:\d+: nodes must be a whole number/],
  ])('%j -> one line and exit code 2', ([words = ''], expected) => {
    const { code, err } = mooring('sim', 'run', 'first-claims', '--compare', words);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
  });
});
