import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, HOUR_MS } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';
import { testContext } from '../../test/runtime/test-context.ts';
import { GridLoop, type TicklessLoop } from './tickless-loop.ts';

const PERIOD_MS = 100;

interface Work {
  readonly takesMs: number;
  /** What the pass itself asks for, after half of its time. */
  readonly marks: 'nothing' | 'mark' | 'deadline';
}
interface Plan {
  readonly sliding: boolean;
  readonly phaseMs: number;
  readonly acts: readonly { readonly atMs: number; readonly deadlineMs: number | undefined }[];
  readonly works: readonly Work[];
}

// The grid and everything inside passes is on even milliseconds and marks from outside on odd ones: which of two things
// of one instant comes first is not what this law is about. Deadlines may fall on points of the grid, and often do.
const even = (max: number) =>
  fc.oneof(
    fc.nat(max / 2).map((half) => 2 * half),
    fc.nat(max / 50).map((n) => 50 * n),
  );
const odd = (max: number) => even(max).map((ms) => ms + 1);
const plan: fc.Arbitrary<Plan> = fc.record({
  sliding: fc.boolean(),
  phaseMs: even(200),
  acts: fc.array(
    fc.record({
      atMs: odd(3000),
      deadlineMs: fc.oneof(
        fc.constant(undefined),
        fc.nat(700),
        odd(700).map((ms) => 700 - ms),
      ),
    }),
    { maxLength: 20 },
  ),
  works: fc.array(
    fc.record({
      takesMs: fc.oneof(
        fc.constant(0),
        even(400).map((ms) => 2 * ms),
      ),
      marks: fc.constantFrom('nothing', 'nothing', 'mark', 'deadline'),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

/** The loop as upstream runs it: every period, whether there is anything to do or not. */
class PeriodicLoop implements TicklessLoop {
  readonly #clock: Clock;
  readonly #plan: Plan;
  readonly #work: (reason: Reason) => Promise<void>;
  #marked: Reason | undefined;
  #deadlines: { readonly due: number; readonly reason: Reason }[] = [];

  constructor(clock: Clock, thePlan: Plan, work: (reason: Reason) => Promise<void>) {
    this.#clock = clock;
    this.#plan = thePlan;
    this.#work = work;
  }

  mark(reason: Reason): void {
    this.#marked ??= reason;
  }

  markAfter(delay: number, reason: Reason): void {
    this.#deadlines.push({ due: this.#clock.monotonic() + delay, reason });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.mark({ type: 'started', entry: null });
    await this.#clock.sleep(this.#plan.phaseMs, signal);
    for (;;) {
      const startedAt = this.#clock.monotonic();
      const due = this.#deadlines.filter((each) => each.due <= startedAt).toSorted((one, two) => one.due - two.due);
      const reason = this.#marked ?? due[0]?.reason;
      this.#marked = undefined;
      this.#deadlines = this.#deadlines.filter((each) => each.due > startedAt);
      if (reason !== undefined) await this.#work(reason);
      const endedAt = this.#clock.monotonic();
      const next = this.#plan.sliding ? endedAt + PERIOD_MS : Math.max(startedAt + PERIOD_MS, endedAt);
      await this.#clock.sleep(next - endedAt, signal);
    }
  }
}

/** Plays the plan on one of the loops and tells what its passes saw. */
async function observe(
  thePlan: Plan,
  make: (
    context: ReturnType<typeof testContext>,
    work: (reason: Reason) => Promise<void>,
  ) => { readonly loop: TicklessLoop; readonly start: () => void },
): Promise<readonly string[]> {
  const context = testContext();
  const { clock } = context;
  const passes: string[] = [];
  let passing = false;
  const { loop, start } = make(context, async (reason) => {
    expect(passing).toBe(false);
    passing = true;
    const work = thePlan.works[passes.length % thePlan.works.length];
    const halfMs = (work?.takesMs ?? 0) / 2;
    const number = passes.push(`${clock.monotonic()} ${reason.type} ${reason.entry}`);
    const budget = passes.length < 40;
    if (halfMs > 0) await clock.sleep(halfMs);
    if (budget && work?.marks === 'mark') loop.mark({ type: 'resync', entry: 1000 + number });
    if (budget && work?.marks === 'deadline') loop.markAfter(234, { type: 'deadline', entry: 1000 + number });
    if (halfMs > 0) await clock.sleep(halfMs);
    passing = false;
  });
  thePlan.acts.forEach(({ atMs, deadlineMs }, index) => {
    clock.after(atMs, () => {
      if (deadlineMs === undefined) loop.mark({ type: 'resync', entry: index });
      else loop.markAfter(deadlineMs, { type: 'deadline', entry: index });
    });
  });
  start();
  await clock.advanceTo(clock.now() + HOUR_MS / 60);
  context.stop.abort();
  return passes;
}

describe('GridLoop', () => {
  it('P-RT-17 random marks, deadlines and slow passes -> passes with work at the instants and for the reasons of the periodic loop', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (each) => {
        const periodic = await observe(each, ({ clock, signal }, work) => {
          const loop = new PeriodicLoop(clock, each, work);
          return { loop, start: () => void loop.run(signal).catch(() => undefined) };
        });
        const tickless = await observe(each, (context, work) => {
          const { phaseMs, sliding } = each;
          const pass = (turn: { readonly reason: Reason }) => work(turn.reason);
          const loop = new GridLoop({ ...context, periodMs: PERIOD_MS, phaseMs, sliding, pass });
          return { loop, start: () => loop.start() };
        });
        expect(tickless).toEqual(periodic);
      }),
      { numRuns: 200 },
    );
  });
});
