import { expect, it } from 'vitest';
import { warningHeaders } from './warning-headers.ts';

it('quotes and backslashes -> escaped', () => {
  expect(warningHeaders(['unknown field "a\\b"'])).toEqual(['299 - "unknown field \\"a\\\\b\\""']);
});
it('the same text twice -> once', () => {
  expect(warningHeaders(['a', 'a'])).toEqual(['299 - "a"']);
});
it('line breaks and other letters -> a legal header', () => {
  expect(warningHeaders(['a\nb ü'])).toEqual([`299 - "a b ${Buffer.from('ü').toString('latin1')}"`]);
});
it('more than a client can take -> each cut short, the rest left out', () => {
  const texts = Array.from({ length: 40 }, (_, index) => String(index).padEnd(300, 'x'));
  const headers = warningHeaders(texts);
  expect(headers).toHaveLength(16);
  expect(headers.every((header) => header.length <= 256 + '299 - ""'.length)).toBe(true);
});
