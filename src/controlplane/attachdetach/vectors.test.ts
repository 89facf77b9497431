// The vectors AD-01 to AD-24 that need more than a pure function: controller, server and attacher in virtual time.
import { describe, expect, it } from 'vitest';
import { forbidden, internal } from '../../kube/api-error.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import {
  AttachWorld,
  type AttachWorldOptions,
  DRIVER,
  attachmentOf,
  uniqueNameOf,
} from '../../../test/attachdetach/attach-world.ts';

const SUCCEEDED = (pod: string) =>
  `${pod} Normal SuccessfulAttachVolume x1: AttachVolume.Attach succeeded for volume "v" `;

/** Nodes a and b, an RWO volume v, everything running. */
async function stage(options: AttachWorldOptions = {}, modes?: readonly string[]): Promise<AttachWorld> {
  const world = new AttachWorld(options);
  await world.node('a');
  await world.node('b');
  await world.volume('v', modes);
  await world.startBoth();
  return world;
}

/** AD-02: v is attached to a for the pod p1. */
async function attached(options: AttachWorldOptions = {}, modes?: readonly string[]): Promise<AttachWorld> {
  const world = await stage(options, modes);
  await world.pod('p1', 'a', ['v']);
  await world.wait(1);
  expect(await world.attachments()).toEqual(['v a attached']);
  return world;
}

/** A driver that refuses a call as long as the test says so. */
function refusingDriver(rpc: string, code: 'INTERNAL' | 'DEADLINE_EXCEEDED' = 'INTERNAL') {
  const state = { refuses: true };
  const around: AttachWorldOptions['around'] = (call, proceed) => {
    if (state.refuses && call.rpc === rpc) throw new CsiStatusError(code, 'refused');
    return proceed();
  };
  return { state, around };
}

describe('AD vectors', () => {
  it('AD-01 nothing wanted, nothing attached -> nothing is done', async () => {
    const world = await stage();
    await world.wait(5);
    expect(world.writes).toEqual([]);
  });

  it('AD-02 a pod wants v on a -> attached, reported, and the pod is told', async () => {
    const world = await attached();
    expect(await world.reported('a')).toEqual(['v']);
    expect(await world.events()).toEqual([SUCCEEDED('p1')]);
    expect(world.callsOf('ControllerUnpublishVolume')).toEqual([]);
  });

  it('AD-03 the pod goes and v is unmounted -> detached at once after a look at the node', async () => {
    const asked: string[] = [];
    const world = await attached({ refuse: (request) => void asked.push(request) });
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.wait(0.2);
    expect(world.when('delete volumeattachments v a')).toBeDefined();
    expect(asked).toContain('get nodes a');
    await world.wait(2);
    expect([await world.attachments(), world.callsOf('ControllerUnpublishVolume')]).toEqual([[], ['v a']]);
    expect(world.writes.filter(({ text }) => text === 'create volumeattachments v a')).toHaveLength(1);
  });

  it('AD-04 the node is gone and v in use -> detached by force only after the wait, without a look', async () => {
    const asked: string[] = [];
    const settings = { timers: { maxWaitForUnmountMs: 50 } };
    const world = await attached({ settings, refuse: (request) => void asked.push(request) });
    await world.says('a', { inUse: ['v'] });
    await world.deleteNode('a');
    await world.wait(0.5);
    const from = world.seconds;
    await world.forceDelete('p1');
    await world.wait(0.3);
    expect((world.when('delete volumeattachments v a') ?? 0) - from).toBeGreaterThan(0.05);
    expect([world.forced, asked.filter((each) => each === 'get nodes a')]).toEqual([['timeout'], []]);
  });

  it('P-AD-13 AD-05 the node cannot be told -> not detached, stays attached and reported', async () => {
    const state = { refuses: false };
    const refuse = (request: string): void => {
      if (state.refuses && request === 'patch nodes a') throw internal('no');
    };
    const world = await attached({ refuse });
    await world.says('a', { inUse: [] });
    state.refuses = true;
    await world.forceDelete('p1');
    await world.wait(3);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a attached'], ['v']]);
    expect(world.logged).toContain('warn unable to update 1 nodes');
    state.refuses = false;
    await world.wait(1);
    expect([await world.attachments(), await world.reported('a')]).toEqual([[], []]);
  });

  it('AD-06 RWX on two nodes -> attached to both at once, detached one by one', async () => {
    const world = await stage({}, ['ReadWriteMany']);
    await world.pod('p1', 'a', ['v']);
    await world.pod('p2', 'b', ['v']);
    await world.wait(0.2);
    expect(await world.attachments()).toEqual(['v a attached', 'v b attached']);
    await world.wait(1);
    await world.forceDelete('p1');
    await world.wait(1);
    expect(await world.attachments()).toEqual(['v b attached']);
    await world.forceDelete('p2');
    await world.wait(1);
    expect(await world.attachments()).toEqual([]);
    expect(world.writes.filter(({ text }) => text.startsWith('create volumeattachments'))).toHaveLength(2);
  });

  it('P-AD-3 P-AD-4 AD-07 RWO wanted on two nodes -> one attachment, one event; the other follows when it is free', async () => {
    const world = await stage();
    await world.pod('p1', 'a', ['v']);
    await world.pod('p2', 'b', ['v']);
    await world.wait(10);
    expect(await world.attachments()).toEqual(['v a attached']);
    const blocked =
      'p2 Warning FailedAttachVolume x1: Multi-Attach error for volume "v" Volume is already used by pod(s) p1';
    expect(await world.events()).toEqual([SUCCEEDED('p1'), blocked]);
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.wait(3);
    expect(await world.attachments()).toEqual(['v b attached']);
    expect(await world.events()).toEqual([SUCCEEDED('p1'), SUCCEEDED('p2'), blocked].toSorted());
  });

  it('P-AD-6 AD-08 an attach of unknown outcome -> uncertain, not reported; freed by a detach', async () => {
    const { state, around } = refusingDriver('ControllerPublishVolume', 'DEADLINE_EXCEEDED');
    const world = await stage({ around });
    await world.pod('p1', 'a', ['v']);
    await world.wait(2);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a'], []]);
    state.refuses = false;
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.pod('p2', 'b', ['v']);
    await world.wait(5);
    expect([await world.attachments(), await world.reported('b')]).toEqual([['v b attached'], ['v']]);
    expect(world.callsOf('ControllerUnpublishVolume')).toContain('v a');
  });

  it('P-AD-7 AD-09 a failed detach -> uncertain, not reported; a pod that comes back makes it certain', async () => {
    const { state, around } = refusingDriver('ControllerUnpublishVolume');
    const world = await attached({ around });
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.wait(2);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a attached deleting'], []]);
    state.refuses = false;
    await world.pod('p2', 'a', ['v']);
    await world.wait(10);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a attached'], ['v']]);
    const writes = world.writes.length;
    await world.pod('p3', 'b', ['v']);
    await world.wait(5);
    expect([await world.attachments(), world.writes.length]).toEqual([['v a attached'], writes]);
  });

  it('AD-09b 1.28.2: a failed detach -> stays attached and is reported again', async () => {
    const { around } = refusingDriver('ControllerUnpublishVolume');
    const world = await attached({ around, settings: { profile: '1.28.2' } });
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.wait(0.95);
    expect(await world.reported('a')).toEqual(['v']);
    await world.pod('p2', 'b', ['v']);
    await world.wait(1);
    expect((await world.events()).filter((each) => each.startsWith('p2 '))).toEqual([
      expect.stringContaining('Volume is already exclusively attached to one node'),
    ]);
  });

  it('AD-10 out of service, in use -> detached at once', async () => {
    const settings = { timers: { maxWaitForUnmountMs: 4_200_000 } };
    const world = await attached({ settings });
    await world.says('a', { inUse: ['v'], ready: 'Unknown' });
    await world.taint('a', 'node.kubernetes.io/out-of-service');
    await world.forceDelete('p1');
    await world.wait(0.2);
    expect([world.forced, world.callsOf('ControllerUnpublishVolume')]).toEqual([['out-of-service'], ['v a']]);
  });

  it('AD-11 Ready node, in use -> not detached however long; Ready lost -> at once', async () => {
    const settings = { timers: { maxWaitForUnmountMs: 1_000 } };
    const world = await attached({ settings });
    await world.says('a', { inUse: ['v'] });
    await world.forceDelete('p1');
    await world.wait(5);
    expect(await world.attachments()).toEqual(['v a attached']);
    await world.says('a', { ready: 'False' });
    await world.wait(0.2);
    expect([world.callsOf('ControllerUnpublishVolume'), world.forced]).toEqual([['v a'], ['timeout']]);
  });

  it('AD-12 another NoExecute taint, in use -> not detached', async () => {
    const world = await attached();
    await world.says('a', { inUse: ['v'], ready: 'Unknown' });
    await world.taint('a', 'node.kubernetes.io/unreachable');
    await world.forceDelete('p1');
    await world.wait(60);
    expect(await world.attachments()).toEqual(['v a attached']);
  });

  it('AD-14 at start: reported, not in use, no pod -> detached although only its name is known', async () => {
    const world = new AttachWorld();
    await world.node('a', { attached: ['v'] });
    await world.volume('v');
    await world.attach('v', 'a', { attached: true });
    await world.startBoth();
    await world.wait(1);
    expect([await world.attachments(), await world.reported('a')]).toEqual([[], []]);
    expect(world.writes.filter(({ text }) => text === 'delete volumeattachments v a')).toHaveLength(1);
  });

  it.each([true, false])(
    'AD-15 at start: a VolumeAttachment (attached %s) that no node reports -> detached once the node speaks',
    async (isAttached) => {
      const world = new AttachWorld();
      await world.node('a');
      await world.volume('v');
      await world.attach('v', 'a', { attached: isAttached });
      world.startController();
      await world.wait(30);
      expect([world.when('delete volumeattachments v a'), await world.reported('a')]).toEqual([undefined, []]);
      await world.says('a', { inUse: [], ready: 'False' });
      await world.wait(0.2);
      expect(world.when('delete volumeattachments v a')).toBeDefined();
    },
  );

  it('AD-16 at start: reported and wanted -> certain, whatever the VolumeAttachment says', async () => {
    const world = new AttachWorld({ settings: { disableAttachDetachReconcileSync: true } });
    await world.node('a', { attached: ['v'], inUse: ['v'] });
    await world.node('b');
    await world.volume('v');
    await world.attach('v', 'a', { attached: false });
    await world.pod('p1', 'a', ['v']);
    world.startController();
    await world.wait(2);
    await world.pod('p2', 'b', ['v']);
    await world.wait(2);
    expect(world.writes.filter(({ text }) => text.includes('volumeattachments'))).toEqual([]);
    expect(await world.events()).toEqual([expect.stringContaining('Multi-Attach error')]);
  });

  it('AD-19 the driver turns to attachRequired false -> unwanted at the next look, then detached', async () => {
    const world = await attached();
    await world.says('a', { inUse: [] });
    await world.csiDriver(false);
    await world.wait(61);
    expect([await world.attachments(), await world.reported('a')]).toEqual([[], []]);
    await world.user.delete(CSIDrivers, DRIVER);
    await world.csiDriver(true);
    await world.wait(181);
    expect(await world.attachments()).toEqual(['v a attached']);
  });

  it('AD-20 two nodes to be told and the first fails -> the other is told, the first stays due', async () => {
    const state = { failures: 1 };
    const refuse = (request: string): void => {
      if (request.startsWith('patch nodes') && state.failures-- > 0) throw internal('no');
    };
    const world = await stage({ refuse }, ['ReadWriteMany']);
    await world.pod('p1', 'a', ['v']);
    await world.pod('p2', 'b', ['v']);
    await world.wait(0.65);
    const told = [...(await world.reported('a')), ...(await world.reported('b'))];
    expect([told, world.logged]).toEqual([['v'], expect.arrayContaining(['warn unable to update 1 nodes'])]);
    await world.wait(0.2);
    expect([...(await world.reported('a')), ...(await world.reported('b'))]).toEqual(['v', 'v']);
  });

  it('AD-22 the attacher says why it failed -> the pod is told in the same words', async () => {
    const world = new AttachWorld();
    await world.node('a');
    await world.volume('v');
    await world.attach('v', 'a', { attachError: { message: 'attacher error', time: null } });
    world.startController();
    await world.pod('p1', 'a', ['v']);
    await world.wait(1);
    expect([await world.reported('a'), await world.events()]).toEqual([
      [],
      ['p1 Warning FailedAttachVolume x1: AttachVolume.Attach failed for volume "v" : attacher error'],
    ]);
  });

  it('AD-23 the VolumeAttachment is gone already -> detached; its delete is forbidden -> tried again', async () => {
    const state = { refuses: true };
    const refuse = (request: string): void => {
      if (state.refuses && request.startsWith('delete volumeattachments'))
        throw forbidden(VolumeAttachments, 'x', 'no');
    };
    const world = await attached({ refuse });
    await world.says('a', { inUse: [] });
    await world.forceDelete('p1');
    await world.wait(1);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a attached'], []]);
    await world.user.delete(VolumeAttachments, attachmentOf('v', 'a'));
    state.refuses = false;
    await world.wait(5);
    await world.pod('p2', 'b', ['v']);
    await world.wait(1);
    expect(await world.reported('b')).toEqual(['v']);
  });

  it('an iSCSI volume -> listed without an attachment, exclusive like any other, and gone with its pod', async () => {
    const world = await stage();
    await world.volume('x', ['ReadWriteOnce'], {
      iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2026-01.test:disk', lun: 0 },
    });
    await world.pod('p1', 'a', ['x']);
    await world.wait(0.3);
    expect([await world.reported('a'), await world.attachments()]).toEqual([
      ['kubernetes.io/iscsi/10.0.0.1:iqn.2026-01.test:disk:0'],
      [],
    ]);
    await world.pod('p2', 'b', ['x']);
    await world.wait(1);
    expect((await world.events()).filter((each) => each.startsWith('p2 '))).toEqual([
      expect.stringContaining('Multi-Attach error'),
    ]);
    await world.forceDelete('p1');
    await world.wait(0.5);
    expect([await world.reported('a'), await world.reported('b')]).toEqual([
      [],
      ['kubernetes.io/iscsi/10.0.0.1:iqn.2026-01.test:disk:0'],
    ]);
  });

  it('a Node lists a volume of a plugin that nobody knows -> it stays, on the list and on the node', async () => {
    const world = new AttachWorld();
    await world.node('a', { attached: ['v'] });
    const foreign = { name: 'example.com/flex/x', devicePath: '/dev/x' };
    const body = { status: { volumesAttached: [foreign] } };
    await world.user.patch(Nodes, 'a', { type: 'merge', body }, { subresource: 'status' });
    await world.volume('v');
    await world.startBoth();
    await world.pod('p1', 'a', ['v']);
    await world.wait(1);
    expect((await world.user.get(Nodes, 'a')).status.volumesAttached).toEqual([
      foreign,
      { name: uniqueNameOf('v'), devicePath: '' },
    ]);
  });

  it('a node that is made anew -> gets its list back', async () => {
    const world = await attached();
    await world.deleteNode('a');
    await world.wait(1);
    const { metadata: _old, ...node } = await world.user.get(Nodes, 'b');
    const metadata = { name: 'a', annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': '' } };
    await world.user.create(Nodes, { ...node, metadata });
    await world.wait(0.2);
    expect(await world.reported('a')).toEqual(['v']);
  });
});
