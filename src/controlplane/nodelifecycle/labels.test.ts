import { describe, expect, test } from 'vitest';
import { decideLabels } from './labels.ts';

describe('decideLabels', () => {
  test.each([
    ['both missing      -> nothing', {}, {}],
    ['beta missing      -> added', { 'kubernetes.io/os': 'linux' }, { 'beta.kubernetes.io/os': 'linux' }],
    [
      'they differ       -> the stable one wins',
      { 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' },
      { 'beta.kubernetes.io/arch': 'arm64' },
    ],
    ['they agree        -> nothing', { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }, {}],
    ['only the beta one -> left', { 'beta.kubernetes.io/os': 'linux' }, {}],
  ])('P-NL-2 %s', (_, labels, wanted) => {
    expect(decideLabels(labels)).toEqual(wanted);
  });
});
