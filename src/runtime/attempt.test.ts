import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { conflict } from '../kube/api-error.ts';
import { attempt } from './attempt.ts';
import { Widgets } from '../../test/runtime/test-context.ts';

class DriverError extends Error {
  readonly code = 'UNAVAILABLE';
}
const isDriverError = (error: unknown): error is DriverError => error instanceof DriverError;

describe('attempt', () => {
  it('success -> the value', async () => {
    expect(await attempt(() => Promise.resolve(7))).toEqual({ failed: false, value: 7 });
  });

  it('an ApiError -> a value with its reason', async () => {
    const result = await attempt(() => Promise.reject(conflict(Widgets, 'a')));
    expect(result.failed && result.error.reason).toBe('Conflict');
  });

  it('an error of the named family -> a value with its code', async () => {
    const result = await attempt(() => Promise.reject(new DriverError()), isDriverError);
    expect(result.failed && result.error.code).toBe('UNAVAILABLE');
  });

  it('a bug -> thrown on', async () => {
    await expect(attempt(() => Promise.reject(new AssertionFailure('no')))).rejects.toBeInstanceOf(AssertionFailure);
    await expect(attempt(() => Promise.reject(conflict(Widgets, 'a')), isDriverError)).rejects.toThrow(/modified/);
  });
});
