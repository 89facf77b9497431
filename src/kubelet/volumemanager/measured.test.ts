// What was measured on a real kubelet beside the vectors: outcomes that are not what the driver said.
import { describe, expect, it } from 'vitest';
import { NODE, V, VectorScene } from '../../../test/kubelet/vector-scene.ts';

const mountedAt = async (scene: VectorScene): Promise<readonly string[]> =>
  (await scene.bench.node(NODE).mounter.mounts()).map(({ target }) => target.split('/').at(-1) ?? '');

describe('volume manager: what a driver says and what it did', () => {
  it('P-KL-5 staged, then a final code, pod deleted -> not unstaged, not in use, the mount stays', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodeStageVolume', code: 'INVALID_ARGUMENT', mode: 'do' });
    await scene.createPod();
    await scene.until(20_000);
    await scene.deletePod();
    await scene.until(60_000);
    expect(new Set(scene.bench.methods())).toEqual(new Set(['NodeStageVolume']));
    expect(scene.volumesInUse().map(([, volumes]) => volumes)).toEqual([[V], []]);
    expect(await mountedAt(scene)).toEqual(['globalmount']);
    await expect(scene.podNow()).rejects.toThrow('not found');
  });

  it('P-KL-5 published, then a final code, pod deleted -> stays Terminating, published again and again', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'INVALID_ARGUMENT', mode: 'do' });
    await scene.createPod();
    await scene.until(20_000);
    await scene.deletePod();
    const before = scene.times('NodePublishVolume').length;
    await scene.until(400_000);
    expect((await scene.podNow()).metadata.deletionTimestamp).toBeDefined();
    expect(scene.times('NodePublishVolume').length).toBeGreaterThan(before);
    expect(scene.bench.methods()).not.toContain('NodeUnpublishVolume');
  });

  it('P-KL-5 published without an answer, unpublish fails -> staged as long as it does', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'UNAVAILABLE' });
    scene.driver.setFault({ method: 'NodeUnpublishVolume', code: 'INTERNAL' });
    await scene.createPod();
    await scene.until(20_000);
    await scene.deletePod();
    await scene.until(60_000);
    expect(scene.bench.methods()).toContain('NodeUnpublishVolume');
    expect(scene.bench.methods()).not.toContain('NodeUnstageVolume');
    scene.driver.clearFaults();
    await scene.until(300_000);
    expect(scene.bench.methods().slice(-2)).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
    expect(await mountedAt(scene)).toEqual([]);
  });

  it('P-KL-3 NodeStage hangs and the pod is deleted -> the call runs to its deadline, then it is unstaged', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodeStageVolume', hangSeconds: 1000, times: 1 });
    await scene.createPod();
    await scene.until(20_000);
    await scene.deletePod();
    await scene.until(200_000);
    const [stagedAt = 0] = scene.times('NodeStageVolume');
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodeUnstageVolume']);
    expect((scene.times('NodeUnstageVolume')[0] ?? 0) - stagedAt).toBeGreaterThanOrEqual(120_000);
    expect((scene.times('NodeUnstageVolume')[0] ?? 0) - stagedAt).toBeLessThan(120_300);
  });
});
