// The words in which faults are written down, in stories and as objects of a cluster.
import { CSI_CODES } from '../../csi/csi-error.ts';
import { CONTROLLER_CHANGES, NODE_CHANGES } from '../../csi/driver.ts';
import type { ApiReason } from '../../kube/api-error.ts';
import type { FaultType } from './fault.ts';

/** What may be said of each fault beside its type. */
export const FIELDS: Readonly<Record<FaultType, readonly string[]>> = {
  'node-crash': ['node'],
  'node-freeze': ['node'],
  'node-return': ['node'],
  'kubelet-restart': ['node'],
  partition: ['node', 'from'],
  'clock-step': ['node', 'by'],
  'disk-full': ['node'],
  'device-busy': ['node'],
  csi: ['driver', 'call', 'code', 'probability', 'afterEffect'],
  'csi-hang': ['driver', 'call'],
  'csi-slow': ['driver', 'call', 'by'],
  'api-error': ['actor', 'reason', 'probability', 'afterEffect'],
  'api-latency': ['actor', 'by'],
  'stale-reads': ['actor'],
  'watch-drop': ['actor'],
  'component-restart': ['component'],
  'component-crash': ['component'],
  'component-freeze': ['component'],
  'leader-change': ['program'],
};
export const TYPES = Object.keys(FIELDS) as readonly FaultType[];
export const CODES = CSI_CODES.filter((code) => code !== 'OK');
export const REASONS: readonly ApiReason[] = [
  'Conflict',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
  'ServerTimeout',
  'Timeout',
  'Forbidden',
];

/** The RPCs that can be disturbed, as upstream spells them. */
export const CALLS: readonly string[] = [
  ...CONTROLLER_CHANGES,
  'CreateSnapshot',
  'DeleteSnapshot',
  'GetCapacity',
  'ListVolumes',
  ...NODE_CHANGES,
  'NodeGetVolumeStats',
];

/** Fields that may be left out; every other field of a fault is needed. */
export const OPTIONAL: ReadonlySet<string> = new Set(['driver', 'probability', 'afterEffect']);
