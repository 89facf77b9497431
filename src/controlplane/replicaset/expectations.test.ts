import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../base/clock.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { Expectations } from './expectations.ts';

const started = () => {
  const clock = new SteppedClock(0);
  return { clock, expectations: new Expectations(clock) };
};

describe('P-RS-2 Expectations', () => {
  it('none -> met', () => {
    expect(started().expectations.areMet('a')).toBe(true);
  });

  it('two creations -> met when two were observed, and not before', () => {
    const { expectations } = started();
    expectations.expectCreations('a', 2);
    expectations.creationObserved('a');
    expectations.creationObserved('b');
    expect(expectations.areMet('a')).toBe(false);
    expectations.creationObserved('a');
    expect(expectations.areMet('a')).toBe(true);
  });

  it('a deletion is seen twice -> it counts once', () => {
    const { expectations } = started();
    expectations.expectDeletions('a', ['x', 'y']);
    expectations.deletionObserved('a', 'x');
    expectations.deletionObserved('a', 'x');
    expectations.deletionObserved('a', 'other');
    expect(expectations.areMet('a')).toBe(false);
    expectations.deletionObserved('a', 'y');
    expect(expectations.areMet('a')).toBe(true);
  });

  it('P-RS-8 older than five minutes -> they count no more, but are still open', async () => {
    const { clock, expectations } = started();
    expectations.expectCreations('a', 1);
    await clock.advanceTo(5 * MINUTE_MS);
    expect(expectations.areMet('a')).toBe(false);
    await clock.advanceTo(5 * MINUTE_MS + 1);
    expect([expectations.areMet('a'), expectations.areOpen('a')]).toEqual([true, true]);
  });

  it('forgotten, or expected anew -> what was before does not count', () => {
    const { expectations } = started();
    expectations.expectDeletions('a', ['x']);
    expectations.expectCreations('a', 1);
    expectations.creationObserved('a');
    expect(expectations.areMet('a')).toBe(true);
    expectations.expectCreations('a', 1);
    expectations.forget('a');
    expect([expectations.areMet('a'), expectations.areOpen('a')]).toEqual([true, false]);
  });
});
