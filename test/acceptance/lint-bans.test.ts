// The linter's settings are code too: each ban is shown a planted fault, which it must find, and its clean twin, which it
// must let pass. One run of the real linter over a small planted tree answers for all of them.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Plant {
  readonly rule: string;
  /** Folder below src/ that the file is planted in. */
  readonly room: string;
  readonly fault: string;
  readonly clean: string;
  /** A part of the help that the linter prints with the fault. */
  readonly says?: string;
}

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
  readonly help?: string;
}

const CLOCK = 'use the handed clock';
const RANDOM = 'use the handed random';
const EDGE = 'behind a contract at the edge';

const plants: readonly Plant[] = [
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'kube',
    fault: 'export const at = (): number => Date.now();',
    clean: 'export const at = (clock: { now(): number }): number => clock.now();',
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'controlplane/podgc',
    fault: "export const at = (): number => Date['now']();",
    clean: 'export const at = (text: string): number => Date.parse(text);',
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'kubelet',
    fault: 'export const at = (): number => performance.now();',
    clean: 'export const at = (performance: { now(): number }): number => performance.now();',
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'runtime',
    fault: 'export const wait = (wake: () => void): unknown => setTimeout(wake, 10);',
    clean:
      'export const wait = (clock: { after(d: number, w: () => void): unknown }, wake: () => void): unknown => clock.after(10, wake);',
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'sidecars/attacher',
    fault: 'export const tick = (wake: () => void): unknown => setInterval(wake, 10);',
    clean: 'export const tick = (wake: () => void): void => queueMicrotask(wake);',
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'apiserver',
    fault: 'export const later = (wake: () => void): unknown => setImmediate(wake);',
    clean: "export const later = (): string => 'setImmediate';",
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'kubeclient',
    fault:
      "import { setTimeout as sleep } from 'node:timers/promises';\nexport const wait = (): Promise<void> => sleep(1);",
    clean: "import { Agent } from 'node:https';\nexport const agent = (): Agent => new Agent();",
    says: CLOCK,
  },
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'csi',
    fault: 'export const limit = (): AbortSignal => AbortSignal.timeout(5);',
    clean: 'export const limit = (a: AbortSignal, b: AbortSignal): AbortSignal => AbortSignal.any([a, b]);',
    says: 'race the handed signal',
  },
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'base',
    fault: 'export const dice = (): number => Math.random();',
    clean: 'export const dice = (random: { fraction(): number }): number => Math.floor(random.fraction());',
    says: RANDOM,
  },
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'volume',
    fault: 'export const uid = (): string => crypto.randomUUID();',
    clean: 'export const uid = (random: { uid(): string }): string => random.uid();',
    says: RANDOM,
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'kube',
    fault: "import { randomUUID } from 'node:crypto';\nexport const uid = (): string => randomUUID();",
    clean:
      "import { createHash } from 'node:crypto';\nexport const sum = (text: string): string => createHash('sha256').update(text).digest('hex');",
    says: 'createHash',
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'observe',
    fault: "export const home = (): string | undefined => process.env['HOME'];",
    clean: 'export const home = (options: { readonly home: string }): string => options.home;',
    says: 'as an option',
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'worlds',
    fault: 'export const end = (): never => process.exit(1);',
    clean: 'export const now = (): number => Date.now();',
    says: 'return a code',
  },
  {
    rule: 'eslint(no-restricted-globals)',
    room: 'operate',
    fault: "export const say = (): void => console.log('hello');",
    clean:
      "export const say = (log: { write(level: string, message: string): void }): void => log.write('info', 'hello');",
    says: 'the handed log',
  },
  {
    rule: 'eslint(no-restricted-properties)',
    room: 'kube',
    fault: 'export const at = (): unknown => globalThis.structuredClone({});',
    clean: 'export const at = (): unknown => structuredClone({});',
    says: 'not handed to you',
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'kubelet',
    fault: "import { readFileSync } from 'node:fs';\nexport const read = (): string => readFileSync('a', 'utf8');",
    clean: 'export const read = (mounter: { list(path: string): string }): string => mounter.list("a");',
    says: EDGE,
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'twin',
    fault: "import { connect } from 'net';\nexport const open = (): unknown => connect(1);",
    clean: "import { parse } from 'yaml';\nexport const read = (text: string): unknown => parse(text);",
    says: 'I/O belongs to the edge',
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'apiserver/registry',
    fault: "export const open = (): Promise<unknown> => import('node:http');",
    clean: 'export const open = (): Promise<unknown> => Promise.resolve(1);',
    says: EDGE,
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'csi/drivers/memory',
    fault: "import { parse } from 'yaml';\nexport const read = (text: string): unknown => parse(text);",
    clean: 'export const read = (text: string): unknown => JSON.parse(text);',
    says: EDGE,
  },
  {
    rule: 'eslint(no-restricted-imports)',
    room: 'kubeclient',
    fault: "import { credentials } from '@grpc/grpc-js';\nexport const open = (): unknown => credentials;",
    clean: "import { request } from 'node:http';\nexport const open = (): unknown => request;",
    says: 'one stack',
  },
  {
    rule: 'typescript(no-floating-promises)',
    room: 'runtime',
    fault: 'export function start(run: () => Promise<void>): void {\n  run();\n}',
    clean: 'export async function start(run: () => Promise<void>): Promise<void> {\n  await run();\n}',
  },
  {
    rule: 'typescript(no-misused-promises)',
    room: 'runtime',
    fault: 'export const all = (keys: string[], run: (key: string) => Promise<void>): void => keys.forEach(run);',
    clean: 'export const all = (keys: string[], run: (key: string) => void): void => keys.forEach(run);',
  },
  {
    rule: 'typescript(switch-exhaustiveness-check)',
    room: 'kube',
    fault:
      "export function f(x: 'a' | 'b'): number {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
    clean:
      "export function f(x: 'a' | 'b'): number {\n  switch (x) {\n    case 'a':\n      return 1;\n    default:\n      return 2;\n  }\n}",
  },
  {
    rule: 'typescript(no-explicit-any)',
    room: 'kube',
    fault: 'export const f = (x: any): number => Number(x);',
    clean: 'export const f = (x: unknown): number => Number(x);',
  },
  {
    rule: 'typescript(no-non-null-assertion)',
    room: 'kube',
    fault: 'export const f = (x: string | undefined): string => x!;',
    clean: "export const f = (x: string | undefined): string => x ?? '';",
  },
  {
    rule: 'typescript(no-unsafe-type-assertion)',
    room: 'kube',
    fault: 'export const f = (x: unknown): string => x as string;',
    clean: "export const f = (): unknown => ({ type: 'a' as const });",
  },
  {
    rule: 'typescript(consistent-type-imports)',
    room: 'kube',
    fault: "import { KubeObject } from './planted-object.ts';\nexport const f = (x: KubeObject): unknown => x;",
    clean: "import { type KubeObject } from './planted-object.ts';\nexport const f = (x: KubeObject): unknown => x;",
  },
  {
    rule: 'typescript(only-throw-error)',
    room: 'kube',
    fault: "export const f = (): never => {\n  throw 'text';\n};",
    clean: "export const f = (): never => {\n  throw new Error('text');\n};",
  },
  {
    rule: 'eslint(max-lines-per-function)',
    room: 'kube',
    fault: `export function f(): number {\n  let n = 0;\n${'  n += 1;\n'.repeat(70)}  return n;\n}`,
    clean: `export function f(): number {\n  let n = 0;\n${'  n += 1;\n'.repeat(60)}  return n;\n}`,
  },
  {
    rule: 'eslint(max-params)',
    room: 'kube',
    fault: 'export const f = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;',
    clean: 'export const f = (a: number, b: number, c: number, d: number): number => a + b + c + d;',
  },
  {
    rule: 'eslint(max-depth)',
    room: 'kube',
    fault:
      'export function f(a: number): number {\n  if (a > 1) {\n    if (a > 2) {\n      if (a > 3) {\n        if (a > 4) return 1;\n      }\n    }\n  }\n  return 0;\n}',
    clean:
      'export function f(a: number): number {\n  if (a > 1) {\n    if (a > 2) {\n      if (a > 3) return 1;\n    }\n  }\n  return 0;\n}',
  },
  {
    rule: 'import(no-default-export)',
    room: 'kube',
    fault: 'export default 1;',
    clean: 'export const one = 1;',
  },
  {
    rule: 'import(no-cycle)',
    room: 'kube',
    fault: "import { self } from './planted-cycle.ts';\nexport const other = (): unknown => self;",
    clean:
      "import { type KubeObject } from './planted-object.ts';\nexport const other = (x: KubeObject): unknown => x;",
  },
  {
    rule: 'eslint(eqeqeq)',
    room: 'kube',
    fault: 'export const f = (a: unknown, b: unknown): boolean => a == b;',
    clean: 'export const f = (a: unknown, b: unknown): boolean => a === b;',
  },
  {
    rule: 'typescript(require-array-sort-compare)',
    room: 'volume',
    fault: 'export const f = (a: number[]): number[] => a.sort();',
    clean: 'export const f = (a: string[]): string[] => a.sort();',
  },
];

const repository = join(import.meta.dirname, '..', '..');
let tree = '';
let found: readonly Diagnostic[] = [];

function pathOf(index: number, kind: 'fault' | 'clean'): string {
  return `src/${plants[index]?.room}/planted-${index}-${kind}.ts`;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), `${text}\n`);
}

function lint(): Promise<readonly Diagnostic[]> {
  const program = join(repository, 'node_modules', '.bin', 'oxlint');
  return new Promise((resolve, reject) => {
    // A run that finds something ends with 1, so the answer is on stdout whatever the code says.
    execFile(program, ['--format', 'json'], { cwd: tree, maxBuffer: 1 << 26 }, (_error, stdout, stderr) => {
      try {
        resolve((JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics);
      } catch {
        reject(new Error(`oxlint did not answer JSON: ${stderr}${stdout.slice(0, 500)}`));
      }
    });
  });
}

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'mooring-lint-'));
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) {
    await copyFile(join(repository, name), join(tree, name));
  }
  await symlink(join(repository, 'node_modules'), join(tree, 'node_modules'));
  for (const [index, { fault, clean }] of plants.entries()) {
    await write(pathOf(index, 'fault'), fault);
    await write(pathOf(index, 'clean'), clean);
  }
  const cycle = plants.findIndex((plant) => plant.rule === 'import(no-cycle)');
  await write('src/kube/planted-object.ts', 'export interface KubeObject {\n  readonly kind: string;\n}');
  await write(
    'src/kube/planted-cycle.ts',
    `import { other } from './planted-${cycle}-fault.ts';\nexport const self = (): unknown => other;`,
  );
  found = await lint();
});

afterAll(async () => {
  await rm(tree, { recursive: true, force: true });
});

function diagnosticsOf(path: string): readonly Diagnostic[] {
  return found.filter((diagnostic) => diagnostic.filename.endsWith(path));
}

test.each(plants.map((plant, index) => ({ ...plant, index })))(
  '$rule in src/$room: planted fault -> found, with what to use instead ($index)',
  ({ rule, index, says = '' }) => {
    const ofRule = diagnosticsOf(pathOf(index, 'fault')).filter((each) => each.code === rule);
    expect(ofRule).not.toEqual([]);
    expect(ofRule.map((each) => `${each.message} ${each.help ?? ''}`).join('\n')).toContain(says);
  },
);

test.each(plants.map((plant, index) => ({ ...plant, index })))(
  '$rule in src/$room: clean twin -> passes ($index)',
  ({ index }) => {
    expect(diagnosticsOf(pathOf(index, 'clean'))).toEqual([]);
  },
);
