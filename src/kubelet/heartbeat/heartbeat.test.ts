// The node in the API: who made it, and when its lease and its status are written.
import { describe, expect, it } from 'vitest';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import type { Lease } from '../../kube/resources/lease.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { KubeletBench } from '../../../test/kubelet/kubelet-bench.ts';
import { ToldRandom } from '../../../test/kubelet/told-random.ts';

const NODE = 'n1';
const LEASE = `kube-node-lease/${NODE}`;
/** No jitter in the beats; the middle of the spread of reports. */
const TOLD = { 'node status': [0], 'node lease': [0], 'node report': [0.5] };

function bench(options: Parameters<KubeletBench['addNode']>[1] = {}): KubeletBench {
  const made = new KubeletBench({ random: new ToldRandom(TOLD) });
  made.addNode(NODE, { phases: { leaseMs: 10_000, nodeStatusMs: 10_000 }, ...options });
  return made;
}

const writesOf = (given: KubeletBench, kind: string): readonly number[] =>
  given.commits
    .filter(({ after, before }) => (after ?? before)?.kind === kind)
    .map(({ at }) => Math.round(at * 10) / 10);

async function create(given: KubeletBench, metadata: object): Promise<void> {
  await given.cluster.create(Nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NODE, ...metadata },
  });
}

describe('the node of a kubelet', () => {
  it('P-KL-9 no such node -> made with labels, taints, capacity and conditions, and a CSINode that it owns', async () => {
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    const given = bench({ labels: { zone: 'a' }, taints, address: '10.0.0.1' });
    given.start(NODE);
    await given.advanceTo(5);
    const node = await given.cluster.get(Nodes, NODE);
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/hostname': NODE,
      'kubernetes.io/os': 'linux',
      zone: 'a',
    });
    expect(node.metadata.annotations).toMatchObject({
      'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
    });
    expect(node.spec.taints).toEqual(taints);
    expect(node.status.allocatable).toEqual({ cpu: '8', memory: '16Gi', pods: '110' });
    expect(node.status.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'MemoryPressure=False',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=True',
    ]);
    expect(node.status.nodeInfo?.kubeletVersion).toBe('v1.36.3');
    expect((await given.cluster.get(CSINodes, NODE)).metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid);
  });

  it('P-KL-9 a node that somebody else made -> left alone: no status, no lease, no CSINode', async () => {
    const given = bench();
    await create(given, {});
    const before = await given.cluster.get(Nodes, NODE);
    given.start(NODE);
    await given.advanceTo(400);
    expect(await given.cluster.get(Nodes, NODE)).toEqual(before);
    expect((await given.cluster.list(Leases)).items).toEqual([]);
    expect((await given.cluster.list(CSINodes)).items).toEqual([]);
  });

  it('P-KL-9 its own node from an earlier life -> taken up as it is', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(5);
    const { uid } = (await given.cluster.get(Nodes, NODE)).metadata;
    given.stop(NODE);
    await given.advanceTo(60);
    given.start(NODE);
    await given.advanceTo(65);
    expect((await given.cluster.get(Nodes, NODE)).metadata.uid).toBe(uid);
    expect(Date.parse((await given.cluster.get(Leases, LEASE)).spec.renewTime ?? '')).toBeGreaterThanOrEqual(
      Date.UTC(2026, 0, 1, 0, 1, 0),
    );
  });
});

describe('the lease of a node', () => {
  it('P-KL-10 an idle hour -> renewed every ten seconds, owned by the node', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(65);
    const times = writesOf(given, 'Lease');
    expect(times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)))).toEqual(
      times.slice(1).map(() => 10),
    );
    expect(times.length).toBeGreaterThanOrEqual(6);
    const lease: Lease = await given.cluster.get(Leases, LEASE);
    const node: Node = await given.cluster.get(Nodes, NODE);
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(node.metadata.uid);
    expect(lease.spec).toMatchObject({ holderIdentity: NODE, leaseDurationSeconds: 40 });
  });

  it('P-KL-10 the server is away for a minute -> renewed again within a beat of its return', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(30);
    given.setReachable(NODE, false);
    await given.advanceTo(90);
    given.setReachable(NODE, true);
    given.commits.length = 0;
    await given.advanceTo(101);
    expect(writesOf(given, 'Lease').length).toBeGreaterThanOrEqual(1);
  });

  it('P-KL-10 somebody else wrote the lease -> read again and renewed in the same beat', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(12);
    const patch = { type: 'merge' as const, body: { metadata: { labels: { touched: 'yes' } } } };
    await given.cluster.patch(Leases, LEASE, patch);
    given.commits.length = 0;
    await given.advanceTo(22);
    expect(writesOf(given, 'Lease')).toHaveLength(1);
    expect((await given.cluster.get(Leases, LEASE)).metadata.labels).toEqual({ touched: 'yes' });
  });
});

describe('the status of a node', () => {
  it('P-KL-10 nothing changes -> written about every five minutes', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(15);
    given.commits.length = 0;
    await given.advanceTo(15 + 1500);
    const times = writesOf(given, 'Node');
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(times.length).toBeLessThanOrEqual(5);
  });

  it('P-KL-10 a condition was changed by somebody else -> corrected at the next ten seconds', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(25);
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    const patch = { type: 'strategic' as const, body: { status: { conditions } } };
    await given.cluster.patch(Nodes, NODE, patch, { subresource: 'status' });
    given.commits.length = 0;
    await given.advanceTo(36);
    expect(writesOf(given, 'Node')).toHaveLength(1);
    const { conditions: now = [] } = (await given.cluster.get(Nodes, NODE)).status;
    expect(now.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  it('P-KL-10 cordoned -> said by an event', async () => {
    const given = bench();
    given.start(NODE);
    await given.advanceTo(25);
    const patch = { type: 'merge' as const, body: { spec: { unschedulable: true } } };
    await given.cluster.patch(Nodes, NODE, patch);
    await given.advanceTo(40);
    expect(given.events().map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      'NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable',
    );
  });
});
