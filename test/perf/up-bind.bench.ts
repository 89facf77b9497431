// A thousand claims bound to a thousand volumes made by hand: `mooring up` against the real controller manager on the real API
// server and etcd, by the same client over HTTPS, everything acknowledged durable on both sides. Clients of neither are limited:
// upstream's default of 20 requests a second would have both wait three minutes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { StartedCluster } from '../acceptance/started-cluster.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { ClusterClient, type Item } from './cluster-client.ts';
import { type ControlPlanePeers, controlPlanePeers, prepareControlPlane } from './real-control-plane.ts';
import { UNLIMITED_CLUSTER } from './unlimited-cluster.ts';

const PAIRS = 1000;
const UNLIMITED_QPS = 100_000;
const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const CLAIMED = { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand' };

const names = Array.from({ length: PAIRS }, (_, index) => `pair-${index}`);
const volumeOf = (name: string): object => ({
  metadata: { name },
  spec: { ...CLAIMED, capacity: { storage: '1Gi' }, hostPath: { path: `/tmp/${name}` } },
});
const claimOf = (name: string): object => ({
  metadata: { name },
  spec: { ...CLAIMED, resources: { requests: { storage: '1Gi' } } },
});
const isIn =
  (phase: string) =>
  ({ status }: Item): boolean =>
    status?.['phase'] === phase;

/** Milliseconds from the first claim to the last bound one. */
async function bindAll(kubeconfig: string): Promise<number> {
  const client = new ClusterClient(kubeconfig);
  try {
    const allFree = client.untilSeen(VOLUMES, PAIRS, isIn('Available'));
    await client.createAll(VOLUMES, names.map(volumeOf));
    await allFree;
    const startedAt = performance.now();
    const allBound = client.untilSeen(CLAIMS, PAIRS, isIn('Bound'));
    await client.createAll(CLAIMS, names.map(claimOf));
    await allBound;
    return performance.now() - startedAt;
  } finally {
    client.close();
  }
}

async function ours(folder: string): Promise<number> {
  const config = path.join(folder, 'cluster.yaml');
  writeFileSync(config, UNLIMITED_CLUSTER);
  const cluster = await StartedCluster.start(await builtProgram(folder), path.join(folder, 'ours'), '--config', config);
  try {
    return await bindAll(cluster.kubeconfig);
  } finally {
    await cluster.stop('SIGKILL');
  }
}

async function theirs(folder: string, peers: ControlPlanePeers): Promise<number> {
  const prepared = await prepareControlPlane(peers, path.join(folder, 'theirs'), UNLIMITED_QPS);
  const started = prepared.start();
  try {
    await started.ready;
    return await bindAll(prepared.kubeconfig);
  } finally {
    await started.stop();
  }
}

const peers = controlPlanePeers();
if (peers !== undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
  try {
    const [a, b] = [await ours(folder), await theirs(folder, peers)];
    reportRatio({
      name: 'up-bind',
      ratio: a / b,
      measured: `${a.toFixed(0)} ms for ${PAIRS} claims`,
      against: `${b.toFixed(0)} ms of a real controller manager`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
