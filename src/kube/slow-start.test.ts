import { describe, expect, it } from 'vitest';
import { inSlowStart } from './slow-start.ts';

async function batchesOf(count: number, fails: (item: number) => boolean, batchSizeMax?: number) {
  const batches: number[][] = [];
  let open: number[] = [];
  const call = async (item: number): Promise<void> => {
    if (open.length === 0) batches.push(open);
    open.push(item);
    await Promise.resolve();
    open = [];
    if (fails(item)) throw new Error(`no ${item}`);
  };
  const items = Array.from({ length: count }, (_, index) => index);
  return { result: await inSlowStart(items, call, batchSizeMax), batches };
}

describe('inSlowStart', () => {
  it('all calls succeed -> batches of 1, 2, 4, and what is left', async () => {
    const { result, batches } = await batchesOf(9, () => false);
    expect(batches).toEqual([[0], [1, 2], [3, 4, 5, 6], [7, 8]]);
    expect(result).toEqual({ succeeded: 9, failures: [] });
  });

  it('a call fails -> its batch is the last, its siblings count', async () => {
    const { result, batches } = await batchesOf(9, (item) => item === 2);
    expect(batches).toEqual([[0], [1, 2]]);
    expect(result.succeeded).toBe(2);
    expect(result.failures.map(String)).toEqual(['Error: no 2']);
  });

  it('a largest batch is given -> no batch is larger', async () => {
    const { batches } = await batchesOf(8, () => false, 3);
    expect(batches.map(({ length }) => length)).toEqual([1, 2, 3, 2]);
  });

  it('nothing to do -> nothing done', async () => {
    expect((await batchesOf(0, () => true)).result).toEqual({ succeeded: 0, failures: [] });
  });
});
