import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../test/workloads/makers.ts';
import { contentHash } from '../../kube/content-hash.ts';
import { isSameTemplate, replicaSetName } from './template-hash.ts';

const { template } = aDeployment().spec;
const other = { ...template, spec: { ...template.spec, nodeName: 'n1' } };
const hashed = { ...template, metadata: { labels: { ...template.metadata.labels, 'pod-template-hash': 'abc' } } };

describe('P-DEP-1 contentHash', () => {
  it('a template -> letters and digits of generated names, the same for any order of fields', () => {
    const turned = { spec: template.spec, metadata: template.metadata };
    expect(contentHash(template, undefined)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(contentHash(turned, undefined)).toBe(contentHash(template, undefined));
  });

  it('another template, or another collision count -> another hash', () => {
    const hashes = [
      contentHash(template, undefined),
      contentHash(other, undefined),
      contentHash(template, 0),
      contentHash(template, 1),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('a long name of a Deployment -> cut', () => {
    expect(replicaSetName('web', 'abc')).toBe('web-abc');
    expect(replicaSetName('w'.repeat(253), 'abc')).toBe(`${'w'.repeat(249)}-abc`);
  });
});

describe('P-DEP-1 isSameTemplate', () => {
  it.each([
    ['the hash label apart            -> same', hashed, true],
    [
      'an empty list, a null           -> same',
      { ...template, spec: { ...template.spec, volumes: [], tolerations: null } },
      true,
    ],
    ['another field                   -> another', other, false],
    [
      'a label more                    -> another',
      { ...template, metadata: { labels: { app: 'web', tier: 'x' } } },
      false,
    ],
    ['a container less                -> another', { ...template, spec: { containers: [] } }, false],
    [
      'an empty object is something    -> another',
      { ...template, spec: { ...template.spec, securityContext: {} } },
      false,
    ],
  ])('%s', (_situation, candidate, expected) => {
    expect(isSameTemplate(template, candidate as typeof template)).toBe(expected);
  });
});
