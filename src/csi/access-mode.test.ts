import { expect, test } from 'vitest';
import { csiAccessMode } from './access-mode.ts';

test.each([
  [['ReadWriteOnce'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
  [['ReadWriteOncePod'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER'],
  [['ReadOnlyMany'], 'MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
  [['ReadWriteMany'], 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
  [['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'], 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
])('P-CSI-12 %j -> %s, or %s for a driver that knows the newer modes', (modes, older, newer) => {
  expect(csiAccessMode(modes, false)).toEqual({ type: 'mode', mode: older });
  expect(csiAccessMode(modes, true)).toEqual({ type: 'mode', mode: newer });
});

test.each([
  [
    ['ReadWriteOnce', 'ReadOnlyMany'],
    'CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume',
  ],
  [
    ['ReadWriteOncePod', 'ReadWriteOnce'],
    'Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume',
  ],
  [[], 'unsupported AccessMode combination: []'],
])('P-CSI-12 %j -> impossible', (modes, message) => {
  expect(csiAccessMode(modes, true)).toEqual({ type: 'impossible', message });
});
