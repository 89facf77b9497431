import { describe, expect, it } from 'vitest';
import { GoJsonError, readGoJson } from './go-json.ts';

function faultOf(text: string): string | undefined {
  try {
    readGoJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof GoJsonError) return error.message;
    throw error;
  }
}

describe('readGoJson', () => {
  it('P-KUBE-12 values -> as they were written', () => {
    expect(readGoJson(' [null, true, -1.50e3, {"a": "\\u00e9\\n", "a": []}, {}] ')).toEqual({
      type: 'array',
      items: [
        { type: 'null' },
        { type: 'bool' },
        { type: 'number', text: '-1.50e3' },
        {
          type: 'object',
          members: [
            { key: 'a', value: { type: 'string', text: 'é\n' } },
            { key: 'a', value: { type: 'array', items: [] } },
          ],
          key: 'a',
        },
        { type: 'object', members: [], key: '' },
      ],
    });
  });

  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['[1', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"a":1,', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[01]', "invalid character '1' after array element"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['[] é', "invalid character 'Ã' after top-level value"],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['[fals]', "invalid character ']' in literal false (expecting 'e')"],
    ['[-]', "invalid character ']' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['[1e]', "invalid character ']' in exponent of numeric literal"],
    ['["\\q"]', "invalid character 'q' in string escape code"],
    ['["\\u12x4"]', "invalid character 'x' in \\u hexadecimal character escape"],
    ['["\n"]', "invalid character '\\n' in string literal"],
    ['['.repeat(10_001), 'exceeded max depth'],
  ])('P-KUBE-12 %j -> %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });
});
