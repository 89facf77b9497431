import { describe, expect, it } from 'vitest';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { KubeletBench } from '../../../test/kubelet/kubelet-bench.ts';
import { MemoryMounter } from '../mounter/memory/memory.ts';
import { bareNode } from './bare-node.ts';

const NODE = 'n1';

async function begin(prepare: (bench: KubeletBench) => Promise<unknown> = async () => undefined) {
  const bench = new KubeletBench();
  const mounter = new MemoryMounter();
  const topology = { zone: 'a' };
  const { driver } = bench.addDriver('d', {
    capabilities: [],
    maxVolumesPerNode: 2,
    topology,
    mounterOf: () => mounter,
  });
  await prepare(bench);
  const { signal } = new AbortController();
  const component = bareNode({
    name: NODE,
    labels: {},
    taints: [],
    capacity: { cpu: '4' },
    kubeletVersion: 'v1.36.3',
    drivers: [driver],
  });
  const { clock, random, timeline } = bench;
  component.start({
    clock,
    random,
    timeline,
    signal,
    cluster: bench.access.as(component.name),
    log: { write: () => undefined },
  });
  await bench.advanceTo(5);
  return bench;
}

describe('a node without a volume manager', () => {
  it('P-KL-9 no such node -> made with its drivers and their topology, and kept alive', async () => {
    const bench = await begin();
    const node = await bench.cluster.get(Nodes, NODE);
    expect(node.metadata.labels).toMatchObject({ 'kubernetes.io/hostname': NODE, zone: 'a' });
    expect((await bench.cluster.get(CSINodes, NODE)).spec.drivers).toEqual([
      { name: 'd', nodeID: NODE, topologyKeys: ['zone'], allocatable: { count: 2 } },
    ]);
    const before = await bench.cluster.get(Leases, `kube-node-lease/${NODE}`);
    await bench.advanceTo(30);
    const after = await bench.cluster.get(Leases, `kube-node-lease/${NODE}`);
    expect(after.spec.renewTime).not.toBe(before.spec.renewTime);
  });

  it('P-KL-9 a node that somebody else made -> left alone', async () => {
    const bench = await begin((given) =>
      given.cluster.create(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } }),
    );
    await bench.advanceTo(400);
    expect((await bench.cluster.get(Nodes, NODE)).status.conditions).toBeUndefined();
    expect((await bench.cluster.list(Leases)).items).toEqual([]);
  });

  it('P-KL-7 a pod -> running and ready, and gone when it is deleted', async () => {
    const bench = await begin();
    await bench.cluster.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: { nodeName: NODE, containers: [{ name: 'c', image: 'i' }] },
    });
    await bench.advanceTo(6);
    expect((await bench.cluster.get(Pods, 'default/p')).status.phase).toBe('Running');
    await bench.cluster.delete(Pods, 'default/p');
    await bench.advanceTo(7);
    expect((await bench.cluster.list(Pods)).items).toEqual([]);
  });
});
