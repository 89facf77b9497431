import { describe, expect, test } from 'vitest';
import { SelectorError } from './label-requirement.ts';
import { LabelMatcher, labelMatcherOf, parseLabelSelector, validateLabelSelector } from './label-selector.ts';

const LABELS = { a: '1', b: '2', in: 'x', n: '5', empty: '' };

describe('P-KUBE-4 the text form of a label selector', () => {
  test.each([
    ['', true],
    ['a=1', true],
    ['a==1', true],
    ['a=2', false],
    ['a!=1', false],
    ['a!=2', true],
    ['c!=1', true],
    ['a in (1,2)', true],
    ['a in (2,3)', false],
    ['c in (1)', false],
    ['a notin (2)', true],
    ['a notin (1)', false],
    ['c notin (1)', true],
    ['a', true],
    ['c', false],
    ['!c', true],
    ['!a', false],
    ['a,b', true],
    ['a=1,b=3', false],
    ['a notin (2),!z', true],
    ['empty=', true],
    ['a=', false],
    ['empty in ()', true],
    ['empty in (,x)', true],
    ['in in (x)', true],
    ['n>4', true],
    ['n>5', false],
    ['n<6', true],
    ['a>x1', undefined],
    ['b<3,b>1', true],
    ['in<3', false],
    [' a  =  1 , b ', true],
  ])('%j -> %s', (text, matches) => {
    if (matches === undefined) expect(() => parseLabelSelector(text)).toThrow(SelectorError);
    else expect(parseLabelSelector(text).matches(LABELS)).toBe(matches);
  });

  test.each([
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b c', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b,=', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a,', "found '', expected: identifier after ','"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a=_',
      `unable to parse requirement: values[0][a]: Invalid value: "_": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    ['/a=1', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ])('%j -> %s', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
  });

  test.each([
    ['b,a=1', 'a=1,b'],
    ['a notin (z,y)', 'a notin (y,z)'],
    ['!a,b>3,c<4,d!=e,f==g', '!a,b>3,c<4,d!=e,f==g'],
    ['a in (b,b)', 'a in (b)'],
  ])('%j -> printed %s', (text, printed) => {
    expect(String(parseLabelSelector(text))).toBe(printed);
    expect(String(parseLabelSelector(printed))).toBe(printed);
  });

  test('a label named like a method -> absent unless set', () => {
    expect(parseLabelSelector('toString').matches({})).toBe(false);
    expect(parseLabelSelector('!toString').matches(undefined)).toBe(true);
  });
});

describe('the object form of a label selector', () => {
  test('absent -> nothing; empty -> everything', () => {
    expect(labelMatcherOf(undefined).matches(LABELS)).toBe(false);
    expect(labelMatcherOf(undefined).isEmpty).toBe(false);
    expect(labelMatcherOf({}).matches(LABELS)).toBe(true);
    expect(labelMatcherOf({}).isEmpty).toBe(true);
    expect(new LabelMatcher([]).isEmpty).toBe(true);
  });

  test.each([
    [{ matchLabels: { a: '1' } }, true, 'a=1'],
    [{ matchLabels: { a: '1', b: '1' } }, false, 'a=1,b=1'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '0'] }] }, true, 'a in (0,1)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false, 'a notin (1)'],
    [{ matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }] }, true, '!c'],
    [{ matchLabels: { b: '2' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, true, 'a,b=2'],
  ])('%j -> %s, printed %s', (selector, matches, printed) => {
    const matcher = labelMatcherOf(selector);
    expect(matcher.matches(LABELS)).toBe(matches);
    expect(String(matcher)).toBe(printed);
  });

  test('an operator that is none -> SelectorError', () => {
    expect(() => labelMatcherOf({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] })).toThrow(
      new SelectorError('"Gt" is not a valid label selector operator'),
    );
    expect(() => labelMatcherOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      new SelectorError(`values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`),
    );
  });

  test.each([
    [undefined, []],
    [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, []],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      ["s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
      ["s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      { matchExpressions: [{ key: '/a', operator: 'Like' }] },
      [
        's.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        's.matchExpressions[0].key: Invalid value: "/a": prefix part must be non-empty',
      ],
    ],
  ])('validation of %j -> %j', (selector, errors) => {
    expect(validateLabelSelector(selector, 's').map(({ field, text }) => `${field}: ${text}`)).toEqual(errors);
  });
});
