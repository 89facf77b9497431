import { describe, expect, it } from 'vitest';
import { CsiStatusError } from '../../../csi/csi-error.ts';
import type { CsiDriver, CsiNode } from '../../../csi/driver.ts';
import { memoryDriver } from '../../../csi/drivers/memory/memory.ts';
import { SeededRandom } from '../../../base/random.ts';
import { SteppedClock } from '../../../base/virtual-clock.ts';
import { wrapDriver } from '../../../csi/wrap-driver.ts';
import { withMounts } from './driver-mounts.ts';
import { MemoryMounter } from './memory.ts';

const CALL = { signal: new AbortController().signal, deadlineMs: 1000 };
const FILES = { accessType: { case: 'mount', fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' } } as const;
const DEVICE = { accessType: { case: 'block' } } as const;
const COMMON = { volumeId: 'h', publishContext: {}, secrets: {}, volumeContext: {} };
const accessMode = 'SINGLE_NODE_WRITER';

async function bench() {
  const mounter = new MemoryMounter();
  await mounter.makeDirectory('/stage', 0o750);
  await mounter.makeDirectory('/pods', 0o750);
  const some = memoryDriver(
    { name: 'd', nodes: ['n1'] },
    { random: new SeededRandom('mounts'), clock: new SteppedClock(0) },
  );
  const willing = wrapDriver(some, async () => ({}) as never);
  const driver = withMounts(willing, { mounterOf: () => mounter });
  return { mounter, driver, node: driver.nodeService('n1'), targets: () => targetsOf(mounter) };
}

const targetsOf = async (mounter: MemoryMounter): Promise<readonly string[]> =>
  (await mounter.mounts()).map(({ target }) => target);

const stage = (node: CsiNode, capability: typeof FILES | typeof DEVICE): Promise<unknown> =>
  node.nodeStageVolume(
    { ...COMMON, stagingTargetPath: '/stage', volumeCapability: { ...capability, accessMode } },
    CALL,
  );
const publish = (node: CsiNode, capability: typeof FILES | typeof DEVICE): Promise<unknown> =>
  node.nodePublishVolume(
    {
      ...COMMON,
      stagingTargetPath: '/stage',
      targetPath: '/pods/t',
      volumeCapability: { ...capability, accessMode },
      readonly: false,
    },
    CALL,
  );

describe('withMounts', () => {
  it.each([
    ['NodePublishVolume', publish, 'NodeUnpublishVolume'],
    ['NodeStageVolume', stage, 'NodeUnstageVolume'],
  ])('%s on a full disk -> fails, and the driver forgets what it did not do', async (rpc, ask, undone) => {
    const calls: string[] = [];
    const { driver } = await bench();
    const recorded = wrapDriver(driver, async (call) => {
      calls.push(call.rpc);
      return {} as never;
    });
    const full = new MemoryMounter();
    const refuses = (): Promise<never> => Promise.reject(new Error('no space left on device'));
    const mounter = Object.assign(full, { makeDirectory: refuses, mount: refuses });
    const node = withMounts(recorded, { mounterOf: () => mounter }).nodeService('n1');
    await expect(ask(node, FILES)).rejects.toThrow('no space left on device');
    expect(calls).toEqual([rpc, undone]);
  });

  it('a volume is deleted -> whoever keeps what was in it is told; a refusal -> not', async () => {
    const told: string[] = [];
    const { driver } = await bench();
    const refusing = wrapDriver(driver, async () => {
      throw new CsiStatusError('FAILED_PRECONDITION', 'in use');
    });
    const options = { mounterOf: () => new MemoryMounter(), deleted: (source: string) => void told.push(source) };
    const request = { volumeId: 'h', secrets: {} };
    await withMounts(driver, options).controller.deleteVolume(request, CALL);
    await expect(withMounts(refusing, options).controller.deleteVolume(request, CALL)).rejects.toThrow('in use');
    expect(told).toEqual(['d^h']);
  });

  it('staged, published, unpublished and unstaged -> mounted and unmounted, target made and removed', async () => {
    const { node, mounter, targets } = await bench();
    await stage(node, FILES);
    await publish(node, FILES);
    expect(await mounter.mounts()).toEqual([
      { source: 'd^h', target: '/stage', fsType: 'ext4', options: ['noatime'] },
      { source: 'd^h', target: '/pods/t', fsType: 'ext4', options: ['noatime'] },
    ]);
    await node.nodeUnpublishVolume({ volumeId: 'h', targetPath: '/pods/t' }, CALL);
    await node.nodeUnstageVolume({ volumeId: 'h', stagingTargetPath: '/stage' }, CALL);
    expect(await targets()).toEqual([]);
    expect(mounter.paths()).toEqual(['/', '/pods', '/stage']);
  });

  it('each call twice -> as once', async () => {
    const { node, targets } = await bench();
    for (const act of [stage, stage, publish, publish]) await act(node, FILES);
    expect(await targets()).toEqual(['/stage', '/pods/t']);
  });

  it('a device -> nothing mounted when staged, bound onto a file when published', async () => {
    const { node, mounter, targets } = await bench();
    await stage(node, DEVICE);
    await publish(node, DEVICE);
    expect(await targets()).toEqual(['/pods/t']);
    expect((await mounter.stat('/pods/t'))?.kind).toBe('block');
    await node.nodeUnpublishVolume({ volumeId: 'h', targetPath: '/pods/t' }, CALL);
    expect(mounter.paths()).toEqual(['/', '/pods', '/stage']);
  });

  it('a fault around it that comes after the work -> the mount stays', async () => {
    const { driver, targets } = await bench();
    const late: CsiDriver = wrapDriver(driver, async (_call, proceed) => {
      await proceed();
      throw new CsiStatusError('DEADLINE_EXCEEDED', 'too late');
    });
    await expect(stage(late.nodeService('n1'), FILES)).rejects.toThrow('too late');
    expect(await targets()).toEqual(['/stage']);
  });
});
