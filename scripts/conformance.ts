// `npm run conformance`: Kubernetes' own conformance specs against a started `mooring apiserver` with real programs beside it,
// or with `-- --up` against `mooring up` and nothing else. Those in passing.focus or passing-up.focus of test/truth/conformance
// must pass. `-- --all` runs everything that is listed anywhere, `-- --store` does so and writes the list of what passes anew (it may
// grow and never shrinks), and words, with or without `--store`, run the listed specs that have one of them in their names.
// Specs run four at a time, as ginkgo does it, and those that say so alone. KEEP_LOGS=1 keeps what was said.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ClusterKind, SpecCluster } from './conformance/cluster.ts';
import {
  type PassingSpec,
  type SpecResult,
  isOf,
  isSerial,
  plainName,
  readFocus,
  readPassing,
  readReport,
  shares,
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
/** Specs mostly wait. */
const AT_ONCE = 4;
/** What nobody knows better takes so long. */
const UNKNOWN_SECONDS = 10;

const cluster = new SpecCluster();

async function runSpecs(kind: ClusterKind, specs: readonly PassingSpec[]): Promise<readonly SpecResult[]> {
  await cluster.start(kind);
  const together = shares(
    specs.filter((spec) => !isSerial(spec)),
    AT_ONCE,
  );
  const alone = shares(specs.filter(isSerial), 1);
  const results = await Promise.all(together.map((focus, index) => runShare(focus, `share-${index + 1}`)));
  for (const focus of alone) results.push(await runShare(focus, 'alone'));
  return results.flat();
}

async function runShare(focus: readonly string[], name: string): Promise<readonly SpecResult[]> {
  const report = path.join(cluster.folder, `${name}.xml`);
  await cluster.runSpecs(name, [
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
  readonly specs: readonly PassingSpec[];
  readonly mustPass: boolean;
}

const listedSpecs = (): readonly string[] => LISTS.flatMap((file) => readFocus(readFileSync(file, 'utf8')));

function passingOf(kind: ClusterKind): readonly PassingSpec[] {
  return existsSync(PASSING[kind]) ? readPassing(readFileSync(PASSING[kind], 'utf8')) : [];
}

function wanted(kind: ClusterKind, options: readonly string[]): Wanted {
  const words = options.filter((option) => !option.startsWith('--'));
  const passing = passingOf(kind);
  const listed = listedSpecs().map(
    (focus) => passing.find((each) => each.focus === focus) ?? { focus, seconds: UNKNOWN_SECONDS },
  );
  if (words.length > 0)
    return {
      specs: listed.filter(({ focus }) => words.some((word) => plainName(focus).includes(word))),
      mustPass: true,
    };
  if (options.includes('--all') || options.includes('--store')) return { specs: listed, mustPass: false };
  return { specs: passing, mustPass: true };
}

function store(kind: ClusterKind, results: readonly SpecResult[]): void {
  writeFileSync(PASSING[kind], writePassing(storedPassing(passingOf(kind), listedSpecs(), results)));
}

async function main(options: readonly string[]): Promise<number> {
  const kind = options.includes('--up') ? 'up' : 'apiserver';
  const { specs, mustPass } = wanted(kind, options);
  const results = await runSpecs(kind, specs);
  print(results);
  const failed = specs.filter(
    ({ focus }) => !results.some((result) => result.passed && isOf(result, plainName(focus))),
  );
  process.stdout.write(`${specs.length - failed.length} of ${specs.length} conformance specs passed\n`);
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
