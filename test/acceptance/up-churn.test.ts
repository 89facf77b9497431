// Pods with claims come and go three times on the world of `mooring up`, in virtual time, with and without chaos: afterwards
// nothing of them is left, in the API, in the drivers, on the nodes or in the process; then on a real process and a fast clock.
// 500 pods: `npm run long -- churn`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { churnProcess } from './churn-process.ts';
import { type Churned, churn } from './churn.ts';
import { LEFT_BYTES_MAX } from './churned-objects.ts';
import { builtProgram } from './started-server.ts';

function expectNothingLeft({ empty, rounds }: Churned, pods: number): void {
  expect(rounds.map(({ running }) => running)).toEqual(rounds.map(() => pods));
  for (const { left } of rounds) {
    // The directories that a kubelet puts volumes into are made once and stay.
    expect({ ...left, files: 0 }).toEqual({ ...empty, files: 0 });
    expect(left.files).toBe(rounds[0]?.left.files);
  }
}

describe('pods with claims made and deleted three times', () => {
  test('P-UP-30 nothing wrong -> no object, timer, watch, disk or mount is left, and memory is back', async () => {
    const churned = await churn({ pods: 100, rounds: 3 });
    expectNothingLeft(churned, 100);
    const [first = 0, , third = 0] = churned.rounds.map(({ heapBytes }) => heapBytes);
    expect((third - first) / 200).toBeLessThan(LEFT_BYTES_MAX);
  }, 240_000);

  test('P-UP-30 random chaos, then none -> everything runs in the end, and nothing is left either', async () => {
    expectNothingLeft(await churn({ pods: 20, rounds: 3, chaosSeed: 7 }), 20);
  }, 240_000);

  test('P-UP-30 a cluster of its own on a fast clock, under chaos -> everything runs in the end, and no object is left', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mooring-churn-'));
    try {
      const { running, empty, left } = await churnProcess({
        program: await builtProgram(folder),
        directory: path.join(folder, 'cluster'),
        nodes: 3,
        pods: 100,
        rounds: 3,
        speed: 240,
        chaosSeed: 11,
        restMs: 0,
      });
      expect(running).toEqual([100, 100, 100]);
      expect(left.objects).toEqual(empty.objects);
      // Its doors, and what it prints to; no connection, no timer of anybody.
      expect(left.held.resources).toEqual(empty.held.resources);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 900_000);
});
