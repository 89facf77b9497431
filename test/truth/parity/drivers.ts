// The three CSI drivers that the parity scenarios expect, as configurations of the memory driver. They stand for
// csi-driver-host-path as it was started for the recordings: one node id or one place, whatever the cluster looks like.
import type { MemoryDriverConfig } from '../../../src/csi/drivers/memory/config.ts';
import type { ControllerCapability } from '../../../src/csi/driver.ts';

/** `scenarios/params.json` */
const NODE_ID = 'par-node';
const NODES = ['par-a', 'par-b', 'par-c'];
const TOPOLOGY_KEY = 'topology.hostpath.csi/node';
const MAXIMUM_VOLUME_SIZE = '1Ti';

const CONTROLLER: readonly ControllerCapability[] = [
  'CREATE_DELETE_VOLUME',
  'GET_VOLUME',
  'GET_CAPACITY',
  'LIST_VOLUMES',
  'CREATE_DELETE_SNAPSHOT',
  'LIST_SNAPSHOTS',
  'CLONE_VOLUME',
  'VOLUME_CONDITION',
  'SINGLE_NODE_MULTI_WRITER',
  'EXPAND_VOLUME',
];

export const HOSTPATH_DRIVER: MemoryDriverConfig = {
  name: 'hostpath.csi.k8s.io',
  sharedNodeId: NODE_ID,
  capabilities: { controller: [...CONTROLLER, 'PUBLISH_UNPUBLISH_VOLUME', 'PUBLISH_READONLY', 'MODIFY_VOLUME'] },
  maximumVolumeSize: MAXIMUM_VOLUME_SIZE,
  acceptedParameters: { kind: [] },
  acceptedMutableParameters: ['tier'],
};

export const TOPOLOGY_DRIVER: MemoryDriverConfig = {
  name: 'topo.hostpath.csi.k8s.io',
  nodes: NODES,
  capabilities: { controller: [...CONTROLLER, 'PUBLISH_UNPUBLISH_VOLUME', 'PUBLISH_READONLY'] },
  topology: {
    segments: { [TOPOLOGY_KEY]: '${node}' },
    accessibleFrom: [{ [TOPOLOGY_KEY]: 'par-a' }],
    ignoresRequirement: true,
  },
  maximumVolumeSize: MAXIMUM_VOLUME_SIZE,
  acceptedParameters: { kind: ['tiny'] },
  pools: [{ name: 'tiny', capacity: '1Gi', parameters: { kind: 'tiny' } }],
};

export const PLAIN_DRIVER: MemoryDriverConfig = {
  name: 'plain.hostpath.csi.k8s.io',
  sharedNodeId: NODE_ID,
  capabilities: { controller: CONTROLLER },
  maximumVolumeSize: MAXIMUM_VOLUME_SIZE,
  nodeExpansionRequired: false,
  acceptedParameters: { kind: [] },
};

export const PARITY_DRIVERS = [HOSTPATH_DRIVER, TOPOLOGY_DRIVER, PLAIN_DRIVER] as const;
