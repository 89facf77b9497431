import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { ageOf, humanDuration } from './age.ts';

const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

describe('humanDuration', () => {
  it.each([
    [-3 * SECOND_MS, '<invalid>'],
    [-1 * SECOND_MS, '0s'],
    [0, '0s'],
    [119 * SECOND_MS, '119s'],
    [120 * SECOND_MS, '2m'],
    [123 * SECOND_MS, '2m3s'],
    [10 * MINUTE_MS - SECOND_MS, '9m59s'],
    [10 * MINUTE_MS + 30 * SECOND_MS, '10m'],
    [3 * HOUR_MS - SECOND_MS, '179m'],
    [3 * HOUR_MS, '3h'],
    [3 * HOUR_MS + 4 * MINUTE_MS, '3h4m'],
    [8 * HOUR_MS + 59 * MINUTE_MS, '8h'],
    [2 * DAY_MS - 1, '47h'],
    [2 * DAY_MS, '2d'],
    [2 * DAY_MS + 5 * HOUR_MS, '2d5h'],
    [8 * DAY_MS + 5 * HOUR_MS, '8d'],
    [2 * YEAR_MS - 1, '729d'],
    [2 * YEAR_MS, '2y'],
    [2 * YEAR_MS + 3 * DAY_MS, '2y3d'],
    [9 * YEAR_MS + 300 * DAY_MS, '9y'],
  ])('P-TAB-2 %i ms -> %s', (duration, text) => {
    expect(humanDuration(duration)).toBe(text);
  });
});

describe('ageOf', () => {
  const now = Date.UTC(2026, 0, 5, 8);
  it.each([
    ['2026-01-05T07:59:00Z', '60s'],
    ['2026-01-05T07:59:59.500000Z', '0s'],
    ['', '<unknown>'],
    [undefined, '<unknown>'],
    [null, '<unknown>'],
  ])('P-TAB-2 since %s -> %s', (timestamp, text) => {
    expect(ageOf(timestamp, now)).toBe(text);
  });
});
