import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { Aborted } from '../base/clock.ts';
import { supervise } from './supervise.ts';
import { testContext } from '../../test/runtime/test-context.ts';

async function superviseFailure(error: Error) {
  const { clock, log, lines } = testContext();
  supervise('worker', Promise.reject(error), log);
  await clock.advanceTo(clock.now());
  return lines;
}

describe('supervise', () => {
  it('P-RT-6 a failure -> logged as an error, with the error itself', async () => {
    const bug = new AssertionFailure('two and two are four');
    expect(await superviseFailure(bug)).toEqual([
      { level: 'error', message: 'worker failed: two and two are four', fields: { error: bug, ended: true } },
    ]);
  });

  it('the end of a wait by its signal -> says nothing', async () => {
    expect(await superviseFailure(new Aborted())).toEqual([]);
  });
});
