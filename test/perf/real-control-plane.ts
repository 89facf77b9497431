// A real control plane from nothing: etcd, kube-apiserver, kube-controller-manager and kube-scheduler, all started at once. Its
// certificates are made before. It has no kubelet: nodes are played, and take no time for anything.
import { type ChildProcess, spawn } from 'node:child_process';
import { controllerIdentities } from '../acceptance/apiserver-controllers-beside.ts';
import { type RealApiServer, type RealServerPeers, prepareRealApiServer } from '../acceptance/real-api-server.ts';
import { type PeerName, findPeer } from '../peers-found.ts';
import { type ClusterClient, type Item, untilGoes } from './cluster-client.ts';

const NEEDED = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type ControlPlanePeers = Readonly<Record<(typeof NEEDED)[number], string>>;

/** Undefined, and a loud word, where one is not built. */
export function controlPlanePeers(): ControlPlanePeers | undefined {
  const found = NEEDED.map((name) => [name, findPeer(name satisfies PeerName)] as const);
  const missing = found.filter(([, file]) => file === undefined).map(([name]) => name);
  if (missing.length === 0) return Object.fromEntries(found) as ControlPlanePeers;
  process.stderr.write(`SKIPPED: no ${missing.join(', ')} (scripts/peers.sh builds them): nothing to compare with\n`);
  return undefined;
}

export interface PreparedControlPlane {
  readonly kubeconfig: string;
  /** Answers at once, when the programs are started; `ready` when the server answers. */
  start(): { readonly ready: Promise<RealApiServer>; stop(): Promise<void> };
}

/** `qps` undefined: the controllers' own limits. */
export async function prepareControlPlane(
  peers: ControlPlanePeers,
  folder: string,
  qps?: number,
): Promise<PreparedControlPlane> {
  const servers: RealServerPeers = peers;
  const prepared = await prepareRealApiServer(servers, folder, { isDurable: true });
  const cluster = controllerIdentities(prepared, folder);
  const limits = qps === undefined ? [] : [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps}`];
  const alone = ['--leader-elect=false', '--secure-port=0', ...limits];
  const manager = [
    `--kubeconfig=${cluster.manager}`,
    `--root-ca-file=${cluster.rootCa}`,
    `--service-account-private-key-file=${cluster.accountKey}`,
    '--use-service-account-credentials=true',
    ...alone,
  ];
  const start = (): ReturnType<PreparedControlPlane['start']> => {
    const ready = prepared.start();
    const controllers = [
      kept(peers['kube-controller-manager'], manager),
      kept(peers['kube-scheduler'], [`--kubeconfig=${cluster.scheduler}`, ...alone]),
    ];
    const stop = async (): Promise<void> => {
      for (const controller of controllers) await controller.stop();
      await (await ready).stop();
    };
    return { ready, stop };
  };
  return { kubeconfig: prepared.kubeconfig, start };
}

/** Started again whenever it ends, as long as it is kept: controllers give up when the server comes late. */
function kept(program: string, words: readonly string[]): { stop(): Promise<void> } {
  let isKept = true;
  const launch = (): ChildProcess => {
    const child = spawn(program, words, { stdio: 'ignore' });
    child.once('exit', () => {
      if (isKept) current = launch();
    });
    return child;
  };
  let current = launch();
  return {
    stop: async () => {
      isKept = false;
      const ended = new Promise((resolve) => current.once('exit', resolve));
      if (current.kill('SIGKILL')) await ended;
    },
  };
}

const SIZE = { cpu: '32', memory: '256Gi', pods: '110' };

/** Nodes that are Ready as soon as they are there, and whose pods run as soon as they are placed. Answers how to end them. */
export async function playNodes(client: ClusterClient, count: number): Promise<() => void> {
  const names = Array.from({ length: count }, (_, index) => `node-${index}`);
  for (const name of names) {
    await untilGoes('a node', () => client.create('/api/v1/nodes', { metadata: { name } }));
    const at = `${new Date().toISOString().slice(0, 19)}Z`;
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
    const conditions = [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }];
    const status = { capacity: SIZE, allocatable: SIZE, conditions };
    await client.patch(`/api/v1/nodes/${name}/status`, { status });
  }
  return client.watch('/api/v1/pods', ({ object }) => run(client, object));
}

/** A pod that was written to meanwhile comes again. */
function run(client: ClusterClient, { metadata, spec, status }: Item): void {
  if (spec?.['nodeName'] === undefined || status?.['phase'] !== 'Pending') return;
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
  client.patch(path, { status: { phase: 'Running' } }).catch(() => undefined);
}
