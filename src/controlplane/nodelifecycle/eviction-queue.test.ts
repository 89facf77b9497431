import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import { EvictionQueue } from './eviction-queue.ts';

const REASON = { type: 'resync', entry: null } as const;

function queueOf(...names: string[]): EvictionQueue {
  const queue = new EvictionQueue(0.1);
  for (const name of names) queue.add(name, 0, REASON);
  return queue;
}
const takeAt = (queue: EvictionQueue, seconds: number): string | undefined => {
  const node = queue.take(seconds * SECOND_MS);
  if (node !== undefined) queue.done(node.name);
  return node?.name;
};

describe('EvictionQueue', () => {
  test('P-NL-9 two nodes at 0.1 a second -> the second 10 s after the first', () => {
    const queue = queueOf('a', 'b');
    expect([0, 9.9, 10, 20].map((at) => takeAt(queue, at))).toEqual(['a', undefined, 'b', undefined]);
  });

  test('a node that had its turn -> adding it again changes nothing until it is removed', () => {
    const queue = queueOf('a');
    takeAt(queue, 0);
    expect(queue.add('a', 0, REASON)).toBe(false);
    queue.remove('a');
    expect(queue.add('a', 0, REASON)).toBe(true);
    expect(takeAt(queue, 10)).toBe('a');
  });

  test('removed while it waits -> never taken', () => {
    const queue = queueOf('a', 'b');
    queue.remove('a');
    expect(takeAt(queue, 0)).toBe('b');
  });

  test('to be tried later -> behind those that are due, and its turn is lost if it is not yet due', () => {
    const queue = queueOf('a');
    const first = queue.take(0);
    if (first !== undefined) queue.retry(first, 50);
    expect(queue.take(10)).toBeUndefined();
    expect(queue.nextTry).toBe(10 * SECOND_MS);
    queue.add('b', 0, REASON);
    expect([10, 20].map((at) => takeAt(queue, at))).toEqual(['b', 'a']);
  });

  test('retried after it was removed -> stays away', () => {
    const queue = queueOf('a');
    const first = queue.take(0);
    queue.remove('a');
    if (first !== undefined) queue.retry(first, 0);
    expect(takeAt(queue, 20)).toBeUndefined();
  });

  test('P-NL-10 rate 0 -> nobody, ever; a rate again -> first turn after its interval', () => {
    const queue = queueOf('a');
    queue.setRate(0, 0);
    expect(takeAt(queue, 1000)).toBeUndefined();
    expect(queue.nextTry).toBeUndefined();
    queue.setRate(0.1, 1000 * SECOND_MS);
    expect([1000, 1009.9, 1010].map((at) => takeAt(queue, at))).toEqual([undefined, undefined, 'a']);
  });

  test('another rate with a turn at hand -> it is kept; without -> the new interval begins', () => {
    const full = queueOf('a');
    full.setRate(0.01, 5 * SECOND_MS);
    expect(takeAt(full, 5)).toBe('a');
    const used = queueOf('a', 'b');
    takeAt(used, 0);
    used.setRate(0.01, 5 * SECOND_MS);
    expect([10, 104.9, 105].map((at) => takeAt(used, at))).toEqual([undefined, undefined, 'b']);
  });
});
