// From nothing to the first Running pod with a bound claim: `mooring up` against a real control plane. The claim is bound to a
// volume made beforehand that needs no attachment, which both can do. Ours has a kubelet that mounts the volume and then
// starts the container; the real one is spared all that, and its certificates, so what is measured of it is less than a user waits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { StartedCluster } from '../acceptance/started-cluster.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { ClusterClient, untilGoes } from './cluster-client.ts';
import { type ControlPlanePeers, controlPlanePeers, playNodes, prepareControlPlane } from './real-control-plane.ts';

const CLAIMED = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
const VOLUME = {
  metadata: { name: 'by-hand' },
  spec: { ...CLAIMED, capacity: { storage: '1Gi' }, hostPath: { path: '/tmp/by-hand' } },
};
const CLAIM = { metadata: { name: 'claim' }, spec: { ...CLAIMED, resources: { requests: { storage: '1Gi' } } } };
const POD = {
  metadata: { name: 'first' },
  spec: {
    containers: [{ name: 'c', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim' } }],
  },
};
const HOME = '/api/v1/namespaces/default';

/** Until the pod runs. The namespace and its account may not be there yet. */
async function firstPod(client: ClusterClient): Promise<void> {
  await untilGoes('a volume', () => client.create('/api/v1/persistentvolumes', VOLUME));
  await untilGoes('a claim', () => client.create(`${HOME}/persistentvolumeclaims`, CLAIM));
  await untilGoes('a pod', () => client.create(`${HOME}/pods`, POD));
  await client.untilSeen(`${HOME}/pods`, 1, ({ status }) => status?.['phase'] === 'Running');
}

async function ours(folder: string): Promise<{ readonly startMs: number; readonly ms: number }> {
  const program = await builtProgram(folder);
  const startedAt = performance.now();
  const cluster = await StartedCluster.start(program, path.join(folder, 'ours'));
  const startMs = performance.now() - startedAt;
  const client = new ClusterClient(cluster.kubeconfig);
  try {
    await firstPod(client);
    return { startMs, ms: performance.now() - startedAt };
  } finally {
    client.close();
    await cluster.stop('SIGKILL');
  }
}

async function theirs(folder: string, peers: ControlPlanePeers): Promise<{ startMs: number; ms: number }> {
  const prepared = await prepareControlPlane(peers, path.join(folder, 'theirs'));
  const startedAt = performance.now();
  const started = prepared.start();
  try {
    await started.ready;
    const startMs = performance.now() - startedAt;
    const client = new ClusterClient(prepared.kubeconfig);
    const stopNodes = await playNodes(client, 3);
    await firstPod(client);
    const ms = performance.now() - startedAt;
    stopNodes();
    client.close();
    return { startMs, ms };
  } finally {
    await started.stop();
  }
}

const peers = controlPlanePeers();
if (peers !== undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
  try {
    const [a, b] = [await ours(folder), await theirs(folder, peers)];
    const told = ({ startMs, ms }: typeof a): string => `${ms.toFixed(0)} ms, ${startMs.toFixed(0)} to the server`;
    reportRatio({ name: 'up-first-pod', ratio: a.ms / b.ms, measured: told(a), against: `${told(b)}, of a real one` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
