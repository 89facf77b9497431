import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { AttachmentPoll, type Wait } from './attachment-poll.ts';
import type { Verdict } from './attachment-status.ts';

/** A wait of two minutes for an attachment whose state the test sets. */
function stage(verdict: Verdict = { type: 'wait' }) {
  const clock = new SteppedClock(0);
  const state = { verdict };
  const looks: number[] = [];
  const none = new Map<string, VolumeAttachment>();
  const attachments = { synced: true, get: () => undefined, all: () => none.values(), by: () => none.values() };
  const stop = new AbortController();
  const poll = new AttachmentPoll({ clock, random: new SeededRandom('poll'), attachments, signal: stop.signal });
  const wait: Wait = {
    attachment: 'x',
    timeoutMs: 120_000,
    timedOut: 'too late',
    judge: () => {
      looks.push(clock.now());
      return state.verdict;
    },
  };
  const ended: string[] = [];
  poll.until(wait).then(
    (reason) => ended.push(`done at ${clock.now()} by ${reason?.entry ?? 'nothing'}`),
    (error: unknown) => ended.push(`${error instanceof Error ? error.message : ''} at ${clock.now()}`),
  );
  const set = (next: Verdict, entry = 1): void => {
    state.verdict = next;
    poll.changed('x', { type: 'changed', kind: 'VolumeAttachment', key: 'x', entry });
  };
  return { clock, looks, ended, set, stop };
}

describe('AttachmentPoll', () => {
  it('P-AD-9 done before the first look -> found at 0.5 s and a little', async () => {
    const { clock, looks, ended, set } = stage();
    await clock.advanceTo(100);
    set({ type: 'done' }, 7);
    await clock.advanceTo(600);
    expect(looks).toHaveLength(1);
    expect(looks[0]).toBeGreaterThanOrEqual(500);
    expect(looks[0]).toBeLessThanOrEqual(550);
    expect(ended).toEqual([`done at ${looks[0] ?? 0} by 7`]);
  });

  it('no change -> one look, then nothing until the time is over', async () => {
    const { clock, looks, ended } = stage();
    await clock.advanceTo(119_999);
    expect([looks.length, ended, clock.fired]).toEqual([1, [], 1]);
    await clock.advanceTo(120_000);
    expect(ended).toEqual(['too late at 120000']);
  });

  it('P-AD-9 a late change -> seen at the next look, which lags by five parts in a hundred', async () => {
    const { clock, looks, ended, set } = stage();
    await clock.advanceTo(60_000);
    set({ type: 'done' });
    await clock.advanceTo(65_000);
    expect(looks).toHaveLength(2);
    expect((looks[1] ?? 0) - 60_000).toBeLessThanOrEqual(4000);
    expect(ended).toEqual([`done at ${looks[1] ?? 0} by 1`]);
  });

  it('a change that says an error -> its message', async () => {
    const { clock, ended, set } = stage();
    await clock.advanceTo(2000);
    set({ type: 'failed', message: 'refused' });
    await clock.advanceTo(3000);
    expect(ended).toEqual([expect.stringMatching(/^refused at 2\d\d\d$/)]);
  });

  it('a change after the last look -> too late all the same', async () => {
    const { clock, ended, set } = stage();
    await clock.advanceTo(119_990);
    set({ type: 'done' });
    await clock.advanceTo(121_000);
    expect(ended).toEqual(['too late at 120000']);
  });

  it('stopped while it waits -> ends, with no timer left', async () => {
    const { clock, ended, stop } = stage();
    await clock.advanceTo(1000);
    stop.abort();
    await clock.advanceTo(1001);
    expect([ended, clock.pendingTimers]).toEqual([['the wait was aborted at 1000'], 0]);
  });
});
