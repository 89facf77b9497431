import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assert } from '../../base/assert.ts';
import type { StringMap } from '../../csi/driver.ts';
import { decideTopology } from './topology-requirement.ts';
import { compareTerms, isSubset, sortedTerms } from './topology-term.ts';

const labels = fc.record(
  { zone: fc.constantFrom('a', 'b', 'c'), rack: fc.constantFrom('1', '2') },
  { requiredKeys: ['zone'] },
);
const nodes = fc.array(labels, { minLength: 1, maxLength: 8 });

const showed = (list: readonly { readonly segments: StringMap }[]): readonly string[] =>
  list.map(({ segments }) => JSON.stringify(segments));

test('P-PROV-10 preferred is a rotation of requisite that starts in the place of the chosen node', () => {
  fc.assert(
    fc.property(nodes, fc.nat(), fc.subarray(['zone', 'rack'], { minLength: 1 }), (all, at, keys) => {
      const chosen: StringMap = { ...all[at % all.length] };
      const cluster = {
        keysOnNode: () => keys,
        keysAnywhere: () => keys,
        labelsOfNode: () => chosen,
        allLabels: () => all.map((each) => ({ ...each })),
      };
      const base = { claimName: 'data', allowedTopologies: [], strict: false, immediate: true, cluster, memory: {} };
      const decision = decideTopology({ ...base, selectedNode: 'n' });
      fc.pre(keys.every((key) => Object.hasOwn(chosen, key)));
      assert(decision.type === 'require', 'a node with all labels has a place');
      const [requisite, preferred] = [showed(decision.requirement.requisite), showed(decision.requirement.preferred)];
      const start = requisite.indexOf(preferred[0] ?? '');
      expect([...requisite.slice(start), ...requisite.slice(0, start)]).toEqual(preferred);
      expect(chosen).toMatchObject(decision.requirement.preferred[0]?.segments ?? {});
    }),
  );
});

const term = fc
  .uniqueArray(fc.record({ key: fc.constantFrom('k', 'l', 'm'), value: fc.constantFrom('1', '2') }), {
    selector: ({ key }) => key,
  })
  .map((segments) => [...segments].sort((a, b) => (a.key < b.key ? -1 : 1)));

test('P-PROV-10 terms: sorting is idempotent and loses none; the order is total; a subset is no longer than the whole', () => {
  fc.assert(
    fc.property(fc.array(term), term, term, (terms, a, b) => {
      const sorted = sortedTerms(terms);
      expect(sortedTerms(sorted)).toEqual(sorted);
      expect(new Set(sorted.map((each) => JSON.stringify(each)))).toEqual(
        new Set(terms.map((each) => JSON.stringify(each))),
      );
      expect(Math.sign(compareTerms(a, b))).toBe(-Math.sign(compareTerms(b, a)) + 0);
      if (isSubset(a, b)) expect(a.length).toBeLessThanOrEqual(b.length);
    }),
  );
});
