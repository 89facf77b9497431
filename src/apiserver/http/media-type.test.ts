import { describe, expect, it } from 'vitest';
import { MEDIA_TYPES, negotiate, requireRouteAccepts, wantsPretty } from './media-type.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const asked = (accept: string) => negotiate({ accept, isPretty: false, isStream: false, mayConvert: true });

describe('negotiate', () => {
  it.each([
    ['', 'application/json', undefined],
    ['*/*', 'application/json', undefined],
    ['application/yaml', 'application/yaml', undefined],
    ['application/json;q=0.1,application/yaml;q=0.9', 'application/yaml', undefined],
    ['text/html, */*;q=0.1', 'application/json', undefined],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/json', undefined],
    [TABLE, 'application/json', 'Table'],
    [`${TABLE},application/json`, 'application/json', 'Table'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'application/json', undefined],
    ['application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io', 'application/json', 'PartialObjectMetadata'],
  ])('Accept: %s -> %s as %s', (accept, mediaType, kind) => {
    const form = asked(accept);
    expect([form.mediaType, form.as?.kind]).toEqual([mediaType, kind]);
  });

  it.each(['text/csv', 'application/json;as=Grid;v=v1;g=meta.k8s.io', 'application/vnd.kubernetes.protobuf'])(
    'Accept: %s -> NotAcceptable',
    (accept) => {
      expect(() => asked(accept)).toThrow('only the following media types are accepted');
    },
  );

  it('P-HTTP-19 a table of what is only posted -> the next form, or NotAcceptable', () => {
    const posted = { isPretty: false, isStream: false, mayConvert: true, hasTable: false };
    expect(negotiate({ ...posted, accept: `${TABLE},application/yaml` }).mediaType).toBe('application/yaml');
    expect(() => negotiate({ ...posted, accept: TABLE })).toThrow('only the following media types are accepted');
  });

  it('a watch in YAML -> NotAcceptable', () => {
    const yaml = { accept: 'application/yaml', isPretty: false, isStream: true, mayConvert: true };
    expect(() => negotiate(yaml)).toThrow('application/json;stream=watch');
  });
});

describe('requireRouteAccepts', () => {
  it.each(['application/*', 'text/csv', ''])('Accept: %s -> refused by the route', (accept) => {
    expect(() => requireRouteAccepts(accept, MEDIA_TYPES)).toThrow('406: Not Acceptable');
  });
  it.each(['*/*', 'text/csv, */*', 'application/yaml;q=0'])('Accept: %s -> passes the route', (accept) => {
    expect(() => requireRouteAccepts(accept, MEDIA_TYPES)).not.toThrow();
  });
});

describe('wantsPretty', () => {
  it.each([
    ['pretty=true', '', true],
    ['pretty=false', 'curl/8', false],
    ['', 'curl/8.1', true],
    ['', 'Mozilla/5.0 (X11)', true],
    ['', 'kubectl/v1.36', false],
    ['pretty=maybe', 'curl/8', false],
  ])('?%s by %s -> %s', (query, userAgent, isPretty) => {
    expect(wantsPretty(new URLSearchParams(query), userAgent)).toBe(isPretty);
  });
});
