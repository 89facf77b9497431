import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../base/random.ts';
import { generatedName, safeEncoded } from './generated-name.ts';
import { goJson, goQuote } from './go-text.ts';
import {
  type NameRule,
  byteLength,
  faultsOfConfigMapKey,
  faultsOfLabelValue,
  faultsOfName,
  faultsOfQualifiedName,
} from './names.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SERVICE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('P-KUBE-6 names', () => {
  test.each<[NameRule, string, readonly string[]]>([
    ['subdomain', 'a.b', []],
    ['subdomain', 'a'.repeat(253), []],
    ['subdomain', 'a'.repeat(254), ['must be no more than 253 characters']],
    ['subdomain', 'Bad_Name', [SUBDOMAIN]],
    ['subdomain', 'a..b', [SUBDOMAIN]],
    ['subdomain', '-a', [SUBDOMAIN]],
    ['subdomain', '', [SUBDOMAIN]],
    ['subdomain', 'a\n', [SUBDOMAIN]],
    ['subdomain', 'A'.repeat(254), ['must be no more than 253 characters', SUBDOMAIN]],
    ['label', 'a-b', []],
    ['label', 'a.b', ['must not contain dots']],
    ['label', 'a_b', [LABEL]],
    ['label', 'a'.repeat(64), ['must be no more than 63 characters']],
    ['service', 'a1', []],
    ['service', '1a', [SERVICE]],
    ['service', 'a'.repeat(64), ['must be no more than 63 characters']],
    ['path-segment', 'System:x', []],
    ['path-segment', 'a/b', ["may not contain '/'"]],
    ['path-segment', 'a/b%', ["may not contain '/'", "may not contain '%'"]],
    ['path-segment', '..', ["may not be '..'"]],
  ])('%s %j -> %j', (rule, name, faults) => {
    expect(faultsOfName(rule, name)).toEqual(faults);
  });

  test.each<[NameRule, string, readonly string[]]>([
    ['subdomain', 'gen-', []],
    ['subdomain', 'a.-', []],
    ['subdomain', 'Gen-', [SUBDOMAIN]],
    ['subdomain', '-', [SUBDOMAIN]],
    ['label', 'a.b-', ['must not contain dots']],
    ['service', 'svc-', []],
    ['path-segment', '..', []],
  ])('%s base %j of a generated name -> %j', (rule, base, faults) => {
    expect(faultsOfName(rule, base, true)).toEqual(faults);
  });

  test.each<[string, readonly string[]]>([
    ['app', []],
    ['example.com/App_1', []],
    ['bad key', [NAME_PART]],
    ['/x', ['prefix part must be non-empty']],
    ['x/', ['name part must be non-empty', NAME_PART]],
    ['', ['name part must be non-empty', NAME_PART]],
    ['X/y', [`prefix part ${SUBDOMAIN}`]],
    [`${'a'.repeat(254)}/y`, ['prefix part must be no more than 253 bytes']],
    ['a'.repeat(64), ['name part must be no more than 63 bytes']],
    [
      'a/b/c',
      [
        `a valid label key ${NAME_PART.slice('name part '.length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])('qualified name %j -> %j', (name, faults) => {
    expect(faultsOfQualifiedName(name)).toEqual(faults);
  });

  test.each<[string, readonly string[]]>([
    ['', []],
    ['A.b_c-1', []],
    ['bad value!', [VALUE]],
    ['-x', [VALUE]],
    ['a'.repeat(64), ['must be no more than 63 bytes']],
  ])('label value %j -> %j', (value, faults) => {
    expect(faultsOfLabelValue(value)).toEqual(faults);
  });

  test.each<[string, readonly string[]]>([
    ['a.b_c-D', []],
    [
      'a b',
      [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    ['..', ["must not be '..'"]],
    ['..a', ["must not start with '..'"]],
    ['a'.repeat(254), ['must be no more than 253 characters']],
  ])('data key %j -> %j', (key, faults) => {
    expect(faultsOfConfigMapKey(key)).toEqual(faults);
  });

  test('length -> counted in bytes', () => {
    expect(['a', 'é', '€', '😀'].map(byteLength)).toEqual([1, 2, 3, 4]);
  });
});

describe('generated names', () => {
  test('a base -> kept up to 58 characters, with five by chance', () => {
    const random = new SeededRandom(1);
    expect(generatedName('gen-', random)).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generatedName('a'.repeat(70), random)).toMatch(/^a{58}.{5}$/);
    expect(generatedName('gen-', random)).not.toBe(generatedName('gen-', random));
  });

  test('a hash -> its digits in the alphabet of generated names', () => {
    expect(safeEncoded('0123456789')).toBe('456789bcdf');
  });
});

describe('texts as Go prints them', () => {
  test.each([
    ['plain é', '"plain é"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\n\t\u0001\u0007\v', '"\\n\\t\\x01\\a\\v"'],
    ['\u00ad\u{e0001}', '"\\u00ad\\U000e0001"'],
  ])('%j -> %s', (text, printed) => {
    expect(goQuote(text)).toBe(printed);
  });

  test('JSON -> without characters that HTML would mind', () => {
    expect(goJson({ a: '<&>' })).toBe('{"a":"\\u003c\\u0026\\u003e"}');
    expect(goJson(undefined)).toBe('null');
  });
});
