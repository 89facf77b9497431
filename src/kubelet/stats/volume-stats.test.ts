import { describe, expect, it } from 'vitest';
import { samplesByClaim, volumeSample } from './volume-stats.ts';

const AT = { time: 0, name: 'data', pvcRef: { name: 'claim', namespace: 'default' } };
const USAGE = { unit: 'BYTES' as const, total: 100n, used: 40n, available: 60n };

describe('how full a volume is', () => {
  it('VM-17 bytes and inodes -> a sample named as the pod names it, with its claim', () => {
    const inodes = { unit: 'INODES' as const, total: 10n, used: 1n, available: 9n };
    expect(volumeSample(AT, { usage: [inodes, USAGE] })).toEqual({
      ...AT,
      capacityBytes: 100n,
      usedBytes: 40n,
      availableBytes: 60n,
      inodes: 10n,
      inodesUsed: 1n,
      inodesFree: 9n,
    });
  });

  it('VM-17 bytes and no inodes -> inodes are zero, not absent', () => {
    expect(volumeSample(AT, { usage: [USAGE] })).toEqual({
      ...AT,
      capacityBytes: 100n,
      usedBytes: 40n,
      availableBytes: 60n,
      inodes: 0n,
      inodesUsed: 0n,
      inodesFree: 0n,
    });
  });

  it('VM-17 a condition -> told with the sample', () => {
    const volumeCondition = { abnormal: true, message: 'broken' };
    expect(volumeSample(AT, { usage: [], volumeCondition }).condition).toEqual(volumeCondition);
  });

  it('VM-18 two pods with one claim -> one sample of the claim, the first', () => {
    const first = volumeSample(AT, { usage: [USAGE] });
    const second = volumeSample(AT, { usage: [{ ...USAGE, used: 50n }] });
    const inline = volumeSample({ time: 0, name: 'scratch' }, { usage: [USAGE] });
    expect([...samplesByClaim([first, second, inline])]).toEqual([['default/claim', first]]);
  });
});
