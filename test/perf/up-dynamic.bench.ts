// 500 claims for which disks are made, and 500 attachments of these disks to nodes, on `mooring up` without client limits. Real
// sidecars and a real driver were recorded at 15.6 s and 4.6 s on a loaded machine: that is context. The ceiling here is what
// the same server takes for as many claims that nobody answers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { ZONE_LABEL } from '../../src/worlds/cluster-shape.ts';
import { StartedCluster } from '../acceptance/started-cluster.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { ClusterClient, type Item } from './cluster-client.ts';
import { UNLIMITED_CLUSTER } from './unlimited-cluster.ts';

const COUNT = 500;
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';
const DRIVER = 'disk.mooring.dev';
const AT_ONCE = { metadata: { name: 'at-once' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' };

const claims = (word: string, storageClassName: string): readonly object[] =>
  Array.from({ length: COUNT }, (_, index) => ({
    metadata: { name: `${word}-${index}` },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  }));

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

async function measure(client: ClusterClient): Promise<Readonly<Record<'bare' | 'bound' | 'attached', number>>> {
  const bare = await timed(() => client.createAll(CLAIMS, claims('bare', 'nobody')));
  await client.create(CLASSES, AT_ONCE);
  const bound = await timed(async () => {
    const all = client.untilSeen(CLAIMS, COUNT, ({ status }) => status?.['phase'] === 'Bound');
    await client.createAll(CLAIMS, claims('made', 'at-once'));
    await all;
  });
  const volumes = await client.list('/api/v1/persistentvolumes');
  const nodes = await client.list('/api/v1/nodes');
  // A disk is usable from one zone.
  const near = ({ spec }: Item): readonly Item[] =>
    nodes.filter(({ metadata }) => JSON.stringify(spec).includes(metadata.labels?.[ZONE_LABEL] ?? 'no zone'));
  const attachments = volumes.map((volume, index) => {
    const { name } = volume.metadata;
    const usable = near(volume);
    const nodeName = usable[index % usable.length]?.metadata.name;
    return { metadata: { name }, spec: { attacher: DRIVER, source: { persistentVolumeName: name }, nodeName } };
  });
  const attached = await timed(async () => {
    const all = client.untilSeen(ATTACHMENTS, COUNT, ({ status }) => status?.['attached'] === true);
    await client.createAll(ATTACHMENTS, attachments);
    await all;
  });
  return { bare, bound, attached };
}

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
try {
  const config = path.join(folder, 'cluster.yaml');
  writeFileSync(config, UNLIMITED_CLUSTER);
  const words = ['--config', config];
  const cluster = await StartedCluster.start(await builtProgram(folder), path.join(folder, 'data'), ...words);
  try {
    const client = new ClusterClient(cluster.kubeconfig);
    const { bare, bound, attached } = await measure(client);
    client.close();
    const against = `${bare.toFixed(0)} ms for ${COUNT} claims that nobody answers`;
    const report = (name: string, ms: number, recorded: string): void =>
      reportRatio({
        name,
        ratio: ms / bare,
        measured: `${ms.toFixed(0)} ms (recorded of real ones: ${recorded})`,
        against,
      });
    report('up-dynamic-500', bound, '15.6 s');
    report('up-attach-500', attached, '4.6 s');
  } finally {
    await cluster.stop('SIGKILL');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
