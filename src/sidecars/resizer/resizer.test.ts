// Server, driver and resizer alone; the world plays the kubelet.
import { describe, expect, it } from 'vitest';
import { CLAIM, DRIVER, ResizeWorld, type ResizeWorldOptions } from '../../../test/resizer/resize-world.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { aPod } from '../../volume/makers.ts';

const GIB = 1024n ** 3n;
const ACTOR = `external-resizer/${DRIVER}`;
const PRE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';
const NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required';
const about = (text: string): string => text.replace(` PersistentVolumeClaim/${CLAIM}`, '');

const world = (options: ResizeWorldOptions = {}): Promise<ResizeWorld> => new ResizeWorld(options).begin();
const eventsOf = async (run: ResizeWorld): Promise<readonly string[]> => (await run.events()).map(about);
const writesOf = (run: ResizeWorld): readonly string[] => run.writesOf(ACTOR).map(({ text }) => text);
const secondsOf = (run: ResizeWorld): readonly number[] => run.calls.map(({ at }) => Math.round(at));
const failedText = (code: string): string =>
  `resize volume "v" by resizer "${DRIVER}" failed: rpc error: code = ${code} desc = no`;

/** A growth that was left in the middle. */
const midway = (allocated: string, status: string, request = '5Gi'): ResizeWorldOptions => ({
  claim: {
    size: request,
    status: { allocatedResources: { storage: allocated }, allocatedResourceStatuses: { storage: status } },
  },
});

describe('growing a volume', () => {
  it('P-RZ-1 T84 a claim asks for more -> size written, driver asked, volume raised, claim left to the node', async () => {
    const run = await world();
    await run.request('3Gi');
    expect(writesOf(run)).toEqual([
      `patch persistentvolumeclaims ${CLAIM} status`,
      'patch persistentvolumes v',
      `patch persistentvolumeclaims ${CLAIM} status`,
    ]);
    expect(run.calls.map(({ request }) => request)).toEqual([
      {
        volumeId: 'vol-1',
        capacityRange: { requiredBytes: 3n * GIB, limitBytes: 0n },
        secrets: {},
        volumeCapability: {
          accessType: { case: 'mount', fsType: '', mountFlags: [] },
          accessMode: 'SINGLE_NODE_MULTI_WRITER',
        },
      },
    ]);
    expect(await run.state()).toBe('1Gi 3Gi NodeResizePending Resizing,FileSystemResizePending');
    const { metadata, spec } = await run.volume();
    expect([spec.capacity, metadata.annotations]).toEqual([{ storage: '3Gi' }, { [PRE_RESIZE]: '1Gi' }]);
    expect(await eventsOf(run)).toEqual([
      'Normal FileSystemResizeRequired x1: Require file system resize of volume on node',
      'Normal Resizing x1: External resizer is resizing volume v',
    ]);
  });

  it('P-RZ-1 the node has done its step -> the note of the size before goes from the volume', async () => {
    const run = await world();
    await run.request('3Gi');
    const done = { capacity: { storage: '3Gi' }, allocatedResourceStatuses: null, conditions: null };
    await run.patchClaim({ status: done }, 'status');
    expect((await run.volume()).metadata.annotations).toBeUndefined();
    expect([await run.state(), run.calls.length]).toEqual(['3Gi 3Gi - -', 1]);
  });

  it('P-RZ-2 a driver without node step -> capacity at once, and the kubelet is told not to try', async () => {
    const run = await world({ driver: { nodeExpansionRequired: false } });
    await run.request('3Gi');
    expect(await run.state()).toBe('3Gi 3Gi - -');
    expect((await run.claim()).metadata.annotations).toEqual({ [NOT_REQUIRED]: 'true' });
    expect((await run.volume()).metadata.annotations).toBeUndefined();
    expect(await eventsOf(run)).toContain('Normal VolumeResizeSuccessful x1: Resize volume succeeded');
    await run.request('4Gi');
    expect([await run.state(), run.sizes]).toEqual(['4Gi 4Gi - -', [3n * GIB, 4n * GIB]]);
  });

  it('P-RZ-2 a driver that grows on the node alone -> not asked, the size is what was wished', async () => {
    const run = await world({ driver: { capabilities: { controller: ['CREATE_DELETE_VOLUME'] } } });
    await run.request('3Gi');
    expect([run.calls, await run.state()]).toEqual([[], '1Gi 3Gi NodeResizePending Resizing,FileSystemResizePending']);
    expect((await run.volume()).spec.capacity).toEqual({ storage: '3Gi' });
  });

  it('P-RZ-2 a driver that can neither grow nor change -> nothing is done', async () => {
    const run = await world({ driver: { capabilities: { controller: ['CREATE_DELETE_VOLUME'], node: [] } } });
    await run.request('3Gi', 60_000);
    expect([writesOf(run), run.logged]).toEqual([
      [],
      [`error CSI driver ${DRIVER} does not support resize nor modify`],
    ]);
  });

  it.each<[string, ResizeWorldOptions]>([
    ['the volume of another driver', { volume: { spec: { csi: { driver: 'other', volumeHandle: 'vol-1' } } } }],
    ['an in-tree volume', { volume: { spec: { nfs: { server: 'nas', path: '/' } } } }],
    ['a volume that belongs to another claim', { volume: { claim: 'data/foreign' } }],
  ])('P-RZ-7 %s -> left alone', async (_situation, options) => {
    const run = await world(options);
    await run.request('3Gi', 60_000);
    expect([writesOf(run), run.calls, await run.events()]).toEqual([[], [], []]);
  });

  it('P-RZ-7 a claim that is not bound -> left alone', async () => {
    const run = await world({ claim: { size: '3Gi', phase: 'Pending' } });
    await run.wait(60_000);
    expect([writesOf(run), run.calls]).toEqual([[], []]);
  });

  it('P-RZ-7 the volume comes later than the claim -> found at the next try', async () => {
    const run = await world();
    const volume = await run.volume();
    await run.user.delete(PersistentVolumes, 'v');
    await run.request('3Gi', 2000);
    expect(run.calls).toEqual([]);
    await run.create(PersistentVolumes, volume);
    await run.wait(10_000);
    expect(run.sizes).toEqual([3n * GIB]);
  });

  it('P-RZ-8 secrets -> go to the driver alone; one that is missing -> uncertain, tried again', async () => {
    const csi = {
      driver: DRIVER,
      volumeHandle: 'vol-1',
      controllerExpandSecretRef: { name: 's', namespace: 'default' },
    };
    const run = await world({ volume: { spec: { csi } } });
    await run.request('3Gi');
    const text = 'error getting secret s in namespace default: secrets "s" not found';
    expect(await eventsOf(run)).toContain(
      `Warning VolumeResizeFailed x1: resize volume "v" by resizer "${DRIVER}" failed: ${text}`,
    );
    expect([run.calls, await run.state()]).toEqual([[], '1Gi 3Gi ControllerResizeInProgress Resizing']);
    const metadata = { name: 's', namespace: 'default' };
    await run.user.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: btoa('open') } });
    await run.wait(2000);
    expect(run.calls.map(({ request }) => request)).toMatchObject([{ secrets: { key: 'open' } }]);
    expect(JSON.stringify([await run.events(), await run.claim(), run.logged])).not.toContain('open');
  });
});

describe('growth that fails', () => {
  it('P-RZ-4 infeasible -> said so, tried once more, then every five minutes', async () => {
    const run = await world();
    run.refusals = ['OUT_OF_RANGE'];
    await run.request('3Gi');
    expect(await run.state()).toBe('1Gi 3Gi ControllerResizeInfeasible Resizing,ControllerResizeError');
    const { conditions = [] } = (await run.claim()).status;
    expect(conditions.map(({ message }) => message)).toEqual([
      undefined,
      'failed to expand pvc with rpc error: code = OutOfRange desc = no',
    ]);
    await run.wait(700_000);
    expect(secondsOf(run)).toEqual([0, 1, 301, 601]);
    expect((await run.volume()).spec.capacity).toEqual({ storage: '1Gi' });
  });

  it('P-RZ-4 T85 infeasible, then the user asks for less -> at once, with nothing left of the first size', async () => {
    const run = await world();
    run.refusals = ['OUT_OF_RANGE'];
    await run.request('10Gi', 5000);
    run.refusals = [];
    await run.request('5Gi');
    expect(run.sizes.at(-1)).toBe(5n * GIB);
    expect(await run.state()).toBe('1Gi 5Gi NodeResizePending Resizing,FileSystemResizePending');
  });

  it('P-RZ-3 T86 uncertain, then the user asks for less -> the first size is finished before', async () => {
    const run = await world(midway('10Gi', 'ControllerResizeInProgress'));
    expect(run.sizes).toEqual([10n * GIB]);
    expect(await run.state()).toBe('1Gi 10Gi NodeResizePending Resizing,FileSystemResizePending');
  });

  it('P-RZ-3 T87 the node is at work on a smaller size -> not asked', async () => {
    const options = midway('1Gi', 'NodeResizePending', '10Gi');
    const run = await world(options);
    await run.wait(60_000);
    expect([run.calls, writesOf(run)]).toEqual([[], []]);
  });

  it.each([
    ['UNAVAILABLE', '1Gi 3Gi ControllerResizeInProgress Resizing'],
    ['INTERNAL', '1Gi 3Gi ControllerResizeInProgress Resizing,ControllerResizeError'],
  ] as const)('P-RZ-4 %s -> %s, tried again after 1, 2, 4, 8 s', async (code, state) => {
    const run = await world();
    run.refusals = [code];
    await run.request('3Gi', 16_000);
    expect([await run.state(), secondsOf(run)]).toEqual([state, [0, 1, 3, 7, 15]]);
    const name = code === 'INTERNAL' ? 'Internal' : 'Unavailable';
    expect(await eventsOf(run)).toContain(`Warning VolumeResizeFailed x5: ${failedText(name)}`);
  });

  it('P-RZ-3 failed for certain, then the user asks for less -> the smaller size next', async () => {
    const run = await world();
    run.refusals = ['INTERNAL'];
    await run.request('10Gi');
    run.refusals = [];
    await run.request('5Gi');
    expect(run.sizes).toEqual([10n * GIB, 5n * GIB]);
  });

  it('P-RZ-4 no answer in ten seconds -> uncertain: the same size again, whatever is wished by then', async () => {
    const run = await world();
    run.latencyMs = 60_000;
    await run.request('10Gi', 5000);
    run.latencyMs = 0;
    await run.request('5Gi', 10_000);
    expect(run.sizes).toEqual([10n * GIB, 10n * GIB]);
    expect(await eventsOf(run)).toContainEqual(expect.stringContaining('code = DeadlineExceeded'));
  });

  it('P-RZ-5 refused in use -> not asked again before the pod is over, and the claim is told', async () => {
    const run = await world();
    const pod = aPod({ name: 'user', claims: ['data'] });
    await run.create(Pods, { ...pod, status: { phase: 'Running' } });
    run.refusals = ['FAILED_PRECONDITION'];
    await run.request('3Gi', 20_000);
    expect([run.calls.length, await run.state()]).toEqual([
      1,
      '1Gi 3Gi ControllerResizeInProgress Resizing,ControllerResizeError',
    ]);
    const text = `Unable to expand ${CLAIM} because CSI driver ${DRIVER} only supports offline expansion and volume is currently in-use`;
    expect(await eventsOf(run)).toContainEqual(expect.stringMatching(`^Warning VolumeResizeFailed x[0-9]+: ${text}$`));
    run.refusals = [];
    await run.user.patch(
      Pods,
      'default/user',
      { type: 'merge', body: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    );
    await run.wait(40_000);
    // The error of the same size stays beside it until the kubelet is done, as upstream.
    expect(await run.state()).toBe('1Gi 3Gi NodeResizePending Resizing,ControllerResizeError,FileSystemResizePending');
  });

  it('P-RZ-5 told not to look at pods -> asked again and again', async () => {
    const run = await world({ settings: { handleVolumeInuseError: false } });
    await run.create(Pods, { ...aPod({ name: 'user', claims: ['data'] }), status: { phase: 'Running' } });
    run.refusals = ['FAILED_PRECONDITION'];
    await run.request('3Gi', 8000);
    expect(secondsOf(run)).toEqual([0, 1, 3, 7]);
  });

  it('P-RZ-3 the node cannot -> the driver is asked again and the node may try anew', async () => {
    const run = await world();
    await run.request('3Gi');
    await run.patchClaim({ status: { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } } }, 'status');
    expect(run.sizes).toEqual([3n * GIB, 3n * GIB]);
    expect((await run.claim()).status.allocatedResourceStatuses).toEqual({ storage: 'NodeResizePending' });
  });
});

describe('what a resizer remembers', () => {
  it('P-RZ-6 killed while the driver works -> nothing is written, and the next one asks for the same size', async () => {
    const run = await world();
    run.latencyMs = 3000;
    await run.request('3Gi', 1000);
    run.kill();
    await run.wait(10_000);
    expect(await run.state()).toBe('1Gi 3Gi ControllerResizeInProgress Resizing');
    expect(writesOf(run)).toHaveLength(1);
    run.latencyMs = 0;
    await run.request('2Gi');
    run.launch();
    await run.wait(500);
    expect(run.sizes).toEqual([3n * GIB, 3n * GIB]);
    expect(await run.state()).toBe('1Gi 3Gi NodeResizePending Resizing,FileSystemResizePending');
  });

  it('P-RZ-6 watch events that come late -> a step is never decided on the state before our last write', async () => {
    const run = await world({ watchMs: 2000, driver: { nodeExpansionRequired: false } });
    await run.wait(10_000);
    await run.request('3Gi', 2500);
    await run.patchClaim({ metadata: { labels: { a: 'b' } } });
    await run.wait(20_000);
    expect([run.sizes, await run.state()]).toEqual([[3n * GIB], '3Gi 3Gi - -']);
  });

  it('P-RZ-6 every ten minutes -> looked at again', async () => {
    const run = await world();
    const before = await run.claim();
    await run.user.update(PersistentVolumeClaims, { ...before, metadata: { ...before.metadata, labels: { a: 'b' } } });
    await run.wait(700_000);
    expect([run.calls, writesOf(run)]).toEqual([[], []]);
  });
});
