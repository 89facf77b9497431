// Whole outages in virtual time, held to what was measured on real controllers (tolerances as recorded).
import { describe, expect, it } from 'vitest';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import { AttachWorld, type AttachWorldOptions, attachmentOf } from '../../../test/attachdetach/attach-world.ts';

const EXCLUSIVELY =
  'Multi-Attach error for volume "v" Volume is already exclusively attached to one node and can\'t be attached to another';
const FORCE_AFTER = 360;
const NOT_FORCED = undefined;

/** v is attached to a, in use there, for the pod old; b stands by. */
async function stage(options: AttachWorldOptions = {}): Promise<AttachWorld & { stopController(): void }> {
  const world = new AttachWorld({ requestMs: 2, watchMs: 3, ...options });
  await world.node('a');
  await world.node('b');
  await world.volume('v');
  const stopController = world.startController();
  world.startAttacher();
  await world.wait(0.2);
  await world.pod('old', 'a', ['v']);
  await world.wait(2);
  await world.says('a', { inUse: ['v'] });
  await world.wait(1);
  return Object.assign(world, { stopController });
}

const unpublishRefused: AttachWorldOptions['around'] = (call, proceed) => {
  if (call.rpc === 'ControllerUnpublishVolume') throw new CsiStatusError('INTERNAL', 'busy');
  return proceed();
};

describe('outages', () => {
  it('P-AD-1 E2E-01 S1 the node is dead and the pod only terminating -> nothing, for a day', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.terminate('old');
    const before = world.writes.length;
    await world.wait(24 * 3600);
    expect([await world.attachments(), world.writes.length, world.forced]).toEqual([['v a attached'], before, []]);
    expect((await world.events()).filter((each) => each.includes('FailedAttachVolume'))).toEqual([]);
  });

  it('P-AD-4 E2E-02 S2 a replacement comes while the old pod is terminating -> one event, one attachment, for a day', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.terminate('old');
    await world.pod('new', 'b', ['v']);
    await world.wait(24 * 3600);
    expect([await world.attachments(), world.forced]).toEqual([['v a attached'], []]);
    expect((await world.events()).filter((each) => each.startsWith('new '))).toEqual([
      'new Warning FailedAttachVolume x1: Multi-Attach error for volume "v" Volume is already used by pod(s) old',
    ]);
  });

  it('a volume moves -> its attachment on the new node names what freed it as its cause', async () => {
    const world = await stage();
    await world.says('a', { inUse: [] });
    await world.pod('new', 'b', ['v']);
    await world.wait(1);
    await world.forceDelete('old');
    await world.wait(3);
    const entries = [...world.timeline.entries()];
    const created = entries.find(({ verb, key }) => verb === 'create' && key === attachmentOf('v', 'b'));
    const causes: string[] = [];
    for (let at = created?.because ?? null; at !== null; at = world.timeline.get(at)?.because ?? null) {
      const { actor = '', verb = '', kind = '' } = world.timeline.get(at) ?? {};
      causes.push(`${actor} ${verb} ${kind}`);
    }
    expect(causes).toEqual([
      'csi-attacher/disk.test patch VolumeAttachment',
      'attachdetach-controller delete VolumeAttachment',
      'user delete Pod',
    ]);
  });

  it('P-AD-5 S3 force delete on a dead node -> forced 360.1 s later, and on the next node within two seconds', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.forceDelete('old');
    const from = world.seconds;
    await world.wait(0.05);
    await world.pod('new', 'b', ['v']);
    await world.wait(365);
    const detachedAt = (world.when('delete volumeattachments v a') ?? 0) - from;
    expect(detachedAt).toBeGreaterThan(FORCE_AFTER);
    expect(detachedAt).toBeLessThan(FORCE_AFTER + 0.5);
    const [gone = 0, created = 0] = [
      world.when('patch volumeattachments v a', from),
      world.when('create volumeattachments v b'),
    ];
    expect(created - gone).toBeGreaterThan(0.45);
    expect(created - gone).toBeLessThan(0.7);
    expect(await world.attachments()).toEqual(['v b attached']);
    expect((await world.events()).filter((each) => each.startsWith('new '))).toEqual([
      'new Normal SuccessfulAttachVolume x1: AttachVolume.Attach succeeded for volume "v" ',
      `new Warning FailedAttachVolume x1: ${EXCLUSIVELY}`,
    ]);
    expect([world.forced, await world.reported('a'), await world.reported('b')]).toEqual([['timeout'], [], ['v']]);
  });

  it('P-AD-5 force detach switched off -> never, unless the node lets go', async () => {
    const world = await stage({ settings: { disableForceDetachOnTimeout: true } });
    await world.says('a', { ready: 'Unknown' });
    await world.forceDelete('old');
    await world.wait(3600);
    expect(await world.attachments()).toEqual(['v a attached']);
    await world.says('a', { inUse: [], ready: 'True' });
    await world.wait(1);
    expect([await world.attachments(), world.forced]).toEqual([[], []]);
  });

  it('S5 out of service and the pod goes -> detached in the next pass; the new pod hears of no Multi-Attach', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.taint('a', 'node.kubernetes.io/out-of-service');
    await world.terminate('old');
    await world.wait(10);
    expect(world.when('delete volumeattachments v a')).toBe(NOT_FORCED);
    await world.forceDelete('old');
    await world.pod('new', 'b', ['v']);
    const from = world.seconds;
    await world.wait(3);
    expect((world.when('delete volumeattachments v a') ?? 0) - from).toBeLessThan(0.2);
    expect([await world.attachments(), world.forced]).toEqual([['v b attached'], ['out-of-service']]);
    expect((await world.events()).filter((each) => each.includes('Multi-Attach'))).toEqual([]);
  });

  it('S6 the Node object is deleted -> forced 360.1 s after the pod went, with nobody to tell', async () => {
    const world = await stage();
    await world.deleteNode('a');
    await world.wait(48);
    await world.forceDelete('old');
    const from = world.seconds;
    await world.pod('new', 'b', ['v']);
    await world.wait(365);
    const detachedAt = (world.when('delete volumeattachments v a') ?? 0) - from;
    expect(detachedAt).toBeGreaterThan(FORCE_AFTER);
    expect(detachedAt).toBeLessThan(FORCE_AFTER + 0.5);
    expect([await world.attachments(), world.forced]).toEqual([['v b attached'], ['timeout']]);
    expect((await world.events()).filter((each) => each.startsWith('new Warning'))).toEqual([
      `new Warning FailedAttachVolume x1: ${EXCLUSIVELY}`,
    ]);
  });

  it('the Node is deleted and v was not in use -> detached as soon as the pod is gone', async () => {
    const world = await stage();
    await world.says('a', { inUse: [] });
    await world.deleteNode('a');
    await world.forceDelete('old');
    await world.wait(1);
    expect([await world.attachments(), world.forced]).toEqual([[], []]);
  });

  it('the node comes back and unmounts -> detached with a look, no force', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.forceDelete('old');
    await world.pod('new', 'b', ['v']);
    await world.wait(200);
    await world.says('a', { ready: 'True' });
    await world.wait(300);
    expect(await world.attachments()).toEqual(['v a attached']);
    await world.says('a', { inUse: [] });
    await world.wait(2);
    // The clock ran all the time, so it is called forced although nothing was torn.
    expect([await world.attachments(), world.forced]).toEqual([['v b attached'], ['timeout']]);
  });

  it('P-AD-10 the controller restarts within the six minutes -> they begin anew, and the event is sent again', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.forceDelete('old');
    await world.pod('new', 'b', ['v']);
    await world.wait(240);
    world.stopController();
    await world.wait(1);
    const from = world.seconds;
    world.startController();
    await world.wait(359);
    expect(await world.attachments()).toEqual(['v a attached']);
    await world.wait(6);
    const detachedAt = (world.when('delete volumeattachments v a') ?? 0) - from;
    expect(detachedAt).toBeGreaterThan(FORCE_AFTER);
    expect(detachedAt).toBeLessThan(FORCE_AFTER + 0.7);
    expect(await world.attachments()).toEqual(['v b attached']);
    expect((await world.events()).filter((each) => each.includes(EXCLUSIVELY))).toHaveLength(2);
  });

  it('P-AD-10 killed in the middle of an attach -> the next life finds the attachment and finishes', async () => {
    const world = new AttachWorld({ requestMs: 2, watchMs: 3 });
    await world.node('a');
    await world.volume('v');
    const stop = world.startController();
    await world.wait(0.1);
    await world.pod('p', 'a', ['v']);
    await world.wait(0.3);
    stop();
    expect(await world.attachments()).toEqual(['v a']);
    world.startAttacher();
    await world.wait(5);
    expect(await world.reported('a')).toEqual([]);
    world.startController();
    await world.wait(2);
    expect([await world.reported('a'), world.callsOf('ControllerUnpublishVolume')]).toEqual([['v'], []]);
  });

  it('P-AD-7 the driver refuses to detach -> two attachments, attach and detach take turns every 1.2 s, nothing is lost', async () => {
    const state = { refuses: true };
    const around: AttachWorldOptions['around'] = (call, proceed) =>
      state.refuses ? unpublishRefused(call, proceed) : proceed();
    const world = await stage({ around });
    await world.says('a', { inUse: [] });
    await world.forceDelete('old');
    await world.pod('new', 'b', ['v']);
    await world.wait(20);
    expect(await world.attachments()).toEqual(['v a attached deleting', 'v b']);
    const failures = (await world.events()).filter((each) => each.startsWith('new Warning'));
    expect(failures).toEqual([
      expect.stringMatching(
        /FailedAttachVolume x1[3-6]: AttachVolume\.Attach failed for volume "v" : rpc error: code = FailedPrecondition/,
      ),
    ]);
    state.refuses = false;
    await world.wait(60);
    expect([await world.attachments(), await world.reported('b')]).toEqual([['v b attached'], ['v']]);
  });

  it('no attacher -> the attach ends after two minutes with its event and is tried again', async () => {
    const world = new AttachWorld();
    await world.node('a');
    await world.volume('v');
    world.startController();
    await world.pod('p', 'a', ['v']);
    await world.wait(119);
    expect(await world.events()).toEqual([]);
    await world.wait(2);
    expect(await world.events()).toEqual([
      'p Warning FailedAttachVolume x1: AttachVolume.Attach failed for volume "v" : timed out waiting for external-attacher of disk.test CSI driver to attach volume vol-v',
    ]);
    world.startAttacher();
    await world.wait(10);
    expect(await world.reported('a')).toEqual(['v']);
  });

  it('P-AD-7 no attacher -> the detach ends after two minutes without an event, then the next node is tried', async () => {
    const world = new AttachWorld({ requestMs: 2, watchMs: 3 });
    await world.node('a', { attached: ['v'] });
    await world.node('b');
    await world.volume('v');
    await world.attach('v', 'a', { attached: true });
    await world.user.patch(VolumeAttachments, attachmentOf('v', 'a'), {
      type: 'merge',
      body: { metadata: { finalizers: ['external-attacher/disk-test'] } },
    });
    await world.pod('old', 'a', ['v']);
    world.startController();
    await world.wait(1);
    await world.pod('new', 'b', ['v']);
    await world.forceDelete('old');
    await world.wait(125);
    const waited =
      (world.when('create volumeattachments v b') ?? 0) - (world.when('delete volumeattachments v a') ?? 0);
    expect(waited).toBeGreaterThan(120);
    expect(waited).toBeLessThan(120.3);
    expect(await world.attachments()).toEqual(['v a attached deleting', 'v b']);
  });

  it('P-AD-11 the VolumeAttachment is deleted by hand -> noticed within a minute, then the next node gets the volume', async () => {
    const world = await stage();
    await world.says('a', { ready: 'Unknown' });
    await world.forceDelete('old');
    await world.pod('new', 'b', ['v']);
    await world.wait(5);
    await world.user.delete(VolumeAttachments, attachmentOf('v', 'a'));
    const from = world.seconds;
    await world.wait(62);
    expect(await world.attachments()).toEqual(['v b attached']);
    expect(await world.reported('a')).toEqual([]);
    const createdAt = world.when('create volumeattachments v b') ?? 0;
    expect(createdAt - from).toBeLessThan(60.5);
    expect(world.forced).toEqual([]);
  });

  it('P-AD-11 the sweep switched off -> not noticed', async () => {
    const world = await stage({ settings: { disableAttachDetachReconcileSync: true } });
    await world.user.delete(VolumeAttachments, attachmentOf('v', 'a'));
    await world.wait(300);
    expect([await world.attachments(), await world.reported('a')]).toEqual([[], ['v']]);
  });

  it('P-AD-11 deleted by hand under a pod that stays -> attached again', async () => {
    const world = await stage();
    await world.user.delete(VolumeAttachments, attachmentOf('v', 'a'));
    await world.wait(70);
    expect([await world.attachments(), await world.reported('a')]).toEqual([['v a attached'], ['v']]);
  });

  it('attachRequired false -> no attachment and nothing on the node', async () => {
    const world = new AttachWorld();
    await world.node('a');
    await world.csiDriver(false);
    await world.volume('v');
    await world.startBoth();
    await world.pod('p', 'a', ['v']);
    await world.wait(300);
    expect([world.writes, await world.reported('a')]).toEqual([[], []]);
  });
});
