import type { CsiController, CsiIdentity, CsiNode } from './driver.ts';

/** Every RPC of the three services, so that a driver can be wrapped or served without knowing how it is built. */
export const IDENTITY_RPCS = [
  'getPluginInfo',
  'getPluginCapabilities',
  'probe',
] as const satisfies readonly (keyof CsiIdentity)[];
export const CONTROLLER_RPCS = [
  'createVolume',
  'deleteVolume',
  'controllerPublishVolume',
  'controllerUnpublishVolume',
  'validateVolumeCapabilities',
  'listVolumes',
  'getCapacity',
  'controllerGetCapabilities',
  'createSnapshot',
  'deleteSnapshot',
  'listSnapshots',
  'getSnapshot',
  'controllerExpandVolume',
  'controllerGetVolume',
  'controllerModifyVolume',
] as const satisfies readonly (keyof CsiController)[];
export const NODE_RPCS = [
  'nodeStageVolume',
  'nodeUnstageVolume',
  'nodePublishVolume',
  'nodeUnpublishVolume',
  'nodeGetVolumeStats',
  'nodeExpandVolume',
  'nodeGetCapabilities',
  'nodeGetInfo',
] as const satisfies readonly (keyof CsiNode)[];
