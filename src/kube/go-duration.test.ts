import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './go-duration.ts';

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [15_000, '15s'],
    [122_000, '2m2s'],
    [3_600_000, '1h0m0s'],
    [1500, '1.5s'],
    [100, '100ms'],
    [0.5, '500µs'],
    [0.000001, '1ns'],
    [0.0015, '1.5µs'],
    [90_061_001, '25h1m1.001s'],
    [-60_000, '-1m0s'],
  ])('%d ms -> %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
    expect(parseDuration(text)).toBe(durationMs);
  });
});

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['+5s', 5000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['1m30', undefined],
    ['', undefined],
    ['-', undefined],
    ['5', undefined],
    ['5 s', undefined],
    ['1d', undefined],
    ['s', undefined],
    ['1toString', undefined],
  ])('%j -> %s', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });
});
