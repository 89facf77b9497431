import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFailure } from './assert.ts';
import { type HeapEntry, TimerHeap } from './timer-heap.ts';

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('push' as const), due: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat(1000) }) },
);
const inOrder = (one: HeapEntry, two: HeapEntry): number => one.due - two.due || one.sequence - two.sequence;

describe('TimerHeap', () => {
  it('P-BASE-7 random pushes, pops and removals -> always the entry a sorted list would give', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const heap = new TimerHeap<HeapEntry>();
        let model: HeapEntry[] = [];
        acts.forEach((each, sequence) => {
          if (each.do === 'push') {
            const entry = { due: each.due, sequence, position: -1 };
            heap.push(entry);
            model = [...model, entry].toSorted(inOrder);
          } else if (each.do === 'pop') {
            expect(heap.pop()).toBe(model.shift());
          } else if (model.length > 0) {
            const [gone] = model.splice(each.which % model.length, 1);
            if (gone !== undefined) heap.remove(gone);
            expect(gone?.position).toBe(-1);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.peek()).toBe(model[0]);
        });
      }),
    );
  });

  it('P-BASE-7 removing what is not in it -> a bug', () => {
    const heap = new TimerHeap<HeapEntry>();
    const entry = { due: 1, sequence: 1, position: -1 };
    heap.push(entry);
    heap.remove(entry);
    expect(() => heap.remove(entry)).toThrow(AssertionFailure);
  });
});
