// The vectors of growing volumes on the node.
import { describe, expect, it } from 'vitest';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { NODE, VectorScene, type SceneOptions } from '../../../test/kubelet/vector-scene.ts';

const GROWN = '2Gi';
const OK_TEXT = `MountVolume.NodeExpandVolume succeeded for volume "pv1" ${NODE}`;

/** A pod runs with a volume of 1Gi; at zero the resizer is done with its part. */
async function pending(options: SceneOptions = {}, podReadOnly = false): Promise<VectorScene> {
  const scene = await new VectorScene({ attached: true, ...options }).begin();
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: podReadOnly } }];
  await scene.createPod('p1', { volumes });
  await scene.until(20_000);
  await grow(scene);
  scene.bench.calls.length = 0;
  return scene;
}

async function grow(scene: VectorScene, status = 'NodeResizePending'): Promise<void> {
  const { cluster } = scene.bench;
  await cluster.patch(PersistentVolumes, 'pv1', { type: 'merge', body: { spec: { capacity: { storage: GROWN } } } });
  const request = { spec: { resources: { requests: { storage: GROWN } } } };
  await cluster.patch(PersistentVolumeClaims, 'default/data', { type: 'merge', body: request });
  const conditions = [
    { type: 'Resizing', status: 'True' },
    { type: 'FileSystemResizePending', status: 'True' },
  ];
  await scene.patchClaim({
    status: { allocatedResources: { storage: GROWN }, allocatedResourceStatuses: { storage: status }, conditions },
  });
}

/** Something about the pod changes: the kubelet looks at it at once. */
async function syncNow(scene: VectorScene, at: number): Promise<void> {
  await scene.until(at);
  const body = { metadata: { annotations: { touched: String(at) } } };
  await scene.bench.cluster.patch(Pods, 'default/p1', { type: 'merge', body });
}

/** Every state of the claim's growth that was written. */
function states(scene: VectorScene): readonly string[] {
  const found: string[] = [];
  for (const { after, user } of scene.bench.commits) {
    if (after?.kind !== 'PersistentVolumeClaim' || user === 'test') continue;
    const { status } = after as { status?: { allocatedResourceStatuses?: Record<string, string> } };
    found.push(status?.allocatedResourceStatuses?.['storage'] ?? '-');
  }
  return found;
}

describe('volume manager vectors: growing', () => {
  it.each(['Filesystem', 'Block'])(
    'VM-13 %s volume grown under a running pod -> grown on the node at its next sync',
    async (volumeMode) => {
      const scene = await new VectorScene({ attached: true, volume: { volumeMode } }).begin();
      const devices = [
        { name: 'c', image: 'i', resources: {}, volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] },
      ];
      const { metadata } = await scene.createPod('p1', volumeMode === 'Block' ? { containers: devices } : {});
      await scene.until(20_000);
      await grow(scene);
      scene.bench.calls.length = 0;
      scene.bench.commits.length = 0;
      // Just after a point of the grid: a change at the very instant of a pass would still be seen by it.
      await syncNow(scene, 40_001);
      await scene.until(41_000);
      const [call] = scene.bench.mutations();
      expect(call?.at).toBeGreaterThanOrEqual(40.15);
      expect(call?.at).toBeLessThanOrEqual(40.25);
      const root = '/var/lib/kubelet';
      const volumePath =
        volumeMode === 'Block'
          ? `${root}/plugins/kubernetes.io/csi/volumeDevices/publish/pv1/${metadata.uid}`
          : `${root}/pods/${metadata.uid}/volumes/kubernetes.io~csi/pv1/mount`;
      expect(call?.request).toMatchObject({ volumePath, capacityRange: { requiredBytes: 2147483648n } });
      expect(states(scene)).toEqual(['NodeResizeInProgress', '-']);
      const { capacity, conditions, allocatedResources } = (await scene.claim()).status;
      expect([capacity?.['storage'], conditions, allocatedResources?.['storage']]).toEqual([GROWN, undefined, GROWN]);
      const said = scene.events().filter((text) => text.includes('Resize'));
      expect(said.toSorted()).toEqual([
        `PersistentVolumeClaim/data Normal FileSystemResizeSuccessful ${OK_TEXT}`,
        `Pod/p1 Normal FileSystemResizeSuccessful ${OK_TEXT}`,
      ]);
    },
  );

  it('VM-13 grown while no pod has it -> grown after the next publish, before the pod starts', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    await grow(scene);
    await scene.createPod();
    await scene.until(10_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeExpandVolume']);
    expect((await scene.claim()).status.capacity?.['storage']).toBe(GROWN);
    expect((await scene.podNow()).status.phase).toBe('Running');
  });

  it('VM-13 T88 the sync of a pod is enough -> grown within a minute and a half', async () => {
    const scene = await pending();
    await scene.until(115_000);
    expect(scene.bench.methods()).toEqual(['NodeExpandVolume']);
  });

  it('VM-14 refused while in use -> asked once, no event, and again when the pod is made anew', async () => {
    const scene = await pending();
    scene.driver.setFault({ method: 'NodeExpandVolume', code: 'FAILED_PRECONDITION' });
    await scene.until(600_000);
    expect(scene.bench.methods()).toEqual(['NodeExpandVolume']);
    expect(scene.events()).toEqual([]);
    const { allocatedResourceStatuses, conditions = [] } = (await scene.claim()).status;
    expect(allocatedResourceStatuses?.['storage']).toBe('NodeResizeInProgress');
    const text =
      'failed to expand pvc with Expander.NodeExpand failed to expand the volume : rpc error: code = FailedPrecondition desc = boom';
    expect(conditions.find(({ type }) => type === 'NodeResizeError')?.message).toBe(text);
    scene.driver.clearFaults();
    await scene.deletePod();
    await scene.until(610_000);
    await scene.createPod('p2');
    await scene.until(640_000);
    expect(scene.bench.methods().slice(-2)).toEqual(['NodePublishVolume', 'NodeExpandVolume']);
    expect((await scene.claim()).status.conditions).toBeUndefined();
  });

  it('VM-15 infeasible -> said once, at rest until somebody changes the claim, then at back-off', async () => {
    const scene = await pending();
    scene.driver.setFault({ method: 'NodeExpandVolume', code: 'OUT_OF_RANGE' });
    await syncNow(scene, 21_000);
    await scene.until(100_000);
    expect(scene.bench.methods()).toEqual(['NodeExpandVolume']);
    const { allocatedResourceStatuses, conditions = [] } = (await scene.claim()).status;
    expect(allocatedResourceStatuses?.['storage']).toBe('NodeResizeInfeasible');
    expect(conditions.map(({ type }) => type)).toContain('NodeResizeError');
    const text =
      'NodeExpandVolume.NodeExpandVolume failed for volume "pv1" : Expander.NodeExpand failed to expand the volume rpc error: code = OutOfRange desc = boom';
    expect(scene.events()).toEqual([`Pod/p1 Warning VolumeResizeFailed ${text}`]);
    await scene.patchClaim({ status: { allocatedResourceStatuses: { storage: 'NodeResizePending' } } });
    await scene.until(100_500);
    expect(scene.bench.methods()).toEqual(['NodeExpandVolume', 'NodeExpandVolume']);
  });

  it('VM-15 infeasible, pod made anew -> starts without growing', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    await grow(scene, 'NodeResizeInfeasible');
    await scene.createPod();
    await scene.until(10_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
    expect((await scene.podNow()).status.phase).toBe('Running');
  });

  it('VM-16 read-only for the pod -> not grown and nothing said', async () => {
    const scene = await pending({}, true);
    await syncNow(scene, 40_000);
    await scene.until(200_000);
    expect(scene.bench.methods()).toEqual([]);
    expect(scene.events()).toEqual([]);
  });

  it('P-KL-6 the user gave up the size and it fails for good -> infeasible after the second failure', async () => {
    const scene = await pending();
    const body = { spec: { resources: { requests: { storage: '1536Mi' } } } };
    await scene.bench.cluster.patch(PersistentVolumeClaims, 'default/data', { type: 'merge', body });
    scene.driver.setFault({ method: 'NodeExpandVolume', code: 'INTERNAL' });
    await syncNow(scene, 21_000);
    await scene.until(40_000);
    expect(scene.bench.methods()).toEqual(['NodeExpandVolume', 'NodeExpandVolume']);
    expect((await scene.claim()).status.allocatedResourceStatuses?.['storage']).toBe('NodeResizeInfeasible');
  });

  it('P-KL-6 fails while it is mounted -> the pod does not start, and the text says why', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodeExpandVolume', code: 'INTERNAL' });
    await grow(scene);
    await scene.createPod();
    await scene.until(10_000);
    expect((await scene.podNow()).status.phase).toBe('Pending');
    const text =
      'MountVolume.Setup failed while expanding volume for volume "pv1" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = boom';
    expect(scene.events()).toEqual([`Pod/p1 Warning FailedMount ${text}`]);
    scene.driver.clearFaults();
    await scene.until(60_000);
    expect((await scene.podNow()).status.phase).toBe('Running');
  });
});
