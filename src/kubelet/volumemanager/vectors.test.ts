// The vectors of mounting and unmounting, played by a whole kubelet in virtual time.
import { describe, expect, it } from 'vitest';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { ATTACHMENT, NODE, V, VectorScene } from '../../../test/kubelet/vector-scene.ts';

const STAGING =
  '/var/lib/kubelet/plugins/kubernetes.io/csi/d/aaa9402664f1a41f40ebbc52c9993eb66aeb366602958fdfaa283b71e64db123';

describe('volume manager vectors: mounting', () => {
  it('VM-01 P-KL-2 attachable volume -> reported, verified, staged, published, waited for, at these instants', async () => {
    const scene = await new VectorScene({ latencyMs: { NodeStageVolume: 1000, NodePublishVolume: 500 } }).begin();
    const pod = await scene.createPod();
    await scene.until(5000);
    await scene.attach();
    await scene.until(8000);
    expect(scene.volumesInUse()).toEqual([[3000, [V]]]);
    expect([scene.times('NodeStageVolume'), scene.times('NodePublishVolume')]).toEqual([[5150], [6150]]);
    const container = scene.bench.node(NODE).runtime.pod(pod.metadata.uid)?.containers[0];
    expect((container?.startedAt ?? 0) - Date.UTC(2026, 0, 1, 0, 1)).toBe(6900);
    expect(scene.events()).toEqual([]);
    expect((await scene.podNow()).status.phase).toBe('Running');
  });

  it('VM-02 P-KL-3 NodeStage fails for ever -> tries after 0.5 s doubling to 2 m 2 s, window inclusive', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodeStageVolume', code: 'INTERNAL' });
    await scene.createPod();
    await scene.until(380_000);
    const [first = 0, ...rest] = scene.times('NodeStageVolume');
    const after = [0, ...rest.map((at) => at - first)];
    expect(after).toEqual([0, 600, 1700, 3800, 7900, 16_000, 32_100, 64_200, 128_300, 250_400, 372_500]);
  });

  it('VM-03 P-KL-3 the pod ends within the window of a failed mount -> unmounted at the next pass all the same', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'DEADLINE_EXCEEDED' });
    await scene.createPod();
    await scene.until(36_100);
    expect(scene.times('NodePublishVolume').at(-1)).toBeGreaterThan(35_000);
    await scene.deletePod();
    await scene.until(39_000);
    // Broken off at 36.1 s, looked at again at 37 s: no container runs, the volume leaves the desired state.
    expect(scene.times('NodeUnpublishVolume')).toEqual([37_050]);
  });

  it('VM-04a P-KL-5 publish refused for good -> pod not in the actual state, only unstaged, directory gone', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'INVALID_ARGUMENT' });
    const pod = await scene.createPod();
    await scene.until(3300);
    expect(
      await scene.bench.node(NODE).mounter.list(`/var/lib/kubelet/pods/${pod.metadata.uid}/volumes/kubernetes.io~csi`),
    ).toEqual([]);
    await scene.deletePod();
    await scene.until(20_000);
    expect([...new Set(scene.bench.methods())]).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeUnstageVolume']);
  });

  it('VM-04b P-KL-5 publish without an answer -> uncertain: unpublished and unstaged', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    scene.driver.setFault({ method: 'NodePublishVolume', code: 'DEADLINE_EXCEEDED' });
    await scene.createPod();
    await scene.until(3300);
    await scene.deletePod();
    await scene.until(20_000);
    const methods = [...new Set(scene.bench.methods())];
    expect(methods).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeUnpublishVolume', 'NodeUnstageVolume']);
  });

  const TIMEOUT_TEXT =
    'unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: context deadline exceeded';

  it('VM-05 never attached -> the wait fails after 2 m 3 s, logged only', async () => {
    const scene = await new VectorScene().begin();
    await scene.createPod();
    await scene.until(124_000);
    expect(scene.bench.lines.filter((line) => line.includes('unmounted'))).toEqual([
      `123.00 warn pod default/p1: ${TIMEOUT_TEXT}`,
    ]);
    expect(scene.events()).toEqual([]);
  });

  it('VM-05 the same on a kubelet that tells of timeouts -> FailedMount', async () => {
    const scene = await new VectorScene({ kubelet: { settings: { emitFailedMountOnTimeout: true } } }).begin();
    await scene.createPod();
    await scene.until(124_000);
    expect(scene.events()).toEqual([`Pod/p1 Warning FailedMount Unable to attach or mount volumes: ${TIMEOUT_TEXT}`]);
  });

  it('VM-06 unbound claim -> FailedMount at the first look after the populator, again after 10 to 15 s', async () => {
    const scene = await new VectorScene({ claimStatus: { phase: 'Pending' } }).begin();
    await scene.createPod();
    await scene.until(16_000);
    const text =
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], ' +
      'failed to process volumes=[data]: error processing PVC default/data: PVC is not bound';
    expect(scene.events()).toEqual([`Pod/p1 Warning FailedMount ${text}`]);
    const [first, second = 0] = scene.bench.events()[0]?.seen ?? [];
    expect(first).toBe(0.3);
    expect(second).toBeGreaterThanOrEqual(10.3);
    expect(second).toBeLessThanOrEqual(15.3);
  });

  it('VM-07 P-KL-4 ReadWriteOncePod volume wanted by a second pod -> refused until the first one let go', async () => {
    const scene = await new VectorScene({ attached: true, volume: { accessModes: ['ReadWriteOncePod'] } }).begin();
    await scene.createPod('p1');
    await scene.until(5000);
    await scene.createPod('p2');
    await scene.until(10_000);
    const text = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';
    expect(scene.events()).toEqual([`Pod/p2 Warning FailedMount MountVolume.SetUp failed for volume "pv1" : ${text}`]);
    expect(scene.times('NodePublishVolume')).toHaveLength(1);
    await scene.deletePod('p1');
    await scene.until(60_000);
    expect(scene.times('NodePublishVolume')).toHaveLength(2);
    expect((await scene.podNow('p2')).status.phase).toBe('Running');
  });

  it('VM-08 P-KL-2 two pods share a volume -> staged once, unstaged and unreported after the last', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    await scene.createPod('p1');
    await scene.createPod('p2');
    await scene.until(5000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodePublishVolume']);
    await scene.deletePod('p1');
    await scene.until(25_000);
    expect(scene.bench.methods().slice(3)).toEqual(['NodeUnpublishVolume']);
    await scene.deletePod('p2');
    await scene.until(45_000);
    expect(scene.bench.methods().slice(4)).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
    expect(scene.volumesInUse()).toEqual([
      [3000, [V]],
      [33_000, []],
    ]);
  });

  it('VM-19 attachment being deleted -> FailedMount, nothing staged', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    const body = { metadata: { finalizers: ['keep/it'] } };
    await scene.bench.cluster.patch(VolumeAttachments, ATTACHMENT, { type: 'merge', body });
    await scene.bench.cluster.delete(VolumeAttachments, ATTACHMENT);
    await scene.createPod();
    await scene.until(10_000);
    const text = 'MountVolume.WaitForAttach failed for volume "pv1" : volume attachment is being deleted';
    expect(scene.events()).toEqual([`Pod/p1 Warning FailedMount ${text}`]);
    expect(scene.bench.methods()).toEqual([]);
  });

  it('VM-20 a volume that no container uses -> not looked at', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'data2', persistentVolumeClaim: { claimName: 'missing' } },
    ];
    await scene.createPod('p1', { volumes });
    await scene.until(10_000);
    expect((await scene.podNow()).status.phase).toBe('Running');
    expect(scene.events()).toEqual([]);
  });

  it('VM-21 block volume in volumeMounts -> told as the reason', async () => {
    const scene = await new VectorScene({ volume: { volumeMode: 'Block' } }).begin();
    await scene.createPod();
    await scene.until(1000);
    expect(scene.events()[0]).toContain('volume data has volumeMode Block, but is specified in volumeMounts');
  });

  it('VM-23 driver not registered -> FailedMount, nothing believed, and mounted once it is', async () => {
    const scene = await new VectorScene({ attached: true, registered: false }).begin();
    await scene.createPod();
    await scene.until(5000);
    const text =
      'kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name d not found in the list of registered CSI drivers';
    expect(scene.events()).toEqual([
      `Pod/p1 Warning FailedMount MountVolume.MountDevice failed for volume "pv1" : ${text}`,
    ]);
    scene.bench.register('d', NODE);
    await scene.until(60_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
  });

  it('VM-24 attach limit reached -> pod rejected at the end of the wait', async () => {
    const driverSpec = { attachRequired: true, nodeAllocatableUpdatePeriodSeconds: 60 };
    const scene = await new VectorScene({ driverSpec }).begin();
    await scene.createAttachment({ attached: false, attachError: { message: 'no slot', errorCode: 8 } });
    await scene.createPod();
    await scene.until(130_000);
    const { phase, reason, message = '' } = (await scene.podNow()).status;
    expect([phase, reason]).toEqual(['Failed', 'VolumeAttachmentLimitExceeded']);
    const text = 'Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[data]';
    expect(message.startsWith(`Pod was rejected: ${text}`)).toBe(true);
    expect(scene.events()[0]?.startsWith(`Pod/p1 Warning VolumeAttachmentLimitExceeded ${text}`)).toBe(true);
    // Every minute since the driver registered, and once more at the rejection.
    const [first = 0, ...later] = scene.times('NodeGetInfo');
    expect(first).toBeLessThan(1000);
    expect(later).toEqual([first + 60_000, first + 120_000, 123_000]);
  });

  it('VM-26 requiresRepublish -> published again after the pod became ready and at every sync, never staged again', async () => {
    const driverSpec = { attachRequired: false, requiresRepublish: true };
    const scene = await new VectorScene({ driverSpec }).begin();
    await scene.createPod();
    await scene.until(50_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodePublishVolume']);
    await scene.until(70_000);
    expect(scene.bench.methods().slice(3)).toEqual(['NodePublishVolume']);
  });

  it('VM-27 attachRequired false -> no attachment read, not in use, no wait for the status', async () => {
    const scene = await new VectorScene({ driverSpec: { attachRequired: false } }).begin();
    await scene.createPod();
    await scene.until(2000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
    expect(scene.bench.mutations().map(({ request }) => request)).toMatchObject([
      { publishContext: {} },
      { publishContext: {} },
    ]);
    await scene.until(5000);
    expect(scene.volumesInUse()).toEqual([]);
  });

  it('VM-28 volume out of reach -> FailedMount, no call', async () => {
    const nodeAffinity = {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }] },
    };
    const scene = await new VectorScene({
      attached: true,
      volume: { nodeAffinity },
      kubelet: { labels: { zone: 'a' } },
    }).begin();
    await scene.createPod();
    await scene.until(5000);
    const text = 'MountVolume.NodeAffinity check failed for volume "pv1" : no matching NodeSelectorTerms';
    expect(scene.events()).toEqual([`Pod/p1 Warning FailedMount ${text}`]);
    expect(scene.bench.methods()).toEqual([]);
  });

  it('VM-29 attached after five minutes -> mounted within 0.2 s, without a failed operation', async () => {
    const scene = await new VectorScene().begin();
    await scene.createPod();
    await scene.until(300_000);
    await scene.attach();
    await scene.until(301_000);
    const [staged = 0] = scene.times('NodeStageVolume');
    expect(staged - 300_000).toBeLessThanOrEqual(200);
    expect(scene.bench.lines.filter((line) => line.includes('verify_controller'))).toEqual([]);
  });
});

describe('volume manager vectors: letting go', () => {
  it('VM-22 P-KL-7 containers still exiting -> nothing is unmounted before the last has', async () => {
    const scene = await new VectorScene({
      attached: true,
      kubelet: { behaviourOf: () => ({ stopMs: 30_000 }) },
    }).begin();
    await scene.createPod('p1', { terminationGracePeriodSeconds: 60 });
    await scene.until(10_000);
    await scene.deletePod();
    await scene.until(39_900);
    expect(scene.times('NodeUnpublishVolume')).toEqual([]);
    await scene.until(45_000);
    const [unpublished = 0] = scene.times('NodeUnpublishVolume');
    expect(unpublished).toBeGreaterThanOrEqual(40_000);
    expect(unpublished).toBeLessThanOrEqual(40_250);
  });

  it('VM-25 P-KL-7 unpublish fails for ever -> pod stays, no event, volume stays in use, tries at back-off', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    await scene.createPod();
    await scene.until(5000);
    scene.driver.setFault({ method: 'NodeUnpublishVolume', code: 'INTERNAL' });
    await scene.deletePod();
    await scene.until(140_000);
    const [first = 0, ...rest] = scene.times('NodeUnpublishVolume');
    expect(rest.map((at) => at - first)).toEqual([600, 1700, 3800, 7900, 16_000, 32_100, 64_200, 128_300]);
    expect((await scene.podNow()).metadata.deletionTimestamp).toBeDefined();
    expect(scene.events()).toEqual(['Pod/p1 Normal Killing Stopping container c']);
    expect(scene.volumesInUse()).toEqual([[3000, [V]]]);
    scene.driver.clearFaults();
    await scene.until(300_000);
    await expect(scene.podNow()).rejects.toThrow('not found');
    expect(scene.volumesInUse().at(-1)?.[1]).toEqual([]);
  });

  it('VM-30 the staged device is mounted elsewhere too -> not unstaged, tried again, stays in use', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    const { mounter } = scene.bench.node(NODE);
    await scene.createPod();
    await scene.until(5000);
    await mounter.makeDirectory('/mnt/other', 0o755);
    await mounter.mount({ source: `${NODE}:h`, target: '/mnt/other', fsType: '', options: [] });
    await scene.deletePod();
    await scene.until(60_000);
    expect(scene.times('NodeUnstageVolume')).toEqual([]);
    const told = scene.bench.lines.filter((line) => line.includes('is still mounted by other references [/mnt/other]'));
    expect(told.length).toBeGreaterThan(4);
    expect(told[0]).toContain(`the device mount path "${STAGING}/globalmount"`);
    expect(scene.volumesInUse()).toEqual([[3000, [V]]]);
    await mounter.unmount('/mnt/other');
    await scene.until(180_000);
    expect(scene.times('NodeUnstageVolume')).toHaveLength(1);
  });
});

describe('volume manager: what pods wait for', () => {
  const rows: readonly (readonly [string, (scene: VectorScene) => Promise<unknown>, string])[] = [
    [
      'claim is missing',
      (scene) => scene.createPod('p1', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'none' } }] }),
      'error processing PVC default/none: failed to fetch PVC from API server: persistentvolumeclaims "none" not found',
    ],
    [
      'claim is being deleted and unprotected',
      async (scene) => {
        const { cluster } = scene.bench;
        await cluster.patch(PersistentVolumeClaims, 'default/data', {
          type: 'merge',
          body: { metadata: { finalizers: ['a/b'] } },
        });
        await cluster.delete(PersistentVolumeClaims, 'default/data');
        await scene.createPod();
      },
      'error processing PVC default/data: PVC is being deleted',
    ],
    [
      'volume is gone',
      async (scene) => {
        await scene.bench.cluster.delete(PersistentVolumes, 'pv1');
        await scene.createPod();
      },
      'error processing PVC default/data: failed to fetch PV pv1 from API server: persistentvolumes "pv1" not found',
    ],
    [
      'volume belongs to an earlier claim of the name',
      async (scene) => {
        const body = { spec: { claimRef: { uid: 'other' } } };
        await scene.bench.cluster.patch(PersistentVolumes, 'pv1', { type: 'merge', body });
        await scene.createPod();
      },
      'error processing PVC default/data: found PV object pv1 but its pv.Spec.ClaimRef.UID other does not point to claim.UID ',
    ],
    [
      'file system volume in volumeDevices',
      (scene) =>
        scene.createPod('p1', {
          containers: [
            { name: 'c', image: 'i', resources: {}, volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] },
          ],
        }),
      'volume data has volumeMode Filesystem, but is specified in volumeDevices',
    ],
  ];

  it.each(rows)('P-KL-4 %s -> FailedMount says so', async (_situation, act, text) => {
    const scene = await new VectorScene().begin();
    await act(scene);
    await scene.until(1000);
    expect(scene.events()).toHaveLength(1);
    expect(scene.events()[0]).toContain(`failed to process volumes=[data]: ${text}`);
  });

  it('P-KL-4 the server forgets the node object -> volumes of running pods stay mounted', async () => {
    const scene = await new VectorScene({ attached: true }).begin();
    await scene.createPod();
    await scene.until(5000);
    await scene.bench.cluster.delete(Nodes, NODE);
    await scene.until(60_000);
    expect(scene.bench.methods()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
  });
});
