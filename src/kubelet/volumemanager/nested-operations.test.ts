import { describe, expect, it } from 'vitest';
import type { Reason } from '../../kube/reason.ts';
import { testContext } from '../../../test/runtime/test-context.ts';
import { NestedOperations, type OperationKey, type StartAnswer } from './nested-operations.ts';

const reason: Reason = { type: 'started', entry: null };
const VOLUME: OperationKey = { volumeName: 'v', podUid: '' };
const POD: OperationKey = { volumeName: 'v', podUid: 'p' };
const OTHER_POD: OperationKey = { volumeName: 'v', podUid: 'q' };
const OTHER_VOLUME: OperationKey = { volumeName: 'w', podUid: 'p' };

function bench() {
  const context = testContext();
  let finished = 0;
  const operations = new NestedOperations({ ...context, onFinished: () => void finished++ });
  const start = (key: OperationKey, name: string, perform: () => Promise<void>): StartAnswer =>
    operations.run(key, { name, reason, perform });
  return {
    context,
    operations,
    finished: () => finished,
    lasting: (key: OperationKey) => start(key, 'mount', () => new Promise<void>(() => undefined)).type,
    failing: async (key: OperationKey, name = 'mount') => {
      const answer = start(key, name, () => Promise.reject(new Error('boom')));
      await context.clock.advanceTo(context.clock.now());
      return answer;
    },
    passing: async (key: OperationKey, name = 'mount') => {
      const answer = start(key, name, () => Promise.resolve());
      await context.clock.advanceTo(context.clock.now());
      return answer;
    },
  };
}

describe('operations on volumes', () => {
  it.each([
    ['the same pod', POD, POD, 'pending'],
    ['another pod of the volume', POD, OTHER_POD, 'started'],
    ['the volume while a pod has one', POD, VOLUME, 'pending'],
    ['a pod while the volume has one', VOLUME, POD, 'pending'],
    ['another volume', VOLUME, OTHER_VOLUME, 'started'],
  ])('P-KL-3 %s -> %s', (_situation, first, second, expected) => {
    const { lasting, operations } = bench();
    expect(lasting(first)).toBe('started');
    expect(lasting(second)).toBe(expected);
    expect(operations.isPending(first)).toBe(true);
  });

  it('VM-02 P-KL-3 fails again and again -> half a second, doubling to two minutes and two seconds', async () => {
    const { context, failing } = bench();
    const waits: number[] = [];
    for (let tries = 0; tries < 11; tries++) {
      expect(await failing(POD)).toEqual({ type: 'started' });
      const refused = await failing(POD);
      const forMs = refused.type === 'backoff' ? refused.forMs : 0;
      waits.push(forMs - 1);
      await context.clock.advanceTo(context.clock.now() + forMs - 1);
      expect((await failing(POD)).type).toBe('backoff');
      await context.clock.advanceTo(context.clock.now() + 1);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000, 122_000]);
  });

  it('VM-03 P-KL-3 another operation within the window -> at once, and its failures count from the first', async () => {
    const { failing } = bench();
    await failing(POD);
    expect((await failing(POD, 'unmount')).type).toBe('started');
    expect(await failing(POD, 'unmount')).toMatchObject({ type: 'backoff', forMs: 501 });
  });

  it('P-KL-3 a success -> no wait any more', async () => {
    const { context, failing, passing, finished } = bench();
    await failing(POD);
    await context.clock.advanceTo(context.clock.now() + 501);
    await passing(POD);
    expect(await failing(POD)).toEqual({ type: 'started' });
    expect(finished()).toBe(3);
  });

  it('P-KL-3 a pod meets the failed operation of the volume -> the entry becomes its own, wait and name included', async () => {
    const { failing } = bench();
    await failing(VOLUME);
    expect((await failing(POD)).type).toBe('backoff');
    expect((await failing(OTHER_POD, 'unmount')).type).toBe('started');
    // The entry is the other pod's now: nothing of the volume is left to meet.
    expect((await failing(POD)).type).toBe('started');
  });

  it('the process ends -> nobody is told', async () => {
    const { context, operations, finished } = bench();
    const perform = async (): Promise<void> => context.clock.sleep(1000, context.signal);
    operations.run(POD, { name: 'mount', reason, perform });
    context.stop.abort();
    await context.clock.advanceTo(context.clock.now() + 2000);
    expect(finished()).toBe(0);
  });
});
