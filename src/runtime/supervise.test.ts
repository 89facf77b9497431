import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { Aborted } from '../base/clock.ts';
import { supervise } from './supervise.ts';
import { testContext } from './test-context.ts';

/** Fails a supervised promise and tells what was logged and what was left unhandled. */
function superviseFailure(error: Error) {
  const { log, lines } = testContext();
  let unhandled: unknown;
  const promise = Object.assign(Promise.resolve(), {
    catch: (handle: (error: Error) => void) => {
      try {
        handle(error);
      } catch (left) {
        unhandled = left;
      }
      return Promise.resolve();
    },
  });
  supervise('worker', promise, log);
  return { logged: lines.map((line) => `${line.level} ${line.message}`), unhandled };
}

describe('supervise', () => {
  it('P-RT-6 a failure -> logged as an error', () => {
    const failed = superviseFailure(new Error('broken'));
    expect(failed).toEqual({ logged: ['error worker failed: broken'], unhandled: undefined });
  });

  it('P-RT-6 a bug -> logged, and left unhandled for the host of the run', () => {
    const bug = new AssertionFailure('two and two are four');
    expect(superviseFailure(bug)).toEqual({ logged: ['error worker failed: two and two are four'], unhandled: bug });
  });

  it('the end of a wait by its signal -> says nothing', () => {
    expect(superviseFailure(new Aborted())).toEqual({ logged: [], unhandled: undefined });
  });
});
