// Every check is shown a planted fault and its clean twin: it must find the one and let the other pass. A planted secret or
// path is put together at run time, so that this file is clean itself.
import { expect, test } from 'vitest';
import { EXCEPTIONS, EXCEPTIONS_COUNT } from './tidy-exceptions.ts';
import type { SourceFile } from './tidy/source.ts';
import { findAll, tidy, withoutExceptions } from './tidy/tidy.ts';

const KUBE = 'src/kube/claim.ts';

interface Plant {
  readonly check: string;
  readonly about: string;
  readonly planted: readonly SourceFile[];
  readonly clean: readonly SourceFile[];
}

function file(path: string, text: string): SourceFile {
  return { path, text };
}

/** One file, with a fault and without. */
function plant(check: string, path: string, [planted, clean]: readonly [string, string]): Plant {
  return {
    check,
    about: `${path}: ${planted.slice(0, 60)}`,
    planted: [file(path, planted)],
    clean: [file(path, clean)],
  };
}

function found(files: readonly SourceFile[], check: string): string[] {
  return findAll(files)
    .filter((finding) => finding.check === check)
    .map(({ path, line }) => `${path}:${line}`);
}

const layers: readonly Plant[] = [
  plant('layers', KUBE, [
    "import { informer } from '../runtime/informer.ts';",
    "import { assert } from '../base/assert.ts';",
  ]),
  plant('layers', KUBE, [
    "import type { Informer } from '../runtime/informer.ts';",
    "import type { A } from '../base/a.ts';",
  ]),
  plant('layers', KUBE, ["const x = import('../runtime/informer.ts');", "const x = import('../base/assert.ts');"]),
  plant('layers', KUBE, ["import { plant } from '../../test/maker.ts';", "import { claim } from './object.ts';"]),
  plant('layers', 'src/controlplane/attachdetach/attachdetach.ts', [
    "import { bind } from '../persistentvolume/bind.ts';",
    "import { bind } from '../../volume/claim-matching.ts';",
  ]),
  plant('layers', 'src/controlplane/attachdetach/attachdetach.test.ts', [
    "import { bind } from '../persistentvolume/bind.ts';",
    "import { server } from '../../apiserver/registry/server.ts';",
  ]),
  plant('layers', 'src/attic/old.ts', ["import { a } from '../base/assert.ts';", 'export const a = 1;']),
  plant('specifier', KUBE, ["import { a } from './a.js';", "import { a } from './a.ts';"]),
  plant('specifier', KUBE, ["import { a } from './a';", "import { a } from 'a';"]),
  {
    check: 'cycle',
    about: 'two files that import each other',
    planted: [file('src/kube/a.ts', "import './b.ts';"), file('src/kube/b.ts', "import type { A } from './a.ts';")],
    clean: [file('src/kube/a.ts', "import './b.ts';"), file('src/kube/b.ts', 'export const b = 1;')],
  },
  {
    check: 'cycle',
    about: 'a cycle that the first file is not on',
    planted: [
      file('src/kube/a.ts', "import './b.ts'; import './d.ts';"),
      file('src/kube/b.ts', "import './c.ts';"),
      file('src/kube/c.ts', "import './b.ts';"),
      file('src/kube/d.ts', ''),
    ],
    clean: [
      file('src/kube/a.ts', "import './b.ts'; import './c.ts';"),
      file('src/kube/b.ts', "import './c.ts';"),
      file('src/kube/c.ts', ''),
    ],
  },
];

const determinism: readonly Plant[] = [
  plant('real-time', KUBE, ['export const at = () => new Date();', 'export const at = (ms: number) => new Date(ms);']),
  plant('real-time', KUBE, ['export const at = () => Date();', "export const at = () => 'new Date()';"]),
  plant('real-time', KUBE, [
    'export const at = () => new Date(2026, 0, 1);',
    'export const at = () => Date.UTC(2026, 0, 1);',
  ]),
  plant('real-time', 'src/kube/claim.test.ts', ['const at = new Date();', 'const at = new Date(0);']),
  plant('determinism', KUBE, [
    'export const order = (a: string, b: string) => a.localeCompare(b);',
    'export const order = (a: string, b: string) => (a < b ? -1 : 1);',
  ]),
  plant('determinism', KUBE, [
    'export const hour = (d: Date) => d.getHours();',
    'export const hour = (d: Date) => d.getUTCHours();',
  ]),
  plant('determinism', KUBE, [
    'export const f = (o: object) => { for (const k in o) k; };',
    'export const f = (o: string[]) => { for (const k of o) k; };',
  ]),
  plant('determinism', KUBE, [
    'export const f = (o: object) => new WeakRef(o);',
    'export const f = (o: object) => new WeakMap([[o, 1]]);',
  ]),
  plant('determinism', KUBE, ['export const f = () => new Intl.NumberFormat();', '// Intl is not used here.']),
];

const modules: readonly Plant[] = [
  plant('module-state', KUBE, ['let count = 0;', 'const COUNT = 0;']),
  plant('module-state', KUBE, ['export let count = 0;', 'export function count() { let n = 0; return n; }']),
  plant('module-state', KUBE, ['const cache = new Map();', "const TABLE = new Map([['a', 1]]);"]),
  plant('module-state', KUBE, ['export const seen = new Set<string>();', "export const SEEN = new Set(['a']);"]),
  plant('module-state', KUBE, ['const NONE = new Set<string>();', 'const NONE: ReadonlySet<string> = new Set();']),
  plant('module-state', KUBE, [
    'const memo = new Map<object, string>();',
    'const memo = new WeakMap<object, string>();',
  ]),
  plant('module-work', KUBE, ['register();', 'function register() {}']),
  plant('module-work', KUBE, ['for (const a of [1]) a;', 'export const all = () => { for (const a of [1]) a; };']),
  plant('barrel', KUBE, ["export * from './object.ts';", "import './object.ts';"]),
  plant('barrel', KUBE, ["export { a } from './object.ts';", 'const a = 1; export { a };']),
  {
    check: 'barrel',
    about: 'a file called index.ts',
    planted: [file('src/kube/index.ts', 'export const a = 1;')],
    clean: [file('src/kube/object.ts', 'export const a = 1;')],
  },
  plant('directive', KUBE, [
    '// @ts-expect-error: no\nexport const a = 1;',
    '// Says @ts-expect-error in passing.\nexport const a = 1;',
  ]),
  plant('directive', KUBE, ['/* oxlint-disable max-params */', '/* oxlint is a linter. */']),
];

const words: readonly Plant[] = [
  {
    check: 'name',
    about: 'a file called utils',
    planted: [file('src/kube/utils.ts', '')],
    clean: [file('src/kube/quantity.ts', '')],
  },
  {
    check: 'name',
    about: 'a folder called shared',
    planted: [file('src/shared/quantity.ts', '')],
    clean: [file('src/kube/shared-volume.ts', '')],
  },
  {
    check: 'name',
    about: 'a name with helper in it',
    planted: [file('test/contract/claim-helpers.ts', '')],
    clean: [file('test/truth/recorded/utils.json', '{}')],
  },
  {
    check: 'name',
    about: 'a file that is not kebab-case',
    planted: [file('src/kube/ObjectMeta.ts', '')],
    clean: [file('src/kube/object-meta.law.test.ts', '')],
  },
  plant('length', KUBE, ['\n'.repeat(501), '\n'.repeat(500)]),
  plant('length', 'src/kube/README.md', ['\n'.repeat(121), '\n'.repeat(120)]),
  plant('note', KUBE, ['// TODO: later', '// TODO(0004): when time is virtual there too']),
  plant('note', KUBE, ['/* see FIXME */', '/* see TODO(#12) */']),
  plant('private', 'docs/guide.md', [`see ${'/ho'}me/anna/mooring`, 'see https://example.org/home/anna']),
  plant('private', 'docs/guide.md', [`cd ${'/wo'}rk/main`, 'cd path/work/main']),
  plant('private', 'docs/guide.md', [`${'/ro'}ot/.npmrc`, 'data: /data/root/x']),
  plant('private', '.npmrc', [`registry=https://${'registry'}.example.com/`, 'image: registry.k8s.io/pause:3.10']),
  plant('private', 'package-lock.json', [`"resolved": "${'https'}://packages/a.tgz"`, '"resolved": "src/a"']),
  plant('private', 'test/key.txt', [
    `-----BEGIN EC ${'PRIVATE'} KEY-----\n${'A'.repeat(64)}\n`,
    '-----BEGIN EC PRIVATE KEY-----',
  ]),
  plant('private', 'test/key.txt', [`AKIA${'B'.repeat(16)}`, 'AKIA']),
  plant('private', 'test/key.txt', [`ghp_${'c'.repeat(36)}`, 'ghp_']),
  plant('private', 'test/key.txt', [`eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`, 'eyJ.eyJ']),
];

const readme = file(
  'src/kube/README.md',
  '# kube\n\n- P-KU-1 keys are stable\n- **P-KU-2** lists are frozen, unlike P-KU-9\n',
);
const tests: readonly Plant[] = [
  {
    check: 'promise',
    about: 'a promise that no test carries',
    planted: [readme, file('src/kube/a.test.ts', "// P-KU-2\ntest('P-KU-1 a key -> stable', () => {});")],
    clean: [readme, file('src/kube/a.test.ts', "test('P-KU-1 a', () => {}); rows('x', [['P-KU-2 b', 1]]);")],
  },
  {
    check: 'promise',
    about: 'a test that carries a promise nobody made',
    planted: [file('test/contract/a.test.ts', 'test(`P-KU-7 ${name}`, () => {});')],
    clean: [file('test/contract/a.test.ts', 'test(`AD-07 ${name}`, () => {});')],
  },
  {
    check: 'promise',
    about: 'one number promised by two rooms',
    planted: [
      file('src/kube/README.md', '| P-KU-1 | keys |'),
      file('src/base/README.md', '1. P-KU-1 clocks'),
      file('src/kube/a.test.ts', "test('P-KU-1', () => {});"),
    ],
    clean: [
      file('src/kube/README.md', '### P-KU-1 keys\n\nP-KU-1 is carried by a.test.ts'),
      file('src/kube/a.test.ts', "test('P-KU-1', () => {});"),
    ],
  },
  plant('left-out', 'src/kube/a.test.ts', ["test.only('a', () => {});", "test('only', () => {});"]),
  plant('left-out', 'src/kube/a.test.ts', [
    "test.concurrent.skip('a', () => {});",
    "test.concurrent('skip', () => {});",
  ]),
  plant('left-out', 'test/acceptance/a.test.ts', [
    "// needs root\ndescribe.skipIf(!isRoot)('a', () => {});",
    "// skipped: loop devices need root\ndescribe.skipIf(!isRoot)('a', () => {});",
  ]),
  plant('left-out', 'src/kube/a.test.ts', ["it.todo('a');", "it.todo('a'); // skipped: waits for kubectl 1.37"]),
  {
    check: 'readme',
    about: 'a room without README',
    planted: [file('src/kube/resources/pod.ts', '')],
    clean: [file('src/kube/resources/pod.ts', ''), file('src/kube/README.md', '')],
  },
  {
    check: 'readme',
    about: 'a stranger without README',
    planted: [file('src/controlplane/podgc/podgc.ts', ''), file('src/controlplane/README.md', '')],
    clean: [
      file('src/controlplane/podgc/podgc.ts', ''),
      file('src/controlplane/README.md', ''),
      file('src/controlplane/podgc/README.md', ''),
    ],
  },
];

const plants = [...layers, ...determinism, ...modules, ...words, ...tests];

test.each(plants)('$check finds the fault in $about', ({ check, planted }) => {
  expect(found(planted, check)).not.toEqual([]);
});

test.each(plants)('$check lets the clean twin pass of $about', ({ check, clean }) => {
  expect(found(clean, check)).toEqual([]);
});

test('rooms that hand out real time -> may read it', () => {
  const text = 'export const at = () => new Date();';
  const paths = ['src/base/system-clock.ts', 'src/worlds/embedded.ts', 'src/cli/up.ts'];
  expect(
    found(
      paths.map((path) => file(path, text)),
      'real-time',
    ),
  ).toEqual([]);
});

test('a finding -> says file, line and what to use instead', () => {
  const [finding] = tidy([file(KUBE, '\nexport const at = () => new Date();'), file('src/kube/README.md', '')], []);
  expect(finding).toEqual({
    check: 'real-time',
    path: KUBE,
    line: 2,
    says: 'new Date() reads the hour: use the handed clock: clock.now()',
  });
});

const finding = { check: 'length', path: KUBE, line: 501, says: 'long' };
const exception = { check: 'length', path: KUBE, count: 1, reason: 'a table of all kinds' };

test('an exception -> covers as many findings as it says', () => {
  expect(withoutExceptions([finding], [exception])).toEqual([]);
});

test('an exception that covers nothing, or too little, or has no reason -> is a finding', () => {
  const says = (count: number): string => `length: the list allows 1, ${count} found`;
  expect(withoutExceptions([], [exception]).map((each) => each.says)).toEqual([says(0)]);
  expect(withoutExceptions([finding, finding], [exception]).map((each) => each.says)).toEqual([says(2)]);
  expect(withoutExceptions([finding], [{ ...exception, reason: '' }])).toHaveLength(1);
});

test('the list of exceptions -> is not longer than it was, and its count follows when it shrinks', () => {
  expect(EXCEPTIONS).toHaveLength(EXCEPTIONS_COUNT);
});
