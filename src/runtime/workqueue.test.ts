import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { Aborted, SECOND_MS } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';
import { KeyedQueue } from './workqueue.ts';
import { testContext } from '../../test/runtime/test-context.ts';

const because = (entry: number): Reason => ({ type: 'started', entry });

function setUp(options: { readonly lengthMax?: number } = {}) {
  const context = testContext();
  return { ...context, queue: new KeyedQueue<string>({ ...context, ...options }) };
}

describe('KeyedQueue', () => {
  it('P-RT-9 a key added twice -> taken once, with the first reason', async () => {
    const { queue, signal } = setUp();
    queue.add('a', because(1));
    queue.add('b', because(2));
    queue.add('a', because(3));
    expect(queue.length).toBe(2);
    expect(await queue.take(signal)).toEqual({ key: 'a', reason: because(1) });
    expect(await queue.take(signal)).toEqual({ key: 'b', reason: because(2) });
  });

  it('P-RT-8 a key added while it is worked on -> waits for done, then is taken again', async () => {
    const { queue, signal } = setUp();
    queue.add('a', because(1));
    await queue.take(signal);
    queue.add('a', because(2));
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await queue.take(signal)).toEqual({ key: 'a', reason: because(2) });
  });

  it('P-RT-10 two delayed adds of a key -> one, at the earlier time with its reason', async () => {
    const { queue, signal, clock } = setUp();
    queue.addAfter('a', 5 * SECOND_MS, because(1));
    queue.addAfter('a', 2 * SECOND_MS, because(2));
    queue.addAfter('a', 3 * SECOND_MS, because(3));
    const taken = queue.take(signal).then((each) => ({ ...each, at: clock.monotonic() }));
    await clock.advanceUntilQuiet(10 * SECOND_MS);
    expect(await taken).toEqual({ key: 'a', reason: because(2), at: 2 * SECOND_MS });
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('P-RT-11 rate limited adds -> 5 ms doubling to 1000 s, forgotten on success', async () => {
    const { queue, signal, clock } = setUp();
    const waits: number[] = [];
    for (let failure = 0; failure < 19; failure++) {
      const before = clock.monotonic();
      queue.addRateLimited('a', because(failure));
      await clock.advanceUntilQuiet(2000 * SECOND_MS);
      await queue.take(signal);
      queue.done('a');
      waits.push(clock.monotonic() - before);
    }
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(waits.at(-1)).toBe(1000 * SECOND_MS);
    expect(queue.failures('a')).toBe(19);
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
  });

  it('P-RT-11 more than 100 retries at once -> ten a second over all keys', async () => {
    const { queue, signal, clock } = setUp();
    const at: number[] = [];
    const consume = async (): Promise<void> => {
      for (;;) {
        const { key } = await queue.take(signal);
        at.push(clock.monotonic());
        queue.done(key);
      }
    };
    void consume().catch(() => undefined);
    for (let key = 0; key < 103; key++) queue.addRateLimited(String(key), because(key));
    await clock.advanceUntilQuiet(SECOND_MS);
    expect(at.slice(98)).toEqual([5, 5, 100, 200, 300]);
  });

  it('P-RT-7 its signal fires -> waiting takes end, adds are ignored, delayed adds are dropped', async () => {
    const { queue, signal, stop, clock } = setUp();
    const own = new AbortController();
    const takes = [queue.take(signal), queue.take(own.signal)];
    queue.addAfter('a', SECOND_MS, because(1));
    stop.abort();
    for (const take of takes) await expect(take).rejects.toBeInstanceOf(Aborted);
    queue.add('b', because(2));
    expect(queue.length).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await expect(queue.take(signal)).rejects.toBeInstanceOf(Aborted);
  });

  it('P-RT-9 a take given up -> the next key goes to another', async () => {
    const { queue, signal } = setUp();
    const own = new AbortController();
    const first = queue.take(own.signal);
    const second = queue.take(signal);
    own.abort();
    await expect(first).rejects.toBeInstanceOf(Aborted);
    queue.add('a', because(1));
    expect((await second).key).toBe('a');
  });

  it('P-RT-12 more keys than the limit -> a bug, said at once', () => {
    const { queue } = setUp({ lengthMax: 2 });
    queue.add('a', because(1));
    queue.add('b', because(1));
    expect(() => queue.add('c', because(1))).toThrow(AssertionFailure);
  });

  it('done of a key that was not taken -> a bug', () => {
    const { queue } = setUp();
    expect(() => queue.done('a')).toThrow(AssertionFailure);
  });
});
