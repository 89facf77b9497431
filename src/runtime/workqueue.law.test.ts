import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';
import { testContext } from '../../test/runtime/test-context.ts';
import { KeyedQueue } from './workqueue.ts';

const because: Reason = { type: 'started', entry: null };
const key = fc.constantFrom('a', 'b', 'c');
const act = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key }),
  fc.record({ do: fc.constant('add-after' as const), key, ms: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ do: fc.constant('add-limited' as const), key }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 200 }) }),
);

describe('KeyedQueue', () => {
  it('P-RT-8 P-RT-9 random adds and workers of random slowness -> never one key twice at once, and every add is followed by a start', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 50 }),
        fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 4 }),
        async (acts, slowness, workers) => {
          const context = testContext();
          const queue = new KeyedQueue<string>(context);
          const running = new Set<string>();
          /** Order of what happened: adds that took effect and starts. */
          let tick = 0;
          const lastAdd = new Map<string, number>();
          const lastStart = new Map<string, number>();
          let passes = 0;
          const work = async (): Promise<void> => {
            for (;;) {
              const taken = await queue.take(context.signal);
              expect(running.has(taken.key)).toBe(false);
              running.add(taken.key);
              lastStart.set(taken.key, ++tick);
              await context.clock.sleep(slowness[passes++ % slowness.length] ?? 0, context.signal);
              running.delete(taken.key);
              queue.done(taken.key);
            }
          };
          const failures: unknown[] = [];
          for (let index = 0; index < workers; index++) void work().catch((error: unknown) => failures.push(error));
          for (const each of acts) {
            if (each.do === 'wait') await context.clock.advanceTo(context.clock.now() + each.ms);
            else lastAdd.set(each.key, ++tick);
            if (each.do === 'add') queue.add(each.key, because);
            if (each.do === 'add-after') queue.addAfter(each.key, each.ms, because);
            if (each.do === 'add-limited') queue.addRateLimited(each.key, because);
          }
          await context.clock.advanceUntilQuiet(HOUR_MS);
          for (const [each, added] of lastAdd) expect(lastStart.get(each)).toBeGreaterThan(added);
          expect(running.size).toBe(0);
          expect(queue.length).toBe(0);
          expect(failures).toEqual([]);
          context.stop.abort();
        },
      ),
      { numRuns: 300 },
    );
  });
});
