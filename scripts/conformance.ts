// `npm run conformance`: Kubernetes' own conformance specs against a started `mooring apiserver` with real programs beside it,
// or with `-- --up` against `mooring up` and nothing else. Those in passing.focus or passing-up.focus of test/truth/conformance
// must pass, and the quick ones of them are run; `-- --long` runs all of them,
// `-- --all` everything that is listed anywhere, `-- --store` does so and writes the list of what passes anew (it may grow and
// never shrinks), and words, with or without `--store`, run the listed specs that have one of them in their names. KEEP_LOGS=1 keeps what was said.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ClusterKind, SpecCluster } from './conformance/cluster.ts';
import {
  type SpecResult,
  isOf,
  plainName,
  readFocus,
  readPassing,
  readReport,
  storedPassing,
  writePassing,
} from './conformance/specs.ts';

const FOLDER = 'test/truth/conformance';
const PASSING: Readonly<Record<ClusterKind, string>> = {
  apiserver: path.join(FOLDER, 'passing.focus'),
  up: path.join(FOLDER, 'passing-up.focus'),
};
const LISTS = ['conformance.focus', 'conformance-extra.focus'].map((name) => path.join(FOLDER, name));
const TIMEOUT = '25m';
/** Specs that took longer when they were stored are for the long run. */
const QUICK_SECONDS = 10;

const cluster = new SpecCluster();

async function runSpecs(kind: ClusterKind, focus: readonly string[]): Promise<readonly SpecResult[]> {
  await cluster.start(kind);
  const report = path.join(cluster.folder, 'report.xml');
  await cluster.runSpecs([
    '--provider=skeleton',
    '--allowed-not-ready-nodes=-1',
    '--minStartupPods=0',
    '--ginkgo.no-color',
    `--ginkgo.timeout=${TIMEOUT}`,
    `--ginkgo.focus=${focus.join('|')}`,
    `--ginkgo.junit-report=${report}`,
  ]);
  return existsSync(report) ? readReport(readFileSync(report, 'utf8')) : [];
}

function print(results: readonly SpecResult[]): void {
  for (const { name, passed, seconds, why } of results)
    process.stdout.write(
      `${passed ? 'PASS' : 'FAIL'}  ${seconds.toFixed(1).padStart(6)} s  ${name}\n${passed ? '' : `      ${why}\n`}`,
    );
}

interface Wanted {
  readonly focus: readonly string[];
  readonly mustPass: boolean;
}

const listedSpecs = (): readonly string[] => LISTS.flatMap((file) => readFocus(readFileSync(file, 'utf8')));

function wanted(kind: ClusterKind, options: readonly string[]): Wanted {
  const words = options.filter((option) => !option.startsWith('--'));
  const listed = listedSpecs();
  if (words.length > 0)
    return { focus: listed.filter((name) => words.some((word) => plainName(name).includes(word))), mustPass: true };
  if (options.includes('--all') || options.includes('--store')) return { focus: listed, mustPass: false };
  const isLong = options.includes('--long');
  const passing = readPassing(readFileSync(PASSING[kind], 'utf8'));
  const chosen = passing.filter(({ seconds }) => isLong || seconds <= QUICK_SECONDS);
  return { focus: chosen.map(({ focus }) => focus), mustPass: true };
}

function store(kind: ClusterKind, results: readonly SpecResult[]): void {
  const file = PASSING[kind];
  const before = existsSync(file) ? readPassing(readFileSync(file, 'utf8')) : [];
  writeFileSync(file, writePassing(storedPassing(before, listedSpecs(), results)));
}

async function main(options: readonly string[]): Promise<number> {
  const kind = options.includes('--up') ? 'up' : 'apiserver';
  const { focus, mustPass } = wanted(kind, options);
  const results = await runSpecs(kind, focus);
  print(results);
  const failed = focus.filter((name) => !results.some((result) => result.passed && isOf(result, plainName(name))));
  process.stdout.write(`${focus.length - failed.length} of ${focus.length} conformance specs passed\n`);
  if (options.includes('--store')) store(kind, results);
  return mustPass && failed.length > 0 ? 1 : 0;
}

const keepLogs = process.env['KEEP_LOGS'] !== undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.stop({ keepLogs }).then(() => process.exit(1)));
try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await cluster.stop({ keepLogs });
  if (keepLogs) process.stderr.write(`logs: ${cluster.folder}\n`);
}
