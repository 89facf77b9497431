import { describe, expect, test } from 'vitest';
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts';
import { SelectorError } from './label-requirement.ts';

interface Pod {
  readonly name: string;
  readonly node?: string;
}
const getters = { 'metadata.name': (pod: Pod) => pod.name, 'spec.nodeName': (pod: Pod) => pod.node ?? '' };
const pod: Pod = { name: 'a', node: 'n1' };

describe('P-KUBE-4 field selectors', () => {
  test.each([
    ['', true],
    ['spec.nodeName=n1', true],
    ['spec.nodeName==n1', true],
    ['spec.nodeName!=n1', false],
    ['spec.nodeName=', false],
    ['metadata.name=a,spec.nodeName=n1', true],
    ['metadata.name=a,spec.nodeName=n2', false],
    ['metadata.name=a,,', true],
    ['metadata.namespace=x', false],
    ['metadata.namespace=', true],
  ])('%j -> %s', (text, matches) => {
    expect(parseFieldSelector(text).matches(pod, getters)).toBe(matches);
  });

  test('an unset field -> the empty text', () => {
    expect(parseFieldSelector('spec.nodeName=').matches({ name: 'b' }, getters)).toBe(true);
  });

  test.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['x=a=b', 'invalid field selector: unescaped character in value: 61'],
    ['x=\\z', 'invalid field selector: invalid escape sequence: \\z'],
    ['x=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j -> %s', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  test('escaped commas, equals signs and backslashes -> part of the value', () => {
    const text = `metadata.name=${escapeFieldValue('a,b=c\\d')}`;
    const matcher = parseFieldSelector(text);
    expect(matcher.terms).toEqual([{ field: 'metadata.name', operator: '=', value: 'a,b=c\\d' }]);
    expect(String(matcher)).toBe(text);
  });

  test('terms -> sorted, a bare equals sign dropped', () => {
    expect(String(parseFieldSelector('b!=1,=,a==2'))).toBe('a=2,b!=1');
    expect(parseFieldSelector('=').isEmpty).toBe(true);
  });

  test('exactValueOf -> the value a term demands', () => {
    const matcher = parseFieldSelector('metadata.name=a,spec.nodeName!=n');
    expect(matcher.exactValueOf('metadata.name')).toBe('a');
    expect(matcher.exactValueOf('spec.nodeName')).toBeUndefined();
  });
});
