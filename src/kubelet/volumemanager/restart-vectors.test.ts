// The vectors of a kubelet that starts again: what it finds on disk, and what it may not do before it knows its pods.
import { describe, expect, it } from 'vitest';
import { Nodes } from '../../kube/resources/node.ts';
import { ROOT } from '../../../test/kubelet/kubelet-bench.ts';
import { NODE, V, VectorScene } from '../../../test/kubelet/vector-scene.ts';

/** A pod with its volume runs since a while; calls count from here. */
async function running(block = false): Promise<{ readonly scene: VectorScene; readonly uid: string }> {
  const scene = await new VectorScene({ attached: true, volume: block ? { volumeMode: 'Block' } : {} }).begin();
  const devices = [{ name: 'c', image: 'i', resources: {}, volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] }];
  const { metadata } = await scene.createPod('p1', block ? { containers: devices } : {});
  await scene.until(20_000);
  expect((await scene.podNow()).status.phase).toBe('Running');
  scene.bench.calls.length = 0;
  scene.bench.commits.length = 0;
  return { scene, uid: metadata.uid };
}

describe('volume manager vectors: restart', () => {
  it.each([false, true])(
    'VM-09 pod still there (block %s) -> staged and published again, nothing let go',
    async (block) => {
      const { scene, uid } = await running(block);
      const startedAt = scene.bench.node(NODE).runtime.pod(uid)?.containers[0]?.startedAt;
      scene.bench.stop(NODE);
      await scene.until(24_000);
      scene.bench.start(NODE);
      await scene.until(60_000);
      expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
      expect(scene.volumesInUse()).toEqual([]);
      expect(scene.bench.node(NODE).runtime.pod(uid)?.containers[0]?.startedAt).toBe(startedAt);
      expect((await scene.podNow()).status.phase).toBe('Running');
    },
  );

  it('VM-10 P-KL-8 pod deleted meanwhile -> let go before its containers are ended, in use until then', async () => {
    const { scene, uid } = await running();
    scene.bench.stop(NODE);
    await scene.deletePod('p1', 0);
    await scene.until(24_000);
    scene.bench.start(NODE);
    await scene.until(25_900);
    expect(scene.bench.methods()).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
    expect(scene.bench.node(NODE).runtime.pod(uid)).toBeDefined();
    expect(scene.volumesInUse()).toEqual([]);
    await scene.until(40_000);
    expect(scene.bench.node(NODE).runtime.pod(uid)).toBeUndefined();
    expect(scene.events()).toEqual(['Pod/p1 Normal Killing Stopping container c']);
    const [at, list] = scene.volumesInUse()[0] ?? [0, []];
    expect(list).toEqual([]);
    expect(at).toBeGreaterThan(33_000);
  });

  it('VM-11 P-KL-8 server away for 30 s -> no call, no report, and everything once it is back', async () => {
    const { scene } = await running();
    scene.bench.stop(NODE);
    await scene.deletePod('p1', 0);
    scene.bench.setReachable(NODE, false);
    scene.bench.start(NODE);
    await scene.until(50_000);
    expect(scene.bench.methods()).toEqual([]);
    expect(scene.volumesInUse()).toEqual([]);
    scene.bench.setReachable(NODE, true);
    await scene.until(120_000);
    expect(scene.bench.methods()).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
    expect(scene.volumesInUse().at(-1)?.[1]).toEqual([]);
  });

  it('VM-12 P-KL-8 vol_data.json missing, pod gone -> counted once, not in use, mounts stay', async () => {
    const { scene, uid } = await running();
    const { counts, mounter } = scene.bench.node(NODE);
    scene.bench.stop(NODE);
    await scene.deletePod('p1', 0);
    await mounter.removeVolumeData(`${ROOT}/pods/${uid}/volumes/kubernetes.io~csi/pv1`);
    counts.clear();
    scene.bench.start(NODE);
    await scene.until(60_000);
    expect(Object.fromEntries(counts)).toEqual({
      reconstruct_volume_operations_total: 1,
      reconstruct_volume_operations_errors_total: 1,
      force_cleaned_failed_volume_operations_total: 1,
      force_cleaned_failed_volume_operation_errors_total: 1,
    });
    expect(scene.bench.methods()).toEqual([]);
    const [at, list] = scene.volumesInUse()[0] ?? [0, []];
    expect([at < 21_000, list]).toEqual([true, []]);
    expect((await mounter.mounts()).map(({ target }) => target.split('/').at(-1))).toEqual(['globalmount', 'mount']);
  });

  it('P-KL-8 no longer attached according to the node -> reported free before it is unstaged', async () => {
    const { scene } = await running();
    scene.bench.stop(NODE);
    await scene.deletePod('p1', 0);
    await scene.detach();
    scene.bench.start(NODE);
    await scene.until(20_500);
    expect(scene.volumesInUse()[0]?.[1]).toEqual([]);
    expect(scene.bench.methods()).toEqual([]);
    await scene.until(30_000);
    expect(scene.bench.methods()).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
  });

  it('P-KL-8 killed in the middle of NodeStage, pod gone -> unknown afterwards, never unstaged', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodeStageVolume', mode: 'do-then-hang', hangSeconds: 60 });
    await scene.createPod();
    await scene.until(6000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume']);
    scene.bench.stop(NODE);
    await scene.deletePod('p1', 0);
    scene.bench.start(NODE);
    await scene.until(120_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume']);
    expect(scene.volumesInUse().at(-1)?.[1]).toEqual([]);
    expect(await scene.bench.node(NODE).mounter.mounts()).toHaveLength(1);
  });

  it('P-KL-8 publish refused after a restart -> files stay, pod runs on, let go at its end', async () => {
    const { scene, uid } = await running();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'INTERNAL' });
    scene.bench.stop(NODE);
    scene.bench.start(NODE);
    await scene.until(40_000);
    const { mounter } = scene.bench.node(NODE);
    expect(await mounter.readVolumeData(`${ROOT}/pods/${uid}/volumes/kubernetes.io~csi/pv1`)).toBeDefined();
    expect((await scene.podNow()).status.phase).toBe('Running');
    await scene.deletePod();
    await scene.until(60_000);
    expect(scene.bench.methods().slice(-2)).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
  });

  it('P-KL-8 a pod under deletion -> published once more, then let go', async () => {
    const scene = await new VectorScene({
      attached: true,
      kubelet: { behaviourOf: () => ({ stopMs: 10_000 }) },
    }).begin();
    await scene.createPod('p1', { terminationGracePeriodSeconds: 30 });
    await scene.until(20_000);
    await scene.deletePod();
    await scene.until(21_000);
    scene.bench.calls.length = 0;
    scene.bench.stop(NODE);
    scene.bench.start(NODE);
    await scene.until(60_000);
    const letGo = ['NodeUnpublishVolume', 'NodeUnstageVolume'];
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume', ...letGo]);
    expect((await scene.bench.cluster.get(Nodes, NODE)).status.volumesInUse).toBeUndefined();
    expect(V).toContain('^');
  });
});
