import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBestMatch } from './claim-matching.ts';
import { type ClaimParts, type VolumeParts, aClaim, aVolume } from './makers.ts';
import { MatchIndex } from './match-index.ts';
import { OrderedList } from './ordered-list.ts';

const modes = fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'], { minLength: 1 });
const sizes = fc.constantFrom('1Mi', '500M', '1G', '1Gi', '1024Mi', '2Gi', '10Gi');
const labels = fc.constantFrom({}, { tier: 'gold' }, { tier: 'tin' }, { tier: 'gold', zone: 'z1' });
const classes = fc.constantFrom('', 'gold');
const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
/** Drops what is undefined, as the makers want it. */
const defined = <T>(record: object): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;

const volumes = fc
  .record({
    name: fc.constantFrom('a', 'b', 'd', 'e', 'f', 'g', 'h'),
    size: sizes,
    modes,
    className: classes,
    claim: optional(fc.constantFrom('c', 'c/u', 'c/other', 'x', 'x/u')),
    phase: fc.constantFrom('Available', 'Available', 'Available', 'Pending', 'Bound', 'Released', 'Failed'),
    volumeMode: fc.constantFrom('Filesystem', 'Filesystem', 'Block'),
    attributesClass: optional(fc.constantFrom('', 'silver')),
    deleting: optional(fc.constant(true)),
    labels,
  })
  .map((record) => defined<VolumeParts>(record));
const claims = fc
  .record({
    size: sizes,
    modes,
    className: classes,
    volumeMode: fc.constantFrom('Filesystem', 'Filesystem', 'Block'),
    attributesClass: optional(fc.constantFrom('', 'silver')),
    selector: optional(
      fc.constantFrom(
        { matchLabels: { tier: 'gold' } },
        { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] },
      ),
    ),
  })
  .map((record) => defined<ClaimParts>(record));
type Step = { readonly put: VolumeParts } | { readonly drop: string };
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: volumes.map((put) => ({ put })) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'd', 'e').map((drop) => ({ drop })) },
  ),
  { maxLength: 30 },
);

describe('P-VOL-4 MatchIndex', () => {
  it('after any changes -> answers what a search of all volumes answers', () => {
    fc.assert(
      fc.property(steps, claims, fc.boolean(), (changes, wanted, delayBinding) => {
        const index = new MatchIndex();
        for (const step of changes) {
          if ('put' in step) index.set(aVolume(step.put));
          else index.delete(step.drop);
        }
        const claim = aClaim(wanted);
        const expected = findBestMatch(claim, index.all(), { delayBinding });
        expect(index.find(claim, { delayBinding })?.metadata.name).toBe(expected?.metadata.name);
      }),
      { numRuns: 2000 },
    );
  });

  it('a large enough volume among many -> found without reading the others', () => {
    const index = new MatchIndex();
    const reads = { labels: 0 };
    for (let size = 1; size <= 5000; size++) {
      const volume = aVolume({ name: `v${size}`, size: `${size}Mi` });
      const metadata = Object.defineProperty({ ...volume.metadata }, 'labels', {
        get: () => {
          reads.labels++;
          return {};
        },
      });
      index.set({ ...volume, metadata });
    }
    const claim = aClaim({ size: '4321Mi', selector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } });
    expect(index.find(claim, { delayBinding: false })?.metadata.name).toBe('v4321');
    expect(reads.labels).toBe(1);
  });
});

describe('OrderedList', () => {
  it('after any additions and removals -> holds what a sorted array holds', () => {
    const change = fc.record({ add: fc.boolean(), item: fc.integer({ min: 0, max: 3000 }) });
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 4000, size: 'max' }),
        fc.integer({ min: 0, max: 3000 }),
        (changes, bound) => {
          const list = new OrderedList<number>((a, b) => a - b);
          const model = new Set<number>();
          for (const { add, item } of changes) {
            if (add && !model.has(item)) list.add(item);
            if (!add) expect(list.delete(item)).toBe(model.has(item));
            if (add) model.add(item);
            else model.delete(item);
          }
          expect(list.size).toBe(model.size);
          expect([...list.from(bound)]).toEqual([...model].filter((item) => item >= bound).toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 30 },
    );
  });
});
