// The built program as a user meets it. What the README shows is run here.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  const { status, stderr } = spawnSync('npm', ['run', '-s', 'build'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}, 120_000);

function mooring(...words: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/mooring.js', ...words], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { code: status, out: stdout, err: stderr };
}

function file(name: string, text: string): string {
  const full = path.join(folder, name);
  writeFileSync(full, text);
  return full;
}

const STORY = `name: sample
about: A story.
lasts: 20s
cluster: { nodes: 1 }
steps:
  - at: 1s
    apply:
      kind: PersistentVolumeClaim
      metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], storageClassName: '', resources: { requests: { storage: 1Gi } } }
expect:
  - { within: 5s, of: pvc/data, condition: Bound }
`;

describe('mooring', () => {
  test('--version -> the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(mooring('--version').out.trim()).toBe(version);
  });

  test.each([['--help'], ['sim', '--help'], ['sim', 'run', '--help'], ['sim', 'list', '--help']])(
    '%s %s %s -> help with an example',
    (...words) => {
      const { code, out } = mooring(...words.filter((word) => word !== undefined));
      expect(code).toBe(0);
      expect(out).toMatch(words.length === 2 ? /Commands:/ : /Example:/);
    },
  );

  test('sim list -> the shipped stories', () => {
    const { code, out } = mooring('sim', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(/^NAME +LASTS +EXPECTS +ABOUT\n/);
    expect(out).toContain('first-claims');
  });

  test('sim run of a shipped story by name -> a timeline whose promises hold', () => {
    const { code, out } = mooring('sim', 'run', 'first-claims');
    expect(code).toBe(0);
    expect(out).toContain('13 of 13 expectations held');
    expect(out).toMatch(/phase Pending → Bound/);
  });

  test('P-CLI-2 sim run with an expectation that fails -> exit 1, and why', () => {
    const { code, out } = mooring('sim', 'run', file('fails.yaml', STORY));
    expect(code).toBe(1);
    expect(out).toContain('✗ pvc/data Bound within 5s: it is Pending');
  });

  test('P-CLI-3 sim run -o json twice -> one object, equal bytes, causes by number', () => {
    const [one, two] = [
      mooring('sim', 'run', 'claim-lost', '-o', 'json'),
      mooring('sim', 'run', 'claim-lost', '-o', 'json'),
    ];
    expect(two.out).toBe(one.out);
    const told = JSON.parse(one.out) as {
      readonly seed: number;
      readonly entries: readonly { readonly number: number; readonly because: number | null }[];
      readonly verdicts: readonly object[];
    };
    expect(Object.keys(told.entries[0] ?? {})).toEqual([
      'number',
      'at',
      'actor',
      'verb',
      'kind',
      'key',
      'detail',
      'because',
    ]);
    expect(told.entries.every(({ number, because }) => because === null || because < number)).toBe(true);
    expect(told.verdicts).toHaveLength(4);
    expect(told.seed).toBe(1);
  });

  test('sim run -o yaml -> the same as YAML', () => {
    expect(mooring('sim', 'run', 'claim-lost', '-o', 'yaml').out).toMatch(/^story: claim-lost\nseed: 1\n/);
  });

  test('sim run -o mermaid --object -> the sequence of that object', () => {
    const { code, out } = mooring('sim', 'run', 'claim-lost', '-o', 'mermaid', '--object', 'pv/disk-1');
    expect(code).toBe(0);
    expect(out).toMatch(/^sequenceDiagram\n {2}participant A1 as persistentvolume-controller/);
    expect(out).toContain('participant O as pv/disk-1');
  });

  const faults: readonly [string, readonly string[], RegExp][] = [
    [
      'a missing file',
      ['sim', 'run', 'no-such.yaml'],
      /^mooring: there is no story no-such\.yaml; mooring sim list shows those shipped\n$/,
    ],
    ['a directory', ['sim', 'run', './stories'], /^mooring: cannot read \.\/stories: EISDIR\n$/],
    [
      'an unknown output',
      ['sim', 'run', 'claim-lost', '-o', 'xml'],
      /^mooring: unknown output "xml": write table, json, yaml, mermaid\n$/,
    ],
    ['a bad seed', ['sim', 'run', 'claim-lost', '--seed', 'x'], /^mooring: --seed takes a whole number, not "x"\n$/],
    [
      'an object the story does not tell of',
      ['sim', 'run', 'claim-lost', '-o', 'mermaid', '--object', 'pv/x'],
      /^mooring: nothing happened to pv\/x in this story; it tells of /,
    ],
    ['an unknown command', ['sail'], /^error: unknown command 'sail'/],
    ['an unknown flag', ['sim', 'run', 'claim-lost', '--fast'], /^error: unknown option '--fast'/],
    ['nothing to run', ['sim', 'run'], /^error: missing required argument 'story'/],
  ];
  test.each(faults)('P-CLI-1 %s -> exit 2 and a clear line', (_, words, expected) => {
    const { code, err } = mooring(...words);
    expect(err).toMatch(expected);
    expect(err).not.toMatch(/ at .*\.js:\d+/);
    expect(code).toBe(2);
  });

  test('P-CLI-1 a fault of the file -> exit 2, file, line and column', () => {
    const broken = file('broken.yaml', STORY.replace('at: 1s', 'at: soon'));
    const { code, err } = mooring('sim', 'run', broken);
    expect(code).toBe(2);
    expect(err).toBe(`${broken}:6:9: at must be a duration such as 90s or 1m30s, not "soon"\n`);
  });

  test('P-CLI-1 a file nobody may read -> exit 2', () => {
    const secret = file('secret.yaml', STORY);
    chmodSync(secret, 0o000);
    // Root reads everything: then the story is played and its promise fails.
    expect(mooring('sim', 'run', secret).code).toBe(process.getuid?.() === 0 ? 1 : 2);
  });

  test('the plug-in for kubectl -> is the same program', () => {
    expect(readFileSync('dist/kubectl-mooring.js', 'utf8')).toBe(readFileSync('dist/mooring.js', 'utf8'));
  });
});

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  test('its output -> is what the program prints', () => {
    const { out } = mooring('sim', 'run', 'first-claims');
    const shown = [...readme.matchAll(/```text\n([^]*?)\n```/g)].map((match) => match[1] ?? '');
    expect(shown).toHaveLength(2);
    for (const text of shown) expect(out).toContain(text);
  });

  test('its commands -> run', () => {
    const block =
      [...readme.matchAll(/```sh\n([^]*?)\n```/g)]
        .map((match) => match[1] ?? '')
        .find((text) => text.includes('dist/mooring.js')) ?? '';
    const commands = block.split('\n').filter((line) => line.startsWith('node dist/mooring.js'));
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) {
      const { code, err } = mooring(...command.split(' ').slice(2));
      expect(code, `${command}: ${err}`).toBe(0);
    }
  });
});
