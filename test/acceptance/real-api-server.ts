// A real kube-apiserver on a real etcd, without controllers, for one test file.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { connect } from '../../src/kubeclient/kubeclient.ts';
import { freePorts } from '../free-ports.ts';
import { type TestAuthority, testAuthority } from './test-authority.ts';

export interface RealApiServer {
  readonly kubeconfig: string;
  readonly server: string;
  readonly authority: TestAuthority;
  /** Where its etcd answers, without TLS. */
  readonly etcdUrl: string;
  /** Of etcd and of the server. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

const READY_MS = 120_000;

export type RealServerPeers = Readonly<Record<'etcd' | 'kube-apiserver', string>>;

/** All that a real server needs is made, and nothing runs yet. */
export interface PreparedRealApiServer extends Pick<RealApiServer, 'kubeconfig' | 'server' | 'authority'> {
  /** Answers when the server does. */
  start(): Promise<RealApiServer>;
}

export async function startRealApiServer(
  peers: RealServerPeers,
  folder: string,
  options: { readonly isDurable?: boolean } = {},
): Promise<RealApiServer> {
  return (await prepareRealApiServer(peers, folder, options)).start();
}

export async function prepareRealApiServer(
  peers: RealServerPeers,
  folder: string,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<PreparedRealApiServer> {
  const at = (file: string): string => path.join(folder, file);
  mkdirSync(at('etcd'), { recursive: true });
  const authority = testAuthority(folder);
  authority.issue('apiserver', { names: ['localhost'], addresses: ['127.0.0.1'] });
  const admin = authority.issue('admin', { organizations: ['system:masters'] });
  execFileSync('openssl', ['genrsa', '-out', at('sa.key'), '2048'], { stdio: 'pipe' });
  const [client, peer, secure] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${client}`;
  const sync = isDurable ? [] : ['--unsafe-no-fsync'];
  const etcd = [...etcdWords(at('etcd'), etcdUrl, `http://127.0.0.1:${peer}`), ...sync];
  const prepared = { kubeconfig: at('kubeconfig'), server: `https://127.0.0.1:${secure}`, authority };
  writeFileSync(prepared.kubeconfig, kubeconfigOf(prepared.server, authority.ca, admin));
  const start = async (): Promise<RealApiServer> => {
    const children = [
      spawn(peers.etcd, etcd, { stdio: 'ignore' }),
      spawn(peers['kube-apiserver'], apiserverWords(at, etcdUrl, secure ?? 0), { stdio: 'ignore' }),
    ];
    await untilReady(prepared.kubeconfig, children);
    const stop = async (): Promise<void> => {
      for (const child of children.toReversed()) await ended(child);
    };
    return { ...prepared, etcdUrl, pids: children.map(({ pid = 0 }) => pid), stop };
  };
  return { ...prepared, start };
}

const etcdWords = (data: string, client: string, peer: string): readonly string[] => [
  `--data-dir=${data}`,
  `--listen-client-urls=${client}`,
  `--advertise-client-urls=${client}`,
  `--listen-peer-urls=${peer}`,
  `--initial-advertise-peer-urls=${peer}`,
  `--initial-cluster=default=${peer}`,
  '--log-level=error',
];

const apiserverWords = (at: (file: string) => string, etcd: string, port: number): readonly string[] => [
  `--etcd-servers=${etcd}`,
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  `--tls-cert-file=${at('apiserver.crt')}`,
  `--tls-private-key-file=${at('apiserver.key')}`,
  `--client-ca-file=${at('ca.crt')}`,
  `--service-account-key-file=${at('sa.key')}`,
  `--service-account-signing-key-file=${at('sa.key')}`,
  '--service-account-issuer=https://kubernetes.default.svc',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--authorization-mode=Node,RBAC',
  `--cert-dir=${at('made')}`,
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const kubeconfigOf = (server: string, ca: string, user: { readonly cert: string; readonly key: string }): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [
      { name: 'admin', user: { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) } },
    ],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
    'current-context': 'real',
  });

async function untilReady(kubeconfig: string, children: readonly ChildProcess[]): Promise<void> {
  const clock = new SystemClock();
  const random = new SeededRandom('ready');
  const client = connect({ clock, random, log: silentLog, environment: {}, home: '/', kubeconfig });
  const deadline = clock.monotonic() + READY_MS;
  const namespace = '/api/v1/namespaces/default';
  while (
    !(await client.read(namespace).then(
      () => true,
      () => false,
    ))
  ) {
    if (children.some((child) => child.exitCode !== null)) throw new Error('a real server ended');
    if (clock.monotonic() > deadline) throw new Error('the real API server does not become ready');
    await clock.sleep(200);
  }
  client.close();
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
