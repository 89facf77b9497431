import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { aClaim } from '../../volume/makers.ts';
import { decideAttributes } from './decide-attributes.ts';

type Modify = PersistentVolumeClaim['status']['modifyVolumeStatus'];
function claim(wanted: string | undefined, current: string | undefined, modify?: Modify): PersistentVolumeClaim {
  return aClaim({
    phase: 'Bound',
    ...(wanted === undefined ? {} : { attributesClass: wanted }),
    status: {
      ...(current === undefined ? {} : { currentVolumeAttributesClassName: current }),
      ...(modify === undefined ? {} : { modifyVolumeStatus: modify }),
    },
  });
}
const at = (status: string, className?: string): NonNullable<Modify> => ({
  status,
  ...(className === undefined ? {} : { targetVolumeAttributesClassName: className }),
});

describe('what is to be done about the attributes of a claim', () => {
  it.each<[string, PersistentVolumeClaim, boolean, object]>([
    ['no class', claim(undefined, undefined), false, { type: 'nothing' }],
    ['the class it has', claim('gold', 'gold'), false, { type: 'nothing' }],
    ['a first class', claim('gold', undefined), false, { type: 'start', className: 'gold' }],
    ['another class', claim('gold', 'silver'), false, { type: 'start', className: 'gold' }],
    [
      'failed for certain',
      claim('gold', 'silver', at('InProgress', 'gold')),
      false,
      { type: 'start', className: 'gold' },
    ],
    ['under way', claim('gold', 'silver', at('InProgress', 'gold')), true, { type: 'continue', className: 'gold' }],
    [
      'changed while under way',
      claim('iron', 'silver', at('InProgress', 'gold')),
      true,
      { type: 'continue', className: 'gold' },
    ],
    [
      'changed after a failure',
      claim('iron', 'silver', at('InProgress', 'gold')),
      false,
      { type: 'start', className: 'iron' },
    ],
    [
      'back after a refusal',
      claim('silver', 'silver', at('Infeasible', 'gold')),
      false,
      { type: 'start', className: 'silver' },
    ],
    [
      'given up while under way',
      claim(undefined, undefined, at('InProgress', 'gold')),
      false,
      { type: 'continue', className: 'gold' },
    ],
    ['given up after a refusal', claim(undefined, undefined, at('Infeasible', 'gold')), false, { type: 'cancel' }],
    ['given up before the class came', claim(undefined, undefined, at('Pending')), false, { type: 'cancel' }],
  ])('P-RZ-9 %s -> decided so', (_situation, given, isUncertain, expected) => {
    expect(decideAttributes(given, isUncertain)).toEqual(expected);
  });
});
