import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';
import { testContext } from '../../test/runtime/test-context.ts';
import { GridLoop } from './tickless-loop.ts';

const because = (entry: number): Reason => ({ type: 'resync', entry });

function setUp(pass: (reason: Reason) => Promise<void> | void = () => undefined, sliding = true) {
  const context = testContext();
  const passes: string[] = [];
  const loop = new GridLoop({
    ...context,
    name: 'mounts',
    periodMs: 100,
    phaseMs: 30,
    sliding,
    pass: (turn) => {
      passes.push(`${context.clock.monotonic()} ${turn.reason.type} ${turn.reason.entry}`);
      return pass(turn.reason);
    },
  });
  return { ...context, loop, passes };
}

describe('GridLoop', () => {
  it('P-RT-17 nothing to do -> one pass at the start, then no timer at all', async () => {
    const { clock, loop, passes } = setUp();
    loop.start();
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    await clock.advanceTo(clock.now() + HOUR_MS);
    expect(passes).toEqual(['30 started null']);
    expect(clock.fired).toBe(1);
  });

  it('P-RT-17 marks between two points -> one pass at the next point, for the first of them', async () => {
    const { clock, loop, passes } = setUp();
    loop.start();
    await clock.advanceTo(clock.now() + SECOND_MS);
    loop.mark(because(1));
    loop.mark(because(2));
    await clock.advanceTo(clock.now() + SECOND_MS);
    expect(passes.slice(1)).toEqual(['1030 resync 1']);
  });

  it('P-RT-17 a deadline -> the first point not before it; an earlier pass does not use it up', async () => {
    const { clock, loop, passes } = setUp();
    loop.start();
    await clock.advanceTo(clock.now() + SECOND_MS);
    loop.markAfter(530, because(1));
    loop.markAfter(530, because(2));
    loop.markAfter(40, because(3));
    await clock.advanceTo(clock.now() + 2 * SECOND_MS);
    expect(passes.slice(1)).toEqual(['1130 resync 3', '1530 resync 1']);
  });

  it.each([
    [true, ['30 started null', '380 resync 1']],
    [false, ['30 started null', '280 resync 1']],
  ])(
    'P-RT-18 a pass of 250 ms, sliding %s -> no overlap, the mark made meanwhile is seen at %j',
    async (sliding, expected) => {
      const run = setUp(async (reason) => {
        if (reason.type === 'started') await run.clock.sleep(250);
      }, sliding);
      run.loop.start();
      await run.clock.advanceTo(run.clock.now() + 130);
      run.loop.mark(because(1));
      await run.clock.advanceTo(run.clock.now() + SECOND_MS);
      expect(run.passes).toEqual(expected);
    },
  );

  it('P-RT-18 a pass that throws -> logged, tried again at the next point', async () => {
    const run = setUp((reason) => {
      if (reason.type === 'started') throw new Error('busy device');
    });
    run.loop.start();
    await run.clock.advanceTo(run.clock.now() + SECOND_MS);
    expect(run.passes).toEqual(['30 started null', '130 failed null']);
    expect(run.lines.map((line) => line.message)).toEqual(['mounts: busy device']);
  });

  it('P-RT-7 its signal fires -> no pass any more', async () => {
    const { clock, loop, passes, stop } = setUp();
    loop.start();
    await clock.advanceTo(clock.now() + SECOND_MS);
    loop.mark(because(1));
    stop.abort();
    loop.mark(because(2));
    await clock.advanceTo(clock.now() + SECOND_MS);
    expect(passes.length).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
