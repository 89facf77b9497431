// `npm run conformance`: Kubernetes' own conformance specs against a started `mooring apiserver` with the real controller
// manager beside it. Specs named in test/truth/conformance/passing.focus must pass; `-- --all` runs everything that is listed
// and tells what passes; `-- --store` writes the list anew. It may grow and never shrink.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPeer } from '../test/peers-found.ts';
import { type SpecResult, isOf, plainName, readFocus, readReport } from './conformance/specs.ts';

const FOLDER = 'test/truth/conformance';
const PASSING = path.join(FOLDER, 'passing.focus');
const LISTS = ['conformance.focus', 'conformance-extra.focus'].map((name) => path.join(FOLDER, name));
const TIMEOUT = '20m';

const started: ChildProcess[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-conformance-'));
const data = path.join(folder, 'data');

function start(program: string, words: readonly string[], name: string): ChildProcess {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => log.push(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString('utf8')));
  child.once('exit', () => writeFileSync(path.join(folder, `${name}.log`), log.join('')));
  started.push(child);
  return child;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited a minute in vain for ${what}`);
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(child.exitCode)));

function peer(name: Parameters<typeof findPeer>[0]): string {
  const found = findPeer(name);
  if (found === undefined) throw new Error(`no ${name}: scripts/peers.sh ${name} builds it`);
  return found;
}

async function runSpecs(focus: readonly string[]): Promise<readonly SpecResult[]> {
  const kubeconfig = path.join(data, 'kubeconfig');
  start(process.execPath, ['dist/mooring.js', 'apiserver', '--data-dir', data, '--port', '0'], 'apiserver');
  await until(() => existsSync(kubeconfig), 'the server');
  const pki = (file: string): string => path.join(data, 'pki', file);
  start(
    peer('kube-controller-manager'),
    [
      `--kubeconfig=${path.join(data, 'identities', 'kube-controller-manager.kubeconfig')}`,
      `--root-ca-file=${pki('ca.crt')}`,
      `--service-account-private-key-file=${pki('sa.key')}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
      '--secure-port=0',
    ],
    'kube-controller-manager',
  );
  const report = path.join(folder, 'report.xml');
  const specs = start(
    peer('e2e.test'),
    [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      '--allowed-not-ready-nodes=-1',
      '--minStartupPods=0',
      '--ginkgo.no-color',
      `--ginkgo.timeout=${TIMEOUT}`,
      `--ginkgo.focus=${focus.join('|')}`,
      `--ginkgo.junit-report=${report}`,
    ],
    'e2e.test',
  );
  await ended(specs);
  return existsSync(report) ? readReport(readFileSync(report, 'utf8')) : [];
}

function print(results: readonly SpecResult[]): void {
  for (const { name, passed, seconds, why } of results)
    process.stdout.write(
      `${passed ? 'PASS' : 'FAIL'}  ${seconds.toFixed(1).padStart(6)} s  ${name}\n${passed ? '' : `      ${why}\n`}`,
    );
}

async function main(options: readonly string[]): Promise<number> {
  const isAll = options.includes('--all') || options.includes('--store');
  const words = options.filter((option) => !option.startsWith('--'));
  const files = isAll || words.length > 0 ? LISTS : [PASSING];
  const listed = files.flatMap((file) => readFocus(readFileSync(file, 'utf8')));
  const focus = listed.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  const results = await runSpecs(focus);
  print(results);
  const failed = focus.filter((name) => !results.some((result) => result.passed && isOf(result, plainName(name))));
  process.stdout.write(`${focus.length - failed.length} of ${focus.length} conformance specs passed\n`);
  if (options.includes('--store')) {
    const before = existsSync(PASSING) ? readFocus(readFileSync(PASSING, 'utf8')) : [];
    const passing = listed.filter((name) => before.includes(name) || !failed.includes(name));
    writeFileSync(PASSING, `${passing.join('\n')}\n`);
  }
  return isAll || failed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(started.map(ended));
  if (process.env['KEEP_LOGS'] === undefined) rmSync(folder, { recursive: true, force: true });
  else process.stderr.write(`logs: ${folder}\n`);
}
