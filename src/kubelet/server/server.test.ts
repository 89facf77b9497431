// A kubelet that is asked for itself: drivers, mounts and containers are those of a scene in virtual time.
import { describe, expect, it, test } from 'vitest';
import { parsedExposition } from '../../../test/parsed-exposition.ts';
import { NODE, VectorScene } from '../../../test/kubelet/vector-scene.ts';
import { Nodes } from '../../kube/resources/node.ts';
import type { NodeAnswer, NodeServer } from './server.ts';

interface Asked {
  readonly scene: VectorScene;
  readonly server: NodeServer;
  readonly get: (path: string, query?: string, method?: string) => Promise<NodeAnswer>;
}

/** A pod with a claim runs. */
async function running(): Promise<Asked> {
  const servers: NodeServer[] = [];
  const serving = { address: '127.0.0.1', port: 4711, serve: (server: NodeServer) => void servers.push(server) };
  const capabilities = ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS'] as const;
  const claimChanges = { subscribe: () => ({ dispose: () => undefined }) };
  const scene = await new VectorScene({ attached: true, capabilities, kubelet: { serving, claimChanges } }).begin();
  await scene.createPod();
  await scene.until(20_000);
  const [server] = servers;
  if (server === undefined) throw new Error('nobody serves');
  const get: Asked['get'] = (path, query = '', method = 'GET') =>
    server.answer({ method, path, query: new URLSearchParams(query) });
  return { scene, server, get };
}

const bodyOf = (answer: NodeAnswer): string => (answer.type === 'text' ? answer.body : 'a stream');
const jsonOf = (answer: NodeAnswer): unknown => JSON.parse(bodyOf(answer));

describe('a node that is asked for itself', () => {
  it('P-KL-15 its port and address -> in its status', async () => {
    const { scene } = await running();
    const { status } = await scene.bench.cluster.get(Nodes, NODE);
    expect(status.daemonEndpoints.kubeletEndpoint.Port).toBe(4711);
    expect(status.addresses).toEqual([
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: NODE },
    ]);
    expect(status.nodeInfo.osImage).toBe('Mooring virtual node');
    expect((await scene.podNow()).status.hostIP).toBe('127.0.0.1');
  });

  it('P-KL-15 nobody asks -> drivers are not asked, and no timer waits', async () => {
    const { scene, get } = await running();
    await scene.until(600_000);
    expect(scene.times('NodeGetVolumeStats')).toEqual([]);
    await get('/stats/summary');
    expect(scene.times('NodeGetVolumeStats')).toHaveLength(1);
    expect(scene.bench.clock.foregroundTimers).toBe(0);
  });

  it('P-KL-15 stats/summary -> the node, its pod, and the volume with its claim as the driver tells it', async () => {
    const { get } = await running();
    expect(jsonOf(await get('/stats/summary'))).toMatchObject({
      node: { nodeName: NODE, cpu: { usageNanoCores: expect.any(Number) as number }, fs: {}, runtime: { imageFs: {} } },
      pods: [
        {
          podRef: { name: 'p1', namespace: 'default' },
          containers: [{ memory: { workingSetBytes: expect.any(Number) as number } }],
          volume: [
            {
              pvcRef: { name: 'data', namespace: 'default' },
              capacityBytes: 1_000_000,
              usedBytes: 400_000,
              availableBytes: 590_000,
              inodes: 1000,
              inodesUsed: 40,
              inodesFree: 950,
            },
          ],
        },
      ],
    });
    const short = JSON.stringify(jsonOf(await get('/stats/summary', 'only_cpu_and_memory=true')));
    expect(short).not.toMatch(/"(volume|fs|rootfs|rlimit)"/);
  });

  it('P-KL-15 directories of the node -> volumes without a claim, on the disk of the node', async () => {
    const { scene, get } = await running();
    const volumes = [{ name: 'scratch', emptyDir: {} }];
    await scene.createPod('p2', { volumes, containers: [{ name: 'c', image: 'i', resources: {} }] });
    await scene.until(40_000);
    const { pods } = jsonOf(await get('/stats/summary')) as { pods: readonly { podRef: object; volume: object }[] };
    expect(pods.find(({ podRef }) => 'name' in podRef && podRef.name === 'p2')?.volume).toEqual([
      expect.objectContaining({ name: 'scratch', usedBytes: 0, inodesUsed: 1 }),
    ]);
  });

  it('P-KL-15 a driver that hangs -> its volume is missing, the answer comes', async () => {
    const { scene, get } = await running();
    scene.driver.setFault({ method: 'NodeGetVolumeStats', hangSeconds: 1000 });
    const asked = get('/stats/summary');
    await scene.until(30_000);
    expect(bodyOf(await asked)).toContain('"p1"');
    expect(bodyOf(await asked)).not.toContain('"pvcRef"');
  });

  it('P-KL-17 metrics -> valid text with the figures of the claim, the operations and the calls', async () => {
    const { get } = await running();
    const families = parsedExposition(bodyOf(await get('/metrics')));
    const labels = { namespace: 'default', persistentvolumeclaim: 'data' };
    const valueOf = (name: string): unknown =>
      families.get(`kubelet_volume_stats_${name}`)?.samples.map((each) => [each.labels, each.value]);
    expect(valueOf('capacity_bytes')).toEqual([[labels, 1_000_000]]);
    expect(valueOf('used_bytes')).toEqual([[labels, 400_000]]);
    expect(valueOf('available_bytes')).toEqual([[labels, 590_000]]);
    expect(valueOf('inodes')).toEqual([[labels, 1000]]);
    expect(valueOf('inodes_used')).toEqual([[labels, 40]]);
    expect(valueOf('inodes_free')).toEqual([[labels, 950]]);
    const plugin = 'kubernetes.io/csi:d';
    expect(families.get('volume_manager_total_volumes')?.samples.map(({ labels: of, value }) => [of, value])).toEqual([
      [{ plugin_name: plugin, state: 'actual_state_of_world' }, 1],
      [{ plugin_name: plugin, state: 'desired_state_of_world' }, 1],
    ]);
    expect(families.get('storage_operation_duration_seconds')?.samples.map((each) => each.labels)).toContainEqual({
      migrated: 'false',
      operation_name: 'volume_mount',
      status: 'success',
      volume_plugin: plugin,
    });
    expect(families.get('csi_operations_seconds')?.samples.map((each) => each.labels)).toContainEqual({
      driver_name: 'd',
      grpc_status_code: 'OK',
      method_name: '/csi.v1.Node/NodeStageVolume',
      migrated: 'false',
    });
  });

  it('P-KL-17 a call that fails -> counted under its code, as Go prints it', async () => {
    const { scene, get } = await running();
    scene.driver.setFault({ method: 'NodeGetVolumeStats', code: 'RESOURCE_EXHAUSTED' });
    await get('/stats/summary');
    expect(bodyOf(await get('/metrics'))).toContain('grpc_status_code="ResourceExhausted"');
  });

  it('P-KL-17 metrics/resource -> valid text: node, pods and containers', async () => {
    const { get } = await running();
    const families = parsedExposition(bodyOf(await get('/metrics/resource')));
    expect([...families.keys()]).toEqual([
      'container_cpu_usage_seconds_total',
      'container_memory_working_set_bytes',
      'container_start_time_seconds',
      'node_cpu_usage_seconds_total',
      'node_memory_working_set_bytes',
      'pod_cpu_usage_seconds_total',
      'pod_memory_working_set_bytes',
      'resource_scrape_error',
    ]);
    expect(families.get('pod_cpu_usage_seconds_total')?.samples[0]?.labels).toEqual({
      namespace: 'default',
      pod: 'p1',
    });
  });

  it('P-KL-15 pods, runningpods -> what the API placed here, what runs here', async () => {
    const { get } = await running();
    const named = { kind: 'PodList', items: [{ metadata: { name: 'p1', namespace: 'default' } }] };
    expect(jsonOf(await get('/pods'))).toMatchObject(named);
    expect(jsonOf(await get('/runningpods/'))).toMatchObject(named);
  });

  it('P-KL-16 figures -> of the node and its pods, as long as the API knows the node', async () => {
    const { scene, server } = await running();
    expect(server.figures()?.pods.map(({ pod }) => pod.metadata.name)).toEqual(['p1']);
    await scene.bench.cluster.delete(Nodes, NODE);
    await scene.until(21_000);
    expect(server.figures()).toBeUndefined();
  });
});

describe('logs and what virtual nodes refuse', () => {
  it('P-KL-18 followed -> the beginning at once, the end when the container ends', async () => {
    const { scene, get } = await running();
    const container = (await scene.podNow()).spec.containers[0]?.name ?? '';
    const answer = await get(`/containerLogs/default/p1/${container}`, 'follow=true');
    if (answer.type !== 'stream') throw new Error('no stream');
    const [texts, ends] = [[] as string[], [] as number[]];
    answer.open({ write: (text) => void texts.push(text), end: () => void ends.push(scene.bench.now) });
    expect([texts[0]?.includes('started at'), ends]).toEqual([true, []]);
    await scene.deletePod();
    await scene.until(120_000);
    expect(texts.at(-1)).toMatch(/^Container \S+ ended at \S+ with exit code 0\.\n$/);
    expect(ends).toHaveLength(1);
  });

  it('P-KL-18 a follower that goes -> nothing is kept for it', async () => {
    const { scene, get } = await running();
    const container = (await scene.podNow()).spec.containers[0]?.name ?? '';
    const answer = await get(`/containerLogs/default/p1/${container}`, 'follow=true');
    if (answer.type !== 'stream') throw new Error('no stream');
    const texts: string[] = [];
    answer.open({ write: (text) => void texts.push(text), end: () => void texts.push('end') }).dispose();
    await scene.deletePod();
    await scene.until(120_000);
    expect(texts).toHaveLength(1);
  });

  const rows: readonly (readonly [string, string, string, number, string])[] = [
    ['GET', '/exec/default/p1/c', '', 405, 'there is nothing to run a command in'],
    ['POST', '/attach/default/p1/c', '', 405, 'there is nothing to attach to'],
    ['POST', '/portForward/default/p1', '', 405, 'nothing listens on their ports'],
    ['GET', '/containerLogs/default/none/c', '', 404, 'pod "none" does not exist'],
    ['GET', '/containerLogs/default/p1/none', '', 404, 'container "none" not found in pod "p1"'],
    ['GET', '/containerLogs/default/p1/c', 'tailLines=x', 400, 'Unable to decode query.'],
    ['GET', '/healthz', '', 200, 'ok'],
    ['GET', '/elsewhere', '', 404, '404 page not found'],
    ['POST', '/pods', '', 405, 'Method Not Allowed'],
  ];
  test.each(rows)('P-KL-18 %s %s?%s -> %d: %s', async (method, path, query, code, text) => {
    const { get } = await running();
    const answer = await get(path, query, method);
    expect([answer.type === 'text' && answer.code, bodyOf(answer)]).toEqual([code, expect.stringContaining(text)]);
  });
});
