import { describe, expect, it } from 'vitest';
import { Aborted, HOUR_MS, MINUTE_MS, SECOND_MS, SETTLED } from './clock.ts';
import { SteppedClock } from './virtual-clock.ts';

const START = Date.UTC(2026, 0, 1);

/** Ends after the turn of the event loop that a clock takes before its first instant. */
const nextTurn = (): Promise<void> => new SteppedClock(START).advanceTo(START);

function setUp() {
  const clock = new SteppedClock(START);
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(`${clock.monotonic()} ${what}`);
  return { clock, seen, note };
}

describe('SteppedClock', () => {
  it('P-BASE-1 timers -> fire by time, those of one instant in the order they were set', async () => {
    const { clock, seen, note } = setUp();
    clock.after(20, note('late'));
    clock.after(10, note('first'));
    clock.after(10, note('second'));
    await clock.advanceTo(START + 10);
    expect(seen).toEqual(['10 first', '10 second']);
    expect(clock.now()).toBe(START + 10);
    await clock.advanceTo(START + 50);
    expect(seen).toEqual(['10 first', '10 second', '20 late']);
    expect([clock.now(), clock.monotonic()]).toEqual([START + 50, 50]);
  });

  it('P-BASE-1 a timer set for the instant it is -> the next round, after all promises of this one', async () => {
    const { clock, seen, note } = setUp();
    clock.after(10, () => {
      note('timer')();
      clock.after(0, note('next round'));
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(note('promise'));
    });
    clock.after(10, note('same round'));
    await clock.advanceTo(START + 10);
    expect(seen).toEqual(['10 timer', '10 same round', '10 promise', '10 next round']);
  });

  it('P-BASE-2 whatever runnable at the start -> settled before time moves', async () => {
    const { clock, seen, note } = setUp();
    clock.after(5, note('timer'));
    void Promise.resolve().then(() => clock.after(3, note('set by a promise')));
    await clock.advanceTo(START + 5);
    expect(seen).toEqual(['3 set by a promise', '5 timer']);
  });

  it('P-BASE-3 background timers alone -> quiet; one in the foreground -> they fire on the way to it', async () => {
    const { clock, seen, note } = setUp();
    clock.after(10, note('heartbeat'), { background: true });
    expect(await clock.advanceUntilQuiet(HOUR_MS)).toBe('quiet');
    expect(seen).toEqual([]);
    clock.after(20, note('work'));
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([2, 1]);
    expect(await clock.advanceUntilQuiet(HOUR_MS)).toBe('quiet');
    expect(seen).toEqual(['10 heartbeat', '20 work']);
    expect(clock.fired).toBe(2);
  });

  it('P-BASE-3 work beyond the limit -> limit, time stands at it, the timer is kept', async () => {
    const { clock, seen, note } = setUp();
    clock.after(MINUTE_MS, note('work'));
    expect(await clock.advanceUntilQuiet(SECOND_MS)).toBe('limit');
    expect(clock.monotonic()).toBe(SECOND_MS);
    expect(await clock.advanceUntilQuiet(HOUR_MS)).toBe('quiet');
    expect(seen).toEqual(['60000 work']);
  });

  it('P-BASE-4 cancelled timers -> never fire, before, within and after their instant', async () => {
    const { clock, seen, note } = setUp();
    const first = clock.after(10, note('cancelled before'));
    const third = clock.after(20, note('fires'));
    clock.after(30, () => fourth.cancel());
    const fourth = clock.after(30, note('cancelled by its neighbour'));
    expect(first.due).toBe(START + 10);
    first.cancel();
    await clock.advanceTo(START + 40);
    third.cancel();
    expect(seen).toEqual(['20 fires']);
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([0, 0]);
  });

  it('P-BASE-4 a sleep whose signal fires -> Aborted at once, without a timer left', async () => {
    const { clock } = setUp();
    const stop = new AbortController();
    const asleep = clock.sleep(MINUTE_MS, stop.signal);
    stop.abort();
    await expect(asleep).rejects.toBeInstanceOf(Aborted);
    await expect(clock.sleep(MINUTE_MS, stop.signal)).rejects.toBeInstanceOf(Aborted);
    expect(clock.pendingTimers).toBe(0);
  });

  it('P-BASE-4 a sleep in the background -> does not keep the world from being quiet', async () => {
    const { clock } = setUp();
    const asleep = clock.sleep(MINUTE_MS, undefined, { background: true });
    expect(await clock.advanceUntilQuiet(HOUR_MS)).toBe('quiet');
    await clock.advanceTo(START + MINUTE_MS);
    await asleep;
  });

  it('P-BASE-1 single steps -> one instant each, then the deadline', async () => {
    const { clock, seen, note } = setUp();
    clock.after(10, note('one'));
    clock.after(20, note('two'));
    const times: number[] = [];
    for (let count = 0; count < 3; count++) {
      await clock.step(START + 30);
      times.push(clock.monotonic());
    }
    expect(seen).toEqual(['10 one', '20 two']);
    expect(times).toEqual([10, 20, 30]);
  });

  it('P-BASE-5 timers that wake each other without end at one instant -> an error that names it', async () => {
    const { clock } = setUp();
    const again = (): void => void clock.after(0, again);
    clock.after(10, again);
    await expect(clock.advanceTo(START + 20)).rejects.toThrow('time stands still');
  });

  it('P-BASE-6 a timer that throws -> the run stops with its error', async () => {
    const { clock } = setUp();
    clock.after(10, () => {
      throw new Error('broken invariant');
    });
    await expect(clock.advanceTo(START + 20)).rejects.toThrow('broken invariant');
  });

  it('a delay with a fraction or below zero -> never early, never in the past', async () => {
    const { clock, seen, note } = setUp();
    clock.after(0.2, note('fraction'));
    clock.after(-5, note('past'));
    await clock.advanceTo(START + 5);
    expect(seen).toEqual(['0 past', '1 fraction']);
  });

  it('P-BASE-1 timers that leave no promise -> fire in order, and no turn of the event loop passes', async () => {
    const { clock, seen, note } = setUp();
    for (let ms = 1; ms <= 100; ms++)
      clock.after(ms, () => {
        note('settled')();
        return SETTLED;
      });
    const played = clock.advanceTo(START + 100);
    await nextTurn();
    await nextTurn();
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => `${index + 1} settled`));
    await played;
  });

  it('P-BASE-1 one timer of an instant leaves a promise -> it is settled before the next instant', async () => {
    const { clock, seen, note } = setUp();
    const settled = (what: string) => (): unknown => {
      note(what)();
      return SETTLED;
    };
    clock.after(1, settled('first'));
    clock.after(1, () => void Promise.resolve().then(() => Promise.resolve().then(note('promised'))));
    clock.after(1, settled('last'));
    clock.after(2, settled('next'));
    await clock.advanceTo(START + 2);
    expect(seen).toEqual(['1 first', '1 last', '1 promised', '2 next']);
  });
});
