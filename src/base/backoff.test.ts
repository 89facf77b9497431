import { describe, expect, it } from 'vitest';
import { KeyedBackoff, backoffAfter } from './backoff.ts';
import { SECOND_MS } from './clock.ts';

const limits = { initialMs: 500, factor: 2, maxMs: 3 * SECOND_MS };

describe('backoffAfter', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [4, 3000],
    [5000, 3000],
  ])('P-BASE-10 %d failures in a row -> %d ms', (failures, expected) => {
    expect(backoffAfter(failures, limits)).toBe(expected);
  });
});

describe('KeyedBackoff', () => {
  it('P-BASE-10 failures of two keys -> counted apart, forgotten apart', () => {
    const backoff = new KeyedBackoff<string>(limits);
    expect([backoff.failed('a'), backoff.failed('a'), backoff.failed('b')]).toEqual([500, 1000, 500]);
    backoff.forget('a');
    expect([backoff.failures('a'), backoff.failures('b')]).toEqual([0, 1]);
    expect([backoff.failed('a'), backoff.failed('b')]).toEqual([500, 1000]);
  });
});
