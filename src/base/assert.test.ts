import { describe, expect, it } from 'vitest';
import { AssertionFailure, assert, unreachable } from './assert.ts';

describe('assert', () => {
  it('what does not hold -> AssertionFailure with the fact', () => {
    assert(true, 'fine');
    expect(() => assert(false, 'a bound volume has a claim')).toThrow(
      new AssertionFailure('a bound volume has a claim'),
    );
  });

  it('a case nobody knows -> AssertionFailure that shows it', () => {
    const strange: unknown = { type: 'new' };
    expect(() => unreachable(strange as never)).toThrow('not a known case: {"type":"new"}');
  });
});
