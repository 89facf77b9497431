// Pods with claims come and go three times on the world of `mooring up`, in virtual time, with and without chaos: afterwards
// nothing of them is left, in the API, in the drivers, on the nodes or in the process. 500 pods: `npm run long -- churn`.
import { describe, expect, test } from 'vitest';
import { type Churned, churn } from './churn.ts';

/**
 * Of a pod with its claim and volume. Recorders remember the last 4,096 events, as upstream's do: about 9 kB of each pod until they
 * have so many, and the compiler keeps what it learned: 16 to 20 kB in all. Its objects and their events are more than twice
 * that, and would be found by their number as well.
 */
const LEFT_BYTES_MAX = 30_000;

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
});
