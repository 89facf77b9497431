import { describe, expect, it } from 'vitest';
import { MalformedBody, readBody } from './request-body.ts';

const read = (text: string, type: string) => readBody(Buffer.from(text), type, undefined);

describe('readBody', () => {
  it.each(['application/json', 'application/json; charset=utf-8', ''])('JSON as "%s" -> its value', (type) => {
    expect(read('{"a":[1,null]}', type).value).toEqual({ a: [1, null] });
  });

  it('YAML -> words of 1.1 are read, dates and quoted words stay texts', () => {
    const { value } = read('a: yes\nb: "yes"\nc: 2021-01-02\nd: 0777\n', 'application/yaml');
    expect(value).toEqual({ a: true, b: 'yes', c: '2021-01-02', d: 511 });
  });

  it.each([
    ['application/json', '{"a":{"b":1,"b":2},"a":1}', ['a.b', 'a']],
    ['application/yaml', 'a: {b: 1, b: 2}\nc: [{d: 1, d: 2}]\n', ['a.b', 'c[0].d']],
  ])('%s with fields that stand twice -> their paths', (type, text, duplicates) => {
    expect(read(text, type).duplicates).toEqual(duplicates);
  });

  it('YAML with fields that stand twice -> their lines, as its decoder says it', () => {
    const { lines } = read('a:\n  b: 1\n  b:\n    c: 2\nd: 1\nd:\n', 'application/yaml');
    expect(lines).toEqual(['line 4: key "b" already set in map', 'line 6: key "d" already set in map']);
  });

  it.each([
    ['application/json', '{"a"', 'unexpected end of JSON input'],
    ['application/json', '', 'unexpected end of JSON input'],
    ['application/json', 'x', "invalid character 'x' looking for beginning of value"],
    ['application/yaml', 'a: [', 'yaml: '],
  ])('%s that is none: %s -> %s', (type, text, says) => {
    expect(() => read(text, type)).toThrow(MalformedBody);
    expect(() => read(text, type)).toThrow(says);
  });

  it.each(['text/plain', 'application/vnd.kubernetes.protobuf'])(
    '%s without a reader -> UnsupportedMediaType',
    (type) => {
      expect(() => read('{}', type)).toThrow('the body of the request was in an unknown format');
    },
  );

  it.each([
    ['JSON', 'application/json', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['YAML', 'application/yaml', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['YAML with aliases of aliases', 'application/yaml', '*nobody'],
  ])('P-HTTP-17 %s without a sensible end -> malformed, and the reader lives', (_what, type, text) => {
    expect(() => readBody(Buffer.from(text), type, undefined)).toThrow(MalformedBody);
  });

  it('P-HTTP-17 brackets in texts -> no depth', () => {
    const text = JSON.stringify({ a: `\\"${'['.repeat(5000)}` });
    expect(readBody(Buffer.from(text), 'application/json', undefined).value).toEqual(JSON.parse(text));
  });
});
