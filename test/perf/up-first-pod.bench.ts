// From nothing to the first Running pods with bound claims: `mooring up` against a real control plane. Each claim is bound to a
// volume made by hand that needs no attachment, which both can do. One pod, its claim and its volume are made at once, as a
// file of manifests is applied; the other claim is made when its volume is free, which spares the real binder a wait for its
// next look, after 15 s. Ours has a kubelet that waits, mounts and starts containers as upstream's does; the real control plane is
// spared a kubelet, and the making of its certificates: what is measured of it is less than a user waits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { StartedCluster } from '../acceptance/started-cluster.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { ClusterClient, type Item, untilGoes } from './cluster-client.ts';
import { type ControlPlanePeers, controlPlanePeers, playNodes, prepareControlPlane } from './real-control-plane.ts';

const HOME = '/api/v1/namespaces/default';
const VOLUMES = '/api/v1/persistentvolumes';

/** One of a kind each: the class keeps claims from each other's volumes. */
function manifestsOf(name: string): Readonly<Record<'volume' | 'claim' | 'pod', object>> {
  const claimed = { accessModes: ['ReadWriteOnce'], storageClassName: name };
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  return {
    volume: {
      metadata: { name },
      spec: { ...claimed, capacity: { storage: '1Gi' }, hostPath: { path: `/tmp/${name}` } },
    },
    claim: { metadata: { name }, spec: { ...claimed, resources: { requests: { storage: '1Gi' } } } },
    pod: {
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'web:1', volumeMounts }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
    },
  };
}

interface Figures {
  readonly server: number;
  readonly atOnce: number;
  readonly awaited: number;
}

/** Milliseconds until each runs. The account that pods need may not be there yet. */
async function firstPods(client: ClusterClient, now: () => number): Promise<Omit<Figures, 'server'>> {
  const running = async (name: string, whenMade: Promise<unknown>): Promise<number> => {
    const { claim, pod, volume } = manifestsOf(name);
    await untilGoes('a volume', () => client.create(VOLUMES, volume));
    await whenMade;
    await untilGoes('a claim', () => client.create(`${HOME}/persistentvolumeclaims`, claim));
    await untilGoes('a pod', () => client.create(`${HOME}/pods`, pod));
    const isRunning = ({ metadata, status }: Item): boolean =>
      metadata.name === name && status?.['phase'] === 'Running';
    await client.untilSeen(`${HOME}/pods`, 1, isRunning);
    return now();
  };
  const isFree = ({ metadata, status }: Item): boolean =>
    metadata.name === 'awaited' && status?.['phase'] === 'Available';
  const [atOnce, awaited] = await Promise.all([
    running('at-once', Promise.resolve()),
    running('awaited', client.untilSeen(VOLUMES, 1, isFree)),
  ]);
  return { atOnce, awaited };
}

async function ours(folder: string): Promise<Figures> {
  const program = await builtProgram(folder);
  const now = stopwatch();
  const cluster = await StartedCluster.start(program, path.join(folder, 'ours'));
  const server = now();
  const client = new ClusterClient(cluster.kubeconfig);
  try {
    return { server, ...(await firstPods(client, now)) };
  } finally {
    client.close();
    await cluster.stop('SIGKILL');
  }
}

async function theirs(folder: string, peers: ControlPlanePeers): Promise<Figures> {
  const prepared = await prepareControlPlane(peers, path.join(folder, 'theirs'));
  const now = stopwatch();
  const started = prepared.start();
  try {
    await started.ready;
    const server = now();
    const client = new ClusterClient(prepared.kubeconfig);
    const stopNodes = await playNodes(client, 3);
    const figures = { server, ...(await firstPods(client, now)) };
    stopNodes();
    client.close();
    return figures;
  } finally {
    await started.stop();
  }
}

function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

const peers = controlPlanePeers();
if (peers !== undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
  try {
    const [a, b] = [await ours(folder), await theirs(folder, peers)];
    const report = (name: string, mine: number, real: number): void =>
      reportRatio({
        name: `up-first-pod${name}`,
        ratio: mine / real,
        measured: `${mine.toFixed(0)} ms, ${a.server.toFixed(0)} of them to the server`,
        against: `${real.toFixed(0)} ms of a real control plane, ${b.server.toFixed(0)} of them to the server`,
      });
    report('', a.atOnce, b.atOnce);
    report('-awaited', a.awaited, b.awaited);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
