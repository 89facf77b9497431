import { expect, it } from 'vitest';
import { keyOfPair, volumeOfKey } from './pair.ts';

it.each(['kubernetes.io/csi/disk.test^h', 'kubernetes.io/csi/disk.test^a b c', 'kubernetes.io/csi/d^x\ny z'])(
  'key of %j on a node -> told from the volume alone, whatever the handle',
  (volume) => {
    expect([volumeOfKey(keyOfPair({ volume, node: 'node-1.test' })), volumeOfKey(volume)]).toEqual([volume, undefined]);
  },
);
