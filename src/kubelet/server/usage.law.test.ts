import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aPod } from '../../volume/makers.ts';
import { type PodUsage, containerUsage, coreNanoSeconds, nodeUsage } from './usage.ts';

const NANOS_PER_MILLI = 1_000_000;
const MEBIBYTE = 1024 * 1024;
const amounts = fc.record({
  milli: fc.integer({ min: 1, max: 64_000 }),
  mebibytes: fc.integer({ min: 1, max: 500_000 }),
  room: fc.integer({ min: 1, max: 4 }),
  identity: fc.string(),
});

describe('what virtual containers use', () => {
  it('P-KL-16 any requests and limits -> something, within both, and the same every time', () => {
    fc.assert(
      fc.property(amounts, ({ milli, mebibytes, room, identity }) => {
        const requests = { cpu: `${milli}m`, memory: `${mebibytes}Mi` };
        const limits = { cpu: `${milli * room}m`, memory: `${mebibytes * room}Mi` };
        const usage = containerUsage({ requests, limits }, identity);
        expect(usage).toEqual(containerUsage({ requests, limits }, identity));
        expect(usage.nanoCores).toBeGreaterThan(0);
        expect(usage.nanoCores).toBeLessThan(milli * NANOS_PER_MILLI);
        expect(usage.memoryBytes).toBeGreaterThan(0);
        expect(usage.memoryBytes).toBeLessThan(mebibytes * MEBIBYTE);
      }),
    );
  });

  it('P-KL-16 only limits, or nothing -> within the limits, or little', () => {
    fc.assert(
      fc.property(amounts, ({ milli, mebibytes, identity }) => {
        const limited = containerUsage({ limits: { cpu: `${milli}m`, memory: `${mebibytes}Mi` } }, identity);
        expect(limited.nanoCores).toBeLessThan(milli * NANOS_PER_MILLI);
        expect(limited.memoryBytes).toBeLessThan(mebibytes * MEBIBYTE);
        const free = containerUsage({}, identity);
        expect(free.nanoCores).toBeLessThan(10 * NANOS_PER_MILLI);
        expect(free.memoryBytes).toBeLessThan(64 * MEBIBYTE);
      }),
    );
  });

  it('P-KL-16 a node -> at least what its pods use, never more than it has', () => {
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 8 }), amounts, (containers, { milli, mebibytes }) => {
        const pods = containers.map((each): PodUsage => ({
          pod: aPod(),
          containers: [],
          nanoCores: each.milli * NANOS_PER_MILLI,
          memoryBytes: each.mebibytes * MEBIBYTE,
        }));
        const sums = [
          pods.reduce((sum, pod) => sum + pod.nanoCores, 0),
          pods.reduce((sum, pod) => sum + pod.memoryBytes, 0),
        ];
        const cores = milli * NANOS_PER_MILLI;
        const memory = mebibytes * MEBIBYTE;
        const node = nodeUsage({ cpu: `${milli}m`, memory: `${mebibytes}Mi` }, pods);
        expect(node.nanoCores).toBeLessThanOrEqual(cores);
        expect(node.memoryBytes).toBeLessThanOrEqual(memory);
        expect(node.nanoCores).toBeGreaterThanOrEqual(Math.min(sums[0] ?? 0, cores));
        expect(node.memoryBytes).toBeGreaterThanOrEqual(Math.min(sums[1] ?? 0, memory));
      }),
    );
  });

  it('P-KL-16 later -> no less processor time', () => {
    const usage = { nanoCores: 250 * NANOS_PER_MILLI, memoryBytes: 1 };
    expect([0, 1000, 4000].map((now) => coreNanoSeconds(usage, 0, now))).toEqual([0, 250_000_000, 1_000_000_000]);
    expect(coreNanoSeconds(usage, 1000, 0)).toBe(0);
  });
});
