import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PriorityHeap } from './priority-heap.ts';

describe('PriorityHeap', () => {
  it('any order of pushes and pops -> always the least element', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer()), { maxLength: 200 }), (steps) => {
        const heap = new PriorityHeap<number>((one, other) => one < other);
        const model: number[] = [];
        for (const value of steps) {
          if (value === null) {
            model.sort((one, other) => one - other);
            expect(heap.peek()).toBe(model[0]);
            expect(heap.pop()).toBe(model.shift());
          } else {
            heap.push(value);
            model.push(value);
          }
        }
      }),
    );
  });
});
