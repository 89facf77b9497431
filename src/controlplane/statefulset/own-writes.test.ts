import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { OwnWrites } from './own-writes.ts';

function started() {
  const clock = new SteppedClock(0);
  const woken: string[] = [];
  return { clock, woken, writes: new OwnWrites(clock, (owner) => woken.push(owner)) };
}

describe('P-STS-11 OwnWrites', () => {
  it('nothing written -> go on', () => {
    expect(started().writes.mayGoOn('a')).toBe(true);
  });

  it('a write that is not told -> held; told -> woken once, and free', () => {
    const { writes, woken } = started();
    writes.told('Pod', '9');
    writes.wrote('a', 'Pod', '10');
    expect([writes.mayGoOn('a'), writes.mayGoOn('a'), writes.mayGoOn('b')]).toEqual([false, false, true]);
    writes.told('Pod', '9');
    writes.told('Claim', '99');
    expect(woken).toEqual([]);
    writes.told('Pod', '11');
    expect(woken).toEqual(['a']);
    expect(writes.mayGoOn('a')).toBe(true);
  });

  it('told before the answer came -> never held', () => {
    const { writes } = started();
    writes.told('Pod', '10');
    writes.wrote('a', 'Pod', '10');
    expect(writes.mayGoOn('a')).toBe(true);
  });

  it('writes of two kinds -> held until both are told; the newest of a kind counts', () => {
    const { writes, woken } = started();
    writes.wrote('a', 'Pod', '12');
    writes.wrote('a', 'Pod', '10');
    writes.wrote('a', 'Claim', '11');
    expect(writes.mayGoOn('a')).toBe(false);
    writes.told('Claim', '11');
    writes.told('Pod', '11');
    expect(woken).toEqual([]);
    writes.told('Pod', '12');
    expect(woken).toEqual(['a']);
  });

  it('not held -> not woken', () => {
    const { writes, woken } = started();
    writes.wrote('a', 'Pod', '10');
    writes.told('Pod', '10');
    expect(woken).toEqual([]);
  });

  it('never told -> goes on after ten seconds', async () => {
    const { clock, writes, woken } = started();
    writes.wrote('a', 'Pod', '10');
    writes.mayGoOn('a');
    await clock.advanceTo(10 * SECOND_MS - 1);
    expect(woken).toEqual([]);
    await clock.advanceTo(10 * SECOND_MS);
    expect(woken).toEqual(['a']);
    expect(writes.mayGoOn('a')).toBe(true);
  });

  it('forgotten, or at the end of the component -> nobody is woken', async () => {
    const { clock, writes, woken } = started();
    for (const owner of ['a', 'b']) {
      writes.wrote(owner, 'Pod', '10');
      writes.mayGoOn(owner);
    }
    writes.forget('a');
    writes.dispose();
    await clock.advanceTo(20 * SECOND_MS);
    expect(woken).toEqual([]);
    expect(writes.mayGoOn('a')).toBe(true);
  });
});
