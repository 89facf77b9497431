// The vectors EA-01 to EA-09, and what was measured of the attacher beside them: server, driver and attacher alone.
import { describe, expect, it } from 'vitest';
import { CsiStatusError } from '../../csi/csi-error.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { AttachWorld, type AttachWorldOptions, DRIVER, attachmentOf } from '../../../test/attachdetach/attach-world.ts';

const FINALIZER = 'external-attacher/disk-test';
const LISTS = ['PUBLISH_UNPUBLISH_VOLUME', 'LIST_VOLUMES', 'LIST_VOLUMES_PUBLISHED_NODES'] as const;

/** Node a, volume v and a running attacher. */
async function stage(options: AttachWorldOptions = {}): Promise<AttachWorld> {
  const world = new AttachWorld({ driver: { capabilities: { controller: ['PUBLISH_UNPUBLISH_VOLUME'] } }, ...options });
  await world.node('a');
  await world.volume('v');
  world.startAttacher();
  await world.wait(0.1);
  return world;
}
const read = (world: AttachWorld): Promise<VolumeAttachment> =>
  world.user.get(VolumeAttachments, attachmentOf('v', 'a'));
const drop = (world: AttachWorld): Promise<unknown> => world.user.delete(VolumeAttachments, attachmentOf('v', 'a'));
const textsOf = (world: AttachWorld): readonly string[] =>
  [...world.writes, ...world.calls].toSorted((a, b) => a.at - b.at).map(({ text }) => text);

/** Refuses the first so many calls of an RPC. */
function refusing(rpc: string, times: number): NonNullable<AttachWorldOptions['around']> {
  let left = times;
  return (call, proceed) => {
    if (call.rpc === rpc && left-- > 0) throw new CsiStatusError('INTERNAL', 'mock error');
    return proceed();
  };
}

describe('attacher', () => {
  it('P-ATT-1 EA-01 a new attachment -> volume held, attachment held and node noted, published, attached, in this order', async () => {
    const world = await stage({ requestMs: 2 });
    await world.attach('v', 'a');
    await world.wait(0.1);
    expect(textsOf(world)).toEqual([
      'patch persistentvolumes v',
      'patch volumeattachments v a',
      'ControllerPublishVolume v a',
      'patch volumeattachments v a status',
    ]);
    const { metadata, status } = await read(world);
    expect(metadata.finalizers).toEqual([FINALIZER]);
    expect(metadata.annotations).toEqual({ 'csi.alpha.kubernetes.io/node-id': 'a' });
    expect(status).toEqual({ attached: true, attachmentMetadata: { devicePath: `/dev/disk/by-id/${DRIVER}-vol-v` } });
    const volume = await world.user.get(PersistentVolumes, 'v');
    expect(volume.metadata.finalizers).toEqual(['kubernetes.io/pv-protection', FINALIZER]);
  });

  it('P-ATT-2 the status comes back later than the finalizer -> the driver is asked twice, with one outcome', async () => {
    const world = await stage({ requestMs: 2, watchMs: 4 });
    await world.attach('v', 'a');
    await world.wait(1);
    expect(world.callsOf('ControllerPublishVolume')).toEqual(['v a', 'v a']);
    expect((await read(world)).status.attached).toBe(true);
  });

  it('EA-02 the volume is being deleted -> refused without asking the driver', async () => {
    const world = await stage();
    await world.user.delete(PersistentVolumes, 'v');
    await world.attach('v', 'a');
    await world.wait(0.5);
    expect([(await read(world)).status.attachError?.message, world.calls]).toEqual([
      'PersistentVolume "v" is marked for deletion',
      [],
    ]);
  });

  it('EA-03 the driver is not registered on the node -> said so, without asking it', async () => {
    const world = await stage();
    await world.user.patch(CSINodes, 'a', { type: 'merge', body: { spec: { drivers: [] } } });
    await world.attach('v', 'a');
    await world.wait(0.5);
    const { status, metadata } = await read(world);
    expect([status.attachError?.message, metadata.finalizers, world.calls]).toEqual([
      `CSINode a does not contain driver ${DRIVER}`,
      undefined,
      [],
    ]);
  });

  it('a node nobody knows -> attachError, and the volume is held all the same', async () => {
    const world = await stage();
    await world.attach('v', 'c');
    await world.wait(0.5);
    const { status } = await world.user.get(VolumeAttachments, attachmentOf('v', 'c'));
    expect(status).toMatchObject({ attached: false, attachError: { message: 'csinode.storage.k8s.io "c" not found' } });
    expect(status.attachError?.errorCode).toBeUndefined();
    expect((await world.user.get(PersistentVolumes, 'v')).metadata.finalizers).toContain(FINALIZER);
  });

  it('EA-04 refused once -> the error with its code, a second try after a second, then attached without error', async () => {
    const world = await stage({ around: refusing('ControllerPublishVolume', 2), watchMs: 5 });
    await world.attach('v', 'a');
    await world.wait(0.9);
    expect((await read(world)).status).toMatchObject({
      attached: false,
      attachError: { message: 'rpc error: code = Internal desc = mock error', errorCode: 13 },
    });
    await world.wait(0.3);
    const { status } = await read(world);
    expect([status.attached, status.attachError, world.calls.length]).toEqual([true, undefined, 3]);
  });

  it('1.34 -> no errorCode', async () => {
    const world = await stage({ around: refusing('ControllerPublishVolume', 9), attacher: { profile: '1.34' } });
    await world.attach('v', 'a');
    await world.wait(0.5);
    expect((await read(world)).status.attachError).not.toHaveProperty('errorCode');
  });

  it('P-ATT-5 refused for long -> tried after 0, 1, 4, 8, 16 s: the double call uses up one step', async () => {
    const world = await stage({ around: refusing('ControllerPublishVolume', 99), watchMs: 5 });
    await world.attach('v', 'a');
    await world.wait(32);
    const times = world.calls.map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)));
    expect(pauses).toEqual([0, 1, 4, 8, 16]);
  });

  it('P-ATT-3 EA-05 deleted -> unpublished, then the finalizer goes, and the object with it', async () => {
    const world = await stage({ requestMs: 2 });
    await world.attach('v', 'a');
    await world.wait(0.5);
    world.writes.length = 0;
    world.calls.length = 0;
    await drop(world);
    await world.wait(0.5);
    expect(textsOf(world)).toEqual(['ControllerUnpublishVolume v a', 'patch volumeattachments v a']);
    expect(await world.attachments()).toEqual([]);
  });

  it('EA-05 deleted but held by another finalizer -> detached in the status too', async () => {
    const world = await stage();
    await world.attach('v', 'a');
    await world.wait(0.5);
    const finalizers = [FINALIZER, 'other.test/hold'];
    await world.user.patch(VolumeAttachments, attachmentOf('v', 'a'), {
      type: 'merge',
      body: { metadata: { finalizers } },
    });
    await drop(world);
    await world.wait(0.5);
    const { metadata, status } = await read(world);
    expect([metadata.finalizers, status]).toEqual([['other.test/hold'], { attached: false }]);
    expect(world.callsOf('ControllerUnpublishVolume')).toEqual(['v a']);
  });

  it('EA-06 deleted and the CSINode is gone -> unpublished under the noted id', async () => {
    const world = await stage();
    await world.attach('v', 'a');
    await world.wait(0.5);
    await world.user.delete(CSINodes, 'a');
    await drop(world);
    await world.wait(0.5);
    expect([world.callsOf('ControllerUnpublishVolume'), await world.attachments()]).toEqual([['v a'], []]);
  });

  it('EA-06 deleted, no CSINode and nothing noted -> detachError', async () => {
    const world = await stage();
    await world.user.delete(CSINodes, 'a');
    await world.attach('v', 'a');
    const body = { metadata: { finalizers: [FINALIZER] } };
    await world.user.patch(VolumeAttachments, attachmentOf('v', 'a'), { type: 'merge', body });
    await drop(world);
    await world.wait(0.5);
    expect((await read(world)).status.detachError?.message).toBe('csinode.storage.k8s.io "a" not found');
  });

  it('EA-07 deleted without the finalizer -> left alone', async () => {
    const world = new AttachWorld({ driver: { capabilities: { controller: ['PUBLISH_UNPUBLISH_VOLUME'] } } });
    await world.node('a');
    await world.volume('v');
    await world.attach('v', 'a', { attached: true });
    const body = { metadata: { finalizers: ['other.test/hold'] } };
    await world.user.patch(VolumeAttachments, attachmentOf('v', 'a'), { type: 'merge', body });
    await drop(world);
    world.startAttacher();
    await world.wait(0.5);
    expect([world.calls, world.writes]).toEqual([[], []]);
  });

  it('P-ATT-3 unpublish refused -> still attached and held, tried again after 1 and 2 s', async () => {
    const world = await stage({ around: refusing('ControllerUnpublishVolume', 2) });
    await world.attach('v', 'a');
    await world.wait(0.5);
    await drop(world);
    await world.wait(0.5);
    const { metadata, status } = await read(world);
    expect([metadata.finalizers, status.attached, status.detachError?.message, status.detachError?.errorCode]).toEqual([
      [FINALIZER],
      true,
      'rpc error: code = Internal desc = mock error',
      undefined,
    ]);
    await world.wait(3);
    expect([await world.attachments(), world.callsOf('ControllerUnpublishVolume')]).toEqual([
      [],
      ['v a', 'v a', 'v a'],
    ]);
  });

  it('the volume is gone before its attachment -> detachError for as long as it takes', async () => {
    const world = await stage();
    await world.attach('v', 'a');
    await world.wait(0.5);
    await world.user.patch(PersistentVolumes, 'v', { type: 'merge', body: { metadata: { finalizers: null } } });
    await world.user.delete(PersistentVolumes, 'v');
    await drop(world);
    await world.wait(5);
    expect((await read(world)).status.detachError?.message).toBe('persistentvolume "v" not found');
  });

  it('P-ATT-6 EA-08 attached but not published -> published again at the next comparison, never detached', async () => {
    const world = await stage({ driver: { capabilities: { controller: LISTS } } });
    await world.attach('v', 'a');
    await world.wait(0.5);
    const call = { signal: new AbortController().signal, deadlineMs: 1000 };
    await world.driver.controller.controllerUnpublishVolume({ volumeId: 'vol-v', nodeId: 'a', secrets: {} }, call);
    world.calls.length = 0;
    await world.wait(61);
    expect([world.callsOf('ControllerPublishVolume'), world.callsOf('ControllerUnpublishVolume')]).toEqual([
      ['v a'],
      [],
    ]);
    await world.wait(120);
    expect(world.callsOf('ControllerPublishVolume')).toEqual(['v a']);
  });

  it('P-ATT-4 EA-09 the volume is being deleted -> held while an attachment names it, then only our finalizer goes', async () => {
    const world = await stage();
    await world.attach('v', 'a');
    await world.wait(0.5);
    await world.user.delete(PersistentVolumes, 'v');
    await world.wait(0.5);
    expect((await world.user.get(PersistentVolumes, 'v')).metadata.finalizers).toEqual([
      'kubernetes.io/pv-protection',
      FINALIZER,
    ]);
    await drop(world);
    await world.wait(0.5);
    expect((await world.user.get(PersistentVolumes, 'v')).metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  });

  it('P-ATT-7 a driver that has nothing to publish -> attached at once, gone at once, the volume untouched', async () => {
    const world = await stage({ driver: { capabilities: { controller: ['CREATE_DELETE_VOLUME'] } } });
    await world.attach('v', 'a');
    await world.wait(0.5);
    expect([(await read(world)).status, (await read(world)).metadata.finalizers, world.calls]).toEqual([
      { attached: true },
      undefined,
      [],
    ]);
    await drop(world);
    await world.wait(0.5);
    expect(await world.attachments()).toEqual([]);
    expect((await world.user.get(PersistentVolumes, 'v')).metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  });

  it('the secret of the volume is missing -> said so; there -> handed to the driver', async () => {
    const secrets: unknown[] = [];
    const world = await stage({
      around: (call, proceed) => {
        if (call.rpc === 'ControllerPublishVolume' && 'secrets' in call.request) secrets.push(call.request.secrets);
        return proceed();
      },
    });
    const controllerPublishSecretRef = { name: 'login', namespace: 'default' };
    const { metadata: _old, ...volume } = await world.user.get(PersistentVolumes, 'v');
    const csi = { driver: DRIVER, volumeHandle: 'vol-w', controllerPublishSecretRef };
    await world.user.create(PersistentVolumes, { ...volume, metadata: { name: 'w' }, spec: { ...volume.spec, csi } });
    await world.attach('w', 'a');
    await world.wait(0.5);
    const name = attachmentOf('w', 'a');
    expect((await world.user.get(VolumeAttachments, name)).status.attachError?.message).toBe(
      'failed to load secret "default/login": secrets "login" not found',
    );
    const data = { user: btoa('jo') };
    await world.user.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata: controllerPublishSecretRef, data });
    await world.wait(2);
    expect([(await world.user.get(VolumeAttachments, name)).status.attached, secrets[0]]).toEqual([
      true,
      { user: 'jo' },
    ]);
  });

  it('P-ATT-8 killed while the driver works -> writes nothing more; the next life attaches', async () => {
    const gate: (() => void)[] = [];
    const world = new AttachWorld({
      around: async (call, proceed) => {
        if (call.rpc === 'ControllerPublishVolume' && gate.length === 0)
          await new Promise<void>((open) => gate.push(open));
        return await proceed();
      },
    });
    await world.node('a');
    await world.volume('v');
    const kill = world.startAttacher();
    await world.attach('v', 'a');
    await world.wait(0.5);
    const before = world.writes.length;
    kill();
    await world.wait(60);
    expect(world.writes).toHaveLength(before);
    world.startAttacher();
    await world.wait(1);
    expect(await world.attachments()).toEqual(['v a attached']);
  });

  it('the driver does not answer -> the call ends after 15 s, as an error to be tried again', async () => {
    const world = await stage({
      around: (call, proceed) => (call.rpc === 'ControllerPublishVolume' ? new Promise(() => undefined) : proceed()),
    });
    await world.attach('v', 'a');
    await world.wait(14.9);
    expect((await read(world)).status.attachError).toBeUndefined();
    await world.wait(0.2);
    expect((await read(world)).status.attachError).toMatchObject({
      errorCode: 4,
      message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    });
  });

  it('the driver is not ready at first -> asked again every second', async () => {
    let left = 3;
    const world = await stage({
      around: (call, proceed) => {
        if (call.rpc === 'Probe' && left-- > 0) throw new CsiStatusError('UNAVAILABLE', 'starting');
        return proceed();
      },
    });
    await world.attach('v', 'a');
    await world.wait(2.5);
    expect(world.calls).toEqual([]);
    await world.wait(1);
    expect(await world.attachments()).toEqual(['v a attached']);
  });
});
