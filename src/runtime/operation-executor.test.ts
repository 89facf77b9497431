import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { testContext } from '../../test/runtime/test-context.ts';
import { KeyedOperations } from './operation-executor.ts';

function setUp() {
  const context = testContext();
  const finished: string[] = [];
  const operations = new KeyedOperations({
    ...context,
    parentOf: (key) => (key.includes('/') ? key.slice(0, key.indexOf('/')) : undefined),
    onFinished: (key, { failed }) =>
      void finished.push(`${context.clock.monotonic()} ${key} ${failed ? 'failed' : 'done'}`),
  });
  const lasting = (ms: number) => (signal: AbortSignal) => context.clock.sleep(ms, signal);
  return { ...context, operations, finished, lasting };
}
const fail = (): Promise<void> => Promise.reject(new Error('device busy'));

describe('KeyedOperations', () => {
  it('P-RT-19 an operation runs -> another on its key is pending, on other keys not', async () => {
    const { operations, clock, finished, lasting } = setUp();
    expect(operations.run('vol', 'attach', lasting(SECOND_MS))).toBe('started');
    expect(operations.run('vol', 'detach', lasting(SECOND_MS))).toBe('pending');
    expect(operations.run('other', 'attach', lasting(2 * SECOND_MS))).toBe('started');
    expect(operations.isPending('vol')).toBe(true);
    await clock.advanceUntilQuiet(MINUTE_MS);
    expect(operations.isPending('vol')).toBe(false);
    expect(finished).toEqual(['1000 vol done', '2000 other done']);
    expect(operations.run('vol', 'detach', lasting(0))).toBe('started');
  });

  it('P-RT-20 failures in a row -> refused for 500 ms, doubling, at most 2 m 2 s, the last instant included', async () => {
    const { operations, clock } = setUp();
    const rests: number[] = [];
    for (let failure = 0; failure < 10; failure++) {
      expect(operations.run('vol', 'attach', fail)).toBe('started');
      await clock.advanceTo(clock.now());
      const restMs = operations.restOf('vol');
      rests.push(restMs);
      await clock.advanceTo(clock.now() + restMs - 1);
      expect(operations.run('vol', 'attach', fail)).toBe('backoff');
      await clock.advanceTo(clock.now() + 1);
      expect(operations.restOf('vol')).toBe(0);
    }
    const upTo = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000];
    expect(rests).toEqual(upTo.map((ms) => ms + 1));
  });

  it('P-RT-20 success -> the next failure rests 500 ms again', async () => {
    const { operations, clock, lasting } = setUp();
    for (const operation of [fail, fail, lasting(0), fail]) {
      await clock.advanceTo(clock.now() + MINUTE_MS);
      expect(operations.run('vol', 'attach', operation)).toBe('started');
      await clock.advanceTo(clock.now() + 1);
    }
    expect(operations.restOf('vol')).toBe(500);
  });

  it('P-RT-20 another operation on a resting key -> starts at once, its rest begins anew', async () => {
    const { operations, clock } = setUp();
    for (let failure = 0; failure < 3; failure++) {
      operations.run('vol', 'attach', fail);
      await clock.advanceTo(clock.now() + (failure < 2 ? MINUTE_MS : 1));
    }
    expect(operations.restOf('vol')).toBe(2000);
    expect(operations.run('vol', 'detach', fail)).toBe('started');
    await clock.advanceTo(clock.now() + 1);
    expect(operations.restOf('vol')).toBe(500);
  });

  it('P-RT-19 keys below another -> run side by side, but not beside the one above', async () => {
    const { operations, clock, lasting } = setUp();
    expect(operations.run('vol/pod-a', 'unmount', lasting(SECOND_MS))).toBe('started');
    expect(operations.run('vol/pod-b', 'unmount', lasting(2 * SECOND_MS))).toBe('started');
    expect(operations.run('vol', 'unmount device', lasting(0))).toBe('pending');
    await clock.advanceTo(clock.now() + 1500);
    expect(operations.run('vol', 'unmount device', lasting(0))).toBe('pending');
    await clock.advanceTo(clock.now() + SECOND_MS);
    expect(operations.run('vol', 'unmount device', lasting(SECOND_MS))).toBe('started');
    expect(operations.run('vol/pod-a', 'unmount', lasting(0))).toBe('pending');
    await clock.advanceUntilQuiet(MINUTE_MS);
  });

  it('P-RT-7 its signal fires -> running operations are told, nothing is reported', async () => {
    const { operations, clock, stop, finished, lines, lasting } = setUp();
    operations.run('vol', 'attach', lasting(MINUTE_MS));
    stop.abort();
    await clock.advanceTo(clock.now() + SECOND_MS);
    expect(clock.pendingTimers).toBe(0);
    expect(finished).toEqual([]);
    expect(lines).toEqual([]);
  });
});
