import { describe, expect, it } from 'vitest';
import { answeringNodes } from './node-servers.ts';

describe('which nodes answer', () => {
  it('P-VN-1 bare nodes and nodes whose kubelet is left to others -> not among them', () => {
    const nodes = [{ name: 'a' }, { name: 'b', agent: 'bare' as const }, { name: 'c' }];
    expect(answeringNodes({ nodes })).toEqual(['a', 'c']);
    expect(answeringNodes({ nodes, components: { kubelet: { c: false } } })).toEqual(['a']);
    expect(answeringNodes({ nodes, components: { kubelet: false } })).toEqual([]);
  });
});
