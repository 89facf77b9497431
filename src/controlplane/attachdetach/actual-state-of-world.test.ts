import { describe, expect, it } from 'vitest';
import { attachmentName } from '../../volume/attachment-name.ts';
import { ActualStateOfWorld } from './actual-state-of-world.ts';
import type { VolumeSpec } from './volume-spec.ts';

const V = 'kubernetes.io/csi/d^h';
const ON_A = { volume: V, node: 'a' };
const ON_B = { volume: V, node: 'b' };
const SPEC: VolumeSpec = { volume: V, name: 'pv', isExclusive: true, csi: { driver: 'd', handle: 'h' } };

describe('ActualStateOfWorld', () => {
  it('attached, uncertain, detached -> told apart; only certain nodes hold an exclusive volume', () => {
    const actual = new ActualStateOfWorld();
    expect(actual.stateOf(ON_A)).toBe('detached');
    actual.markAttached(ON_A, SPEC);
    actual.markUncertain(ON_B, SPEC);
    expect([actual.stateOf(ON_A), actual.stateOf(ON_B), actual.nodesOf(V), actual.certainNodesOf(V)]).toEqual([
      'attached',
      'uncertain',
      ['a', 'b'],
      ['a'],
    ]);
    actual.markDetached(ON_A);
    actual.markDetached(ON_B);
    expect([...actual.volumes()]).toEqual([]);
  });

  it('P-AD-5 a new entry -> mounted until the node speaks; an old one -> as the node last said', () => {
    const actual = new ActualStateOfWorld();
    actual.setMounted('a', []);
    actual.markUncertain(ON_A, SPEC);
    expect(actual.isMounted(ON_A)).toBe(true);
    actual.setMounted('a', ['another']);
    actual.markAttached(ON_A, SPEC);
    expect([actual.isMounted(ON_A), actual.isMounted({ volume: 'another', node: 'a' })]).toEqual([false, true]);
  });

  it('detach requested twice -> counted from the first, until it is wanted again', () => {
    const actual = new ActualStateOfWorld();
    actual.markAttached(ON_A, SPEC);
    expect([actual.requestDetach(ON_A, 1000), actual.requestDetach(ON_A, 4000)]).toEqual([0, 3000]);
    actual.markUncertain(ON_A, SPEC);
    expect(actual.requestDetach(ON_A, 5000)).toBe(4000);
    actual.resetDetachRequest(ON_A);
    expect(actual.requestDetach(ON_A, 6000)).toBe(0);
  });

  it('reports -> due once a change, and again when asked for', () => {
    const actual = new ActualStateOfWorld();
    actual.requireReport('a');
    expect(actual.nodesToReport()).toEqual([]);
    actual.markAttached(ON_A, SPEC, '/dev/x');
    expect(actual.takeReport('a')).toEqual({ node: 'a', volumes: [{ name: V, devicePath: '/dev/x' }] });
    expect(actual.takeReport('a')).toBeUndefined();
    actual.removeFromReport(ON_A);
    expect(actual.takeReport('a')).toEqual({ node: 'a', volumes: [] });
    actual.addToReport(ON_A);
    actual.markDetached(ON_A);
    expect(actual.takeReport('a')).toEqual({ node: 'a', volumes: [] });
    actual.addToReport(ON_A);
    expect(actual.takeReport('a')).toBeUndefined();
    actual.requireReport('a');
    expect(actual.nodesToReport()).toEqual(['a']);
  });

  it('certain attachments -> found by the name of their VolumeAttachment', () => {
    const actual = new ActualStateOfWorld();
    const name = attachmentName({ driver: 'd', handle: 'h', node: 'a' });
    actual.markAttached(ON_A, undefined);
    expect([actual.pairOf(name), [...actual.certainAttachments()]]).toEqual([ON_A, [name]]);
    actual.markUncertain(ON_A, SPEC);
    expect(actual.pairOf(name)).toBeUndefined();
  });
});
