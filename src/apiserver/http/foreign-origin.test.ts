import { describe, expect, it } from 'vitest';
import { refuseForeignOrigin } from './foreign-origin.ts';

const NAMES = new Set(['localhost']);

describe('refuseForeignOrigin', () => {
  it.each([
    ['localhost:6443', ''],
    ['127.0.0.1:6443', ''],
    ['[::1]:6443', ''],
    ['', ''],
    ['localhost:6443', 'https://localhost:6443'],
  ])('P-HTTP-6 called %s from "%s" -> fine', (host, origin) => {
    expect(() => refuseForeignOrigin(host, origin, NAMES)).not.toThrow();
  });
  it.each([
    ['evil.example.com:6443', ''],
    ['localhost:6443', 'https://evil.example.com'],
    ['localhost:6443', 'http://localhost:8080'],
    ['localhost:6443', 'null'],
  ])('P-HTTP-6 called %s from "%s" -> Forbidden', (host, origin) => {
    expect(() => refuseForeignOrigin(host, origin, NAMES)).toThrow('forbidden');
  });
});
