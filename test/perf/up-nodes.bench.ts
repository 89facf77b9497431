// What an idle `mooring up` costs: the processor time of a whole cluster of 10 nodes as a part of one core, and what a node costs
// among a thousand against what it costs among a hundred. Time on the processor is counted, not time that passes, so clusters
// can be measured side by side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { StartedCluster } from '../acceptance/started-cluster.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { ClusterClient, type Item } from './cluster-client.ts';
import { cpuMs } from './process-cost.ts';

/** Two renewals of every lease. */
const WINDOW_MS = 20_000;
/** First compilations and the first status of every node are over. */
const SETTLED_MS = 12_000;
const NODES = '/api/v1/nodes';

const isReady = ({ status }: Item): boolean =>
  ((status?.['conditions'] ?? []) as readonly { type: string; status: string }[]).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );

/** Milliseconds of processor time in a second, once every node is Ready; and every node still is afterwards. */
async function idleCost(program: string, folder: string, count: number): Promise<number> {
  const words = ['--nodes', String(count), '--zones', '2'];
  const cluster = await StartedCluster.start(program, path.join(folder, `of-${count}`), ...words);
  try {
    const client = new ClusterClient(cluster.kubeconfig);
    await client.untilSeen(NODES, count, isReady);
    client.close();
    await pause(SETTLED_MS);
    const [startedAt, before] = [performance.now(), cpuMs(cluster.pid)];
    await pause(WINDOW_MS);
    const cost = (cpuMs(cluster.pid) - before) / ((performance.now() - startedAt) / 1000);
    const later = new ClusterClient(cluster.kubeconfig);
    const nodes = await later.list(NODES);
    later.close();
    const ready = nodes.filter(isReady).length;
    if (ready !== count) throw new Error(`${ready} of ${count} nodes are Ready`);
    return cost;
  } finally {
    await cluster.stop('SIGKILL');
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
try {
  const program = await builtProgram(folder);
  const [ten = 0, hundred = 0, thousand = 0] = await Promise.all(
    [10, 100, 1000].map((count) => idleCost(program, folder, count)),
  );
  reportRatio({
    name: 'up-idle-10',
    ratio: ten / 1000,
    measured: `${ten.toFixed(1)} ms of processor time a second, 10 idle nodes`,
    against: 'one core',
  });
  reportRatio({
    name: 'up-node-growth',
    ratio: thousand / 1000 / (hundred / 100),
    measured: `${(thousand / 1000).toFixed(3)} ms a second for each of 1,000 idle nodes`,
    against: `${(hundred / 100).toFixed(3)} ms for each of 100`,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
