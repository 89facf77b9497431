import { describe, expect, it } from 'vitest';
import { aPod } from '../../volume/makers.ts';
import { DesiredStateOfWorld } from './desired-state-of-world.ts';
import type { VolumeSpec } from './volume-spec.ts';

const spec = (volume: string): VolumeSpec => ({ volume, name: volume, isExclusive: true, csi: undefined });
const PAIR = { volume: 'v', node: 'a' };

function stage(): DesiredStateOfWorld {
  const desired = new DesiredStateOfWorld();
  desired.addNode('a');
  return desired;
}

describe('DesiredStateOfWorld', () => {
  it('two pods of one volume -> wanted until the last is gone', () => {
    const desired = stage();
    expect(desired.addPod(aPod({ uid: '1' }), spec('v'), 'a')).toBe(true);
    expect(desired.addPod(aPod({ uid: '2' }), spec('v'), 'a')).toBe(true);
    desired.deletePod('1', PAIR);
    expect([desired.has(PAIR), desired.nodesOf('v')]).toEqual([true, ['a']]);
    desired.deletePod('2', PAIR);
    expect([desired.has(PAIR), desired.nodesOf('v'), [...desired.volumes()], desired.pairsOfPod('2')]).toEqual([
      false,
      [],
      [],
      [],
    ]);
  });

  it('the same pod again -> nothing new, the first snapshot stays', () => {
    const desired = stage();
    const first = aPod({ uid: '1', name: 'first' });
    desired.addPod(first, spec('v'), 'a');
    expect(desired.addPod(aPod({ uid: '1', name: 'again' }), spec('v'), 'a')).toBe(false);
    expect(desired.get(PAIR)?.pods).toEqual([first]);
  });

  it('P-AD-4 the entry goes and comes back -> the event is due again', () => {
    const desired = stage();
    desired.addPod(aPod({ uid: '1' }), spec('v'), 'a');
    desired.setMultiAttachErrorReported(PAIR);
    expect(desired.get(PAIR)?.multiAttachErrorReported).toBe(true);
    desired.deletePod('1', PAIR);
    desired.addPod(aPod({ uid: '1' }), spec('v'), 'a');
    expect(desired.get(PAIR)?.multiAttachErrorReported).toBe(false);
  });

  it('a node with volumes -> cannot be deleted, so that its pods can still leave', () => {
    const desired = stage();
    desired.addPod(aPod({ uid: '1' }), spec('v'), 'a');
    expect([desired.deleteNode('a'), desired.manages('a')]).toEqual(['has volumes', true]);
    desired.deletePod('1', PAIR);
    expect([desired.deleteNode('a'), desired.manages('a')]).toEqual(['deleted', false]);
  });

  it('a pod that is not there -> deleting it changes nothing', () => {
    const desired = stage();
    desired.addPod(aPod({ uid: '1' }), spec('v'), 'a');
    expect([desired.deletePod('2', PAIR), desired.deletePod('1', { ...PAIR, node: 'b' })]).toEqual([false, false]);
  });
});
