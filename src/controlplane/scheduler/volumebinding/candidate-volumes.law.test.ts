import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMatchingVolume } from '../../../volume/claim-matching.ts';
import { aClaim, aVolume } from '../../../volume/makers.ts';
import { aNode } from '../../../../test/scheduler/makers.ts';
import { CandidateVolumes } from './candidate-volumes.ts';

const requirement = fc.record({
  key: fc.constantFrom('kubernetes.io/hostname', 'zone'),
  operator: fc.constantFrom('In', 'NotIn', 'Exists'),
  values: fc.array(fc.constantFrom('n1', 'n2', 'a'), { minLength: 1, maxLength: 2 }),
});
const term = fc.record({ matchExpressions: fc.array(requirement, { maxLength: 2 }) });
const volume = fc.record({
  size: fc.constantFrom('1Gi', '2Gi', '3Gi'),
  claim: fc.option(fc.constantFrom('c', 'c/u', 'other/x'), { nil: undefined, freq: 3 }),
  terms: fc.option(fc.array(term, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  phase: fc.constantFrom('Available', 'Bound'),
});

describe('P-SCH-5 CandidateVolumes', () => {
  it('volumes of any affinity -> the same match on every node as looking at all of them', () => {
    fc.assert(
      fc.property(fc.array(volume, { maxLength: 8 }), fc.constantFrom('n1', 'n2'), (parts, node) => {
        const volumes = parts.map(({ size, claim, terms, phase }, index) =>
          aVolume({
            name: `v${index}`,
            size,
            phase,
            className: 'wait',
            ...(claim === undefined ? {} : { claim }),
            spec: {
              local: { path: '/x' },
              ...(terms === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
            },
          }),
        );
        const claim = aClaim({ className: 'wait', size: '2Gi' });
        const options = { node: aNode({ name: node, labels: { zone: 'a' } }), delayBinding: true };
        const candidates = new CandidateVolumes(claim, volumes).on(options.node);
        expect(findMatchingVolume(claim, candidates, options)).toBe(findMatchingVolume(claim, volumes, options));
      }),
    );
  });
});
