import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { Indexer } from './indexer.ts';
import { type Widget, widget } from '../../test/runtime/test-context.ts';

const colours = ['red', 'blue', 'green'];
const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  colours: fc.option(fc.array(fc.constantFrom(...colours), { maxLength: 3 }), { nil: undefined }),
});

const byColour = (each: Widget): readonly string[] => each.colours;

describe('Indexer', () => {
  it('P-RT-13 random sets and deletes -> an index, early or late, answers what a scan would', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.nat(40), (changes, lateAt) => {
        const indexer = new Indexer<Widget>({ early: byColour });
        changes.forEach((each, index) => {
          if (index === lateAt) indexer.addIndexes({ late: byColour });
          if (each.colours === undefined) indexer.delete(`ns/${each.name}`);
          else indexer.set(widget(each.name, each.colours));
        });
        indexer.addIndexes({ late: byColour });
        for (const colour of colours) {
          const scan = new Set([...indexer.all()].filter((each) => each.colours.includes(colour)));
          expect(new Set(indexer.by('early', colour))).toEqual(scan);
          expect(new Set(indexer.by('late', colour))).toEqual(scan);
        }
      }),
    );
  });

  it('an index nobody declared -> a bug', () => {
    expect(() => new Indexer<Widget>({}).by('colour', 'red')).toThrow(AssertionFailure);
  });
});
