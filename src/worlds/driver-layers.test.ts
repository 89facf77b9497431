import { describe, expect, it } from 'vitest';
import { SteppedClock } from '../base/virtual-clock.ts';
import { CALL, bench, createRequest } from '../csi/drivers/memory/test-requests.ts';
import { layered } from './driver-layers.ts';

function setUp(settling: () => Promise<void> | undefined) {
  const clock = new SteppedClock(0);
  const bare = bench().driver;
  const driver = layered(bare, { clock, latencyMs: {}, aroundDriver: undefined, settling });
  return {
    clock,
    disks: () => [...bare.backend.volumes()].length,
    create: () => driver.controller.createVolume(createRequest(), CALL),
  };
}

describe('layered', () => {
  it('P-WORLD-10 the caller wrote what is not durable -> the driver is called when it is', async () => {
    let settle: () => void = () => undefined;
    const { clock, disks, create } = setUp(() => new Promise((resolve) => (settle = resolve)));
    const made = create();
    await clock.advanceTo(1000);
    expect(disks()).toBe(0);
    settle();
    await made;
    expect(disks()).toBe(1);
  });

  it('P-WORLD-10 what the caller wrote is taken back -> the driver is never called', async () => {
    const { disks, create } = setUp(() => Promise.reject(new Error('the write was not stored')));
    await expect(create()).rejects.toThrow('the write was not stored');
    expect(disks()).toBe(0);
  });
});
