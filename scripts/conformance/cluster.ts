// A cluster for specs, of one of two kinds. `mooring up` is all ours. `mooring apiserver` has beside it the real controller
// manager, the real scheduler and `kwok`, which plays the kubelets of three nodes; each has the identity that the server made
// for it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../build/bundle.ts';
import { type PeerName, findPeer } from '../../test/peers-found.ts';

const NODES = ['node-1', 'node-2', 'node-3'];
const STOP_MS = 5000;
/** What real programs send; answers are JSON all the same. */
const PROTOBUF = '--kube-api-content-type=application/vnd.kubernetes.protobuf';

function peer(name: PeerName): string {
  const found = findPeer(name);
  if (found === undefined) throw new Error(`no ${name}: scripts/peers.sh ${name} builds it`);
  return found;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited a minute in vain for ${what}`);
}

const nodeOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  },
});

/** The command of ours that serves it. */
export type ClusterKind = 'apiserver' | 'up';

export class SpecCluster {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'mooring-conformance-'));
  readonly kubeconfig = path.join(this.folder, 'data', 'kubeconfig');
  readonly #children: ChildProcess[] = [];

  /** Answers when its nodes take pods. */
  async start(kind: ClusterKind): Promise<void> {
    const program = path.join(this.folder, 'program');
    await bundle(program, { logLevel: 'error' });
    const data = path.join(this.folder, 'data');
    const given = [path.join(program, 'mooring.js'), kind, '--data-dir', data, '--port', '0'];
    this.#run(kind, process.execPath, given);
    await until(() => existsSync(this.kubeconfig), 'the server');
    if (kind === 'apiserver') this.#startBeside(data);
    await until(() => this.#taints() === '' && this.#readyNodes() >= NODES.length, 'nodes that take pods');
  }

  #startBeside(data: string): void {
    const of = (identity: string): string => path.join(data, 'identities', `${identity}.kubeconfig`);
    const alone = ['--leader-elect=false', '--secure-port=0', PROTOBUF];
    this.#run('kube-controller-manager', peer('kube-controller-manager'), [
      `--kubeconfig=${of('kube-controller-manager')}`,
      `--root-ca-file=${path.join(data, 'pki', 'ca.crt')}`,
      `--service-account-private-key-file=${path.join(data, 'pki', 'sa.key')}`,
      '--use-service-account-credentials=true',
      ...alone,
    ]);
    this.#run('kube-scheduler', peer('kube-scheduler'), [`--kubeconfig=${of('kube-scheduler')}`, ...alone]);
    this.#startNodes();
  }

  /** kwok plays all nodes, so it needs the rights of all of them. */
  #startNodes(): void {
    const kwok = peer('kwok');
    const stages = path.join(path.dirname(kwok), 'kwok-stages');
    const configs = readdirSync(stages).map((file) => `--config=${path.join(stages, file)}`);
    this.#run('kwok', kwok, [
      `--kubeconfig=${this.kubeconfig}`,
      ...configs,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
      '--server-address=127.0.0.1:0',
    ]);
    const list = { apiVersion: 'v1', kind: 'List', items: NODES.map(nodeOf) };
    this.#kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(list));
  }

  #readyNodes(): number {
    const ready = '{.items[*].status.conditions[?(@.type=="Ready")].status}';
    const said = this.#kubectl(['get', 'nodes', '-o', `jsonpath=${ready}`]);
    return said.split(' ').filter((status) => status === 'True').length;
  }

  /** A node that is new takes no pods until the controller manager has seen that it is ready. */
  #taints(): string {
    return this.#kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].spec.taints}']).trim();
  }

  #kubectl(words: readonly string[], input = ''): string {
    const all = ['--kubeconfig', this.kubeconfig, ...words];
    const { status, stdout, stderr } = spawnSync(peer('kubectl'), all, { input, encoding: 'utf8' });
    if (status !== 0) throw new Error(`kubectl ${words[0]}: ${stderr}`);
    return stdout;
  }

  /** Specs call kubectl by its name. Answers when all have run. */
  async runSpecs(name: string, words: readonly string[]): Promise<void> {
    const folders = [path.dirname(peer('kubectl')), process.env['PATH'] ?? ''];
    const given = [`--kubeconfig=${this.kubeconfig}`, PROTOBUF, ...words];
    await ended(this.#run(name, peer('e2e.test'), given, folders.join(path.delimiter)));
  }

  #run(name: string, program: string, words: readonly string[], search = process.env['PATH'] ?? ''): ChildProcess {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: search } });
    const log: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => log.push(chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString('utf8')));
    child.once('exit', () => writeFileSync(path.join(this.folder, `${name}.log`), log.join('')));
    this.#children.push(child);
    return child;
  }

  /** Everything that was started has ended; the last started ends first. */
  async stop({ keepLogs }: { readonly keepLogs: boolean }): Promise<void> {
    for (const child of this.#children.toReversed()) {
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended(child);
      clearTimeout(impatience);
    }
    if (!keepLogs) rmSync(this.folder, { recursive: true, force: true });
  }
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    if (child.exitCode === null && child.signalCode === null) child.once('exit', resolve);
    else resolve(undefined);
  });
