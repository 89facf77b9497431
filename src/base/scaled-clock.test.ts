import { describe, expect, it } from 'vitest';
import { AssertionFailure } from './assert.ts';
import { Aborted, type Clock, MINUTE_MS, SECOND_MS, type TimerOptions } from './clock.ts';
import { ScaledClock } from './scaled-clock.ts';
import { SteppedClock } from './virtual-clock.ts';

const START = Date.UTC(2026, 0, 1);
const SPEED = 60;
/** A stepped clock yields to the event loop once for each advance. */
const EVENT_LOOP = new SteppedClock(0);

/** A real clock moved by hand, past any number of timers at once as a stall does. */
class HandClock implements Pick<Clock, 'monotonic' | 'after'> {
  elapsed = 500;
  /** The timers that are set, as the scaled clock sets them: at most one. */
  readonly set = new Map<number, { readonly at: number; readonly wake: () => void; readonly background: boolean }>();
  #count = 0;

  monotonic(): number {
    return this.elapsed;
  }

  after(delay: number, wake: () => void, { background = false }: TimerOptions = {}) {
    const key = this.#count++;
    this.set.set(key, { at: this.elapsed + delay, wake, background });
    return { due: 0, cancel: () => void this.set.delete(key) };
  }

  /** Only then does the process run again. */
  async move(ms: number): Promise<void> {
    this.elapsed += ms;
    for (const [key, timer] of this.set) {
      if (timer.at > this.elapsed) continue;
      this.set.delete(key);
      timer.wake();
    }
    for (let turn = 0; turn < 50; turn++) await EVENT_LOOP.advanceTo(0);
  }
}

function setUp(speed = SPEED) {
  const hand = new HandClock();
  const real: Clock = {
    now: () => 0,
    monotonic: () => hand.monotonic(),
    after: (delay, wake, options) => hand.after(delay, wake, options),
    sleep: () => Promise.reject(new Error('not used')),
  };
  const clock = new ScaledClock({ real, speed, startsAt: START });
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(`${clock.monotonic()} ${what}`);
  return { hand, clock, seen, note };
}

describe('ScaledClock', () => {
  it('P-BASE-12 a real second -> a minute here, from the given start, whatever the real clock showed then', async () => {
    const { hand, clock } = setUp();
    expect([clock.now(), clock.monotonic()]).toEqual([START, 0]);
    await hand.move(SECOND_MS);
    expect([clock.now(), clock.monotonic()]).toEqual([START + MINUTE_MS, MINUTE_MS]);
    await hand.move(0.01);
    expect(clock.monotonic()).toBe(MINUTE_MS);
  });

  it('P-BASE-12 a timer of a minute -> fires after a real second, not before, at its own instant', async () => {
    const { hand, clock, seen, note } = setUp();
    const { due } = clock.after(MINUTE_MS, note('minute'));
    expect(due).toBe(START + MINUTE_MS);
    await hand.move(999);
    expect(seen).toEqual([]);
    await hand.move(7);
    expect(seen).toEqual(['60000 minute']);
    expect(clock.monotonic()).toBe(1006 * SPEED);
  });

  it('P-BASE-12 slower than real time -> as well', async () => {
    const { hand, clock, seen, note } = setUp(0.5);
    clock.after(SECOND_MS, note('second'));
    await hand.move(1999);
    expect(seen).toEqual([]);
    await hand.move(1);
    expect(seen).toEqual(['1000 second']);
  });

  it('P-BASE-13 a stall over many timers -> all fire in order, each at its own instant, then time is where it should be', async () => {
    const { hand, clock, seen, note } = setUp();
    const renew = (): void => {
      note('renew')();
      clock.after(10 * SECOND_MS, renew);
    };
    clock.after(25 * SECOND_MS, note('late'));
    clock.after(10 * SECOND_MS, renew);
    clock.after(10 * SECOND_MS, note('second of its instant'));
    await hand.move(500);
    expect(seen).toEqual(['10000 renew', '10000 second of its instant', '20000 renew', '25000 late', '30000 renew']);
    expect(clock.monotonic()).toBe(30 * SECOND_MS);
  });

  it('P-BASE-13 while a due timer waits -> time stands at it', async () => {
    const { hand, clock, seen, note } = setUp();
    clock.after(SECOND_MS, note('due'));
    hand.elapsed += 5000;
    expect(clock.monotonic()).toBe(SECOND_MS);
    clock.after(0, note('set while it waits'));
    await hand.move(0);
    expect(seen).toEqual(['1000 due', '1000 set while it waits']);
    expect(clock.monotonic()).toBe(5 * MINUTE_MS);
  });

  it('P-BASE-13 promises of an instant -> settle before the next instant', async () => {
    const { hand, clock, seen, note } = setUp();
    clock.after(1000, () => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => clock.after(500, note('set by a promise')));
    });
    clock.after(2000, note('later'));
    await hand.move(1000);
    expect(seen).toEqual(['1500 set by a promise', '2000 later']);
  });

  it('P-BASE-13 a timer that throws -> the error comes out, and the others fire all the same', async () => {
    const { hand, clock, seen, note } = setUp();
    clock.after(1000, () => {
      throw new Error('broken invariant');
    });
    clock.after(1000, note('its neighbour'));
    clock.after(2000, note('later'));
    await expect(hand.move(1000)).rejects.toThrow('broken invariant');
    await hand.move(0);
    expect(seen).toEqual(['1000 its neighbour', '2000 later']);
  });

  it('P-BASE-14 cancelled timers -> never fire, and the real clock is not asked for them', async () => {
    const { hand, clock, seen, note } = setUp();
    const first = clock.after(1000, note('cancelled'));
    clock.after(2000, () => third.cancel());
    const third = clock.after(2000, note('cancelled by its neighbour'));
    first.cancel();
    expect([...hand.set.values()].map(({ at }) => Math.round((at - 500) * SPEED))).toEqual([2000]);
    await hand.move(1000);
    first.cancel();
    expect(seen).toEqual([]);
    expect(hand.set.size).toBe(0);
  });

  it('P-BASE-14 a sleep whose signal fires -> Aborted, without a timer left', async () => {
    const { hand, clock } = setUp();
    const stop = new AbortController();
    const asleep = clock.sleep(MINUTE_MS, stop.signal);
    stop.abort();
    await expect(asleep).rejects.toBeInstanceOf(Aborted);
    expect(hand.set.size).toBe(0);
  });

  it('P-BASE-15 background timers alone -> the process may end; one in the foreground, however late -> it may not', () => {
    const { hand, clock, note } = setUp();
    const keepsAlive = (): readonly boolean[] => [...hand.set.values()].map(({ background }) => !background);
    clock.after(1000, note('heartbeat'), { background: true });
    expect(keepsAlive()).toEqual([false]);
    const work = clock.after(5000, note('work'));
    expect(keepsAlive()).toEqual([true]);
    work.cancel();
    expect(keepsAlive()).toEqual([false]);
  });

  it('a real timer that comes early -> nothing fires before its time', async () => {
    const { hand, clock, seen, note } = setUp();
    clock.after(1000, note('due'));
    const [early] = hand.set.values();
    hand.elapsed += 16;
    hand.set.clear();
    early?.wake();
    expect(seen).toEqual([]);
    await hand.move(1);
    expect(seen).toEqual(['1000 due']);
  });

  it('a speed of nothing -> refused', () => {
    expect(() => setUp(0)).toThrow(AssertionFailure);
  });
});
