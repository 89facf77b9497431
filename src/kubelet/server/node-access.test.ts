import { describe, expect, test } from 'vitest';
import { nodeAccessOf } from './node-access.ts';

const rows: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['GET', '/stats/summary', 'get', ['stats']],
  ['GET', '/metrics', 'get', ['metrics']],
  ['GET', '/metrics/resource', 'get', ['metrics']],
  ['GET', '/metricsx', 'get', ['proxy']],
  ['GET', '/pods', 'get', ['pods', 'proxy']],
  ['GET', '/runningpods/', 'get', ['pods', 'proxy']],
  ['GET', '/healthz', 'get', ['healthz', 'proxy']],
  ['GET', '/logs/', 'get', ['log']],
  ['GET', '/containerLogs/a/b/c', 'get', ['proxy']],
  ['POST', '/exec/a/b/c', 'create', ['proxy']],
  ['GET', '/exec/a/b/c', 'get', ['proxy']],
];

describe('what a request to a node asks for', () => {
  test.each(rows)('P-KL-15 %s %s -> %s on any of %j', (method, path, verb, subresources) => {
    expect(nodeAccessOf(method, path)).toEqual({ verb, subresources });
  });
});
