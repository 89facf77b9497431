import { describe, expect, it } from 'vitest';
import { microTimestamp, timestamp } from './clock.ts';

describe('timestamps', () => {
  it('an instant -> RFC 3339 in seconds, cut off, and in microseconds', () => {
    const at = Date.UTC(2026, 7, 3, 4, 5, 6, 789);
    expect(timestamp(at)).toBe('2026-08-03T04:05:06Z');
    expect(microTimestamp(at)).toBe('2026-08-03T04:05:06.789000Z');
  });
});
