// One place where every call to a driver can be seen, delayed, failed or dropped: the timeline, latency models, faults
// and deadlines of a world are each an `around`.
import type { CsiCall, CsiController, CsiDriver, CsiIdentity, CsiNode, Rpc } from './driver.ts';

export interface DriverCall {
  readonly driver: string;
  readonly service: 'Identity' | 'Controller' | 'Node';
  /** As upstream spells it: `CreateVolume`, `NodeStageVolume`. */
  readonly rpc: string;
  readonly request: object;
  /** The node whose service was called; absent for the identity and controller services. */
  readonly nodeName?: string;
  readonly options: CsiCall;
}
/** Hands the call on to the driver, under other options if given. May be called never, once or again. */
export type Proceed<Response> = (options?: CsiCall) => Promise<Response>;
export type Around = <Response>(call: DriverCall, proceed: Proceed<Response>) => Promise<Response>;

type Wrap = <Request extends object, Response>(rpc: string, inner: Rpc<Request, Response>) => Rpc<Request, Response>;

export function wrapDriver(driver: CsiDriver, around: Around): CsiDriver {
  const wrapAt =
    (place: Pick<DriverCall, 'service' | 'nodeName'>): Wrap =>
    (rpc, inner) =>
    (request, options) =>
      around({ driver: driver.name, ...place, rpc, request, options }, (other = options) => inner(request, other));
  return {
    name: driver.name,
    identity: wrapIdentity(driver.identity, wrapAt({ service: 'Identity' })),
    controller: wrapController(driver.controller, wrapAt({ service: 'Controller' })),
    nodeService: (nodeName) => wrapNode(driver.nodeService(nodeName), wrapAt({ service: 'Node', nodeName })),
  };
}

function wrapIdentity(identity: CsiIdentity, wrap: Wrap): CsiIdentity {
  return {
    getPluginInfo: wrap('GetPluginInfo', identity.getPluginInfo),
    getPluginCapabilities: wrap('GetPluginCapabilities', identity.getPluginCapabilities),
    probe: wrap('Probe', identity.probe),
  };
}

function wrapController(controller: CsiController, wrap: Wrap): CsiController {
  return {
    controllerGetCapabilities: wrap('ControllerGetCapabilities', controller.controllerGetCapabilities),
    createVolume: wrap('CreateVolume', controller.createVolume),
    deleteVolume: wrap('DeleteVolume', controller.deleteVolume),
    controllerPublishVolume: wrap('ControllerPublishVolume', controller.controllerPublishVolume),
    controllerUnpublishVolume: wrap('ControllerUnpublishVolume', controller.controllerUnpublishVolume),
    controllerExpandVolume: wrap('ControllerExpandVolume', controller.controllerExpandVolume),
    controllerModifyVolume: wrap('ControllerModifyVolume', controller.controllerModifyVolume),
    validateVolumeCapabilities: wrap('ValidateVolumeCapabilities', controller.validateVolumeCapabilities),
    listVolumes: wrap('ListVolumes', controller.listVolumes),
    controllerGetVolume: wrap('ControllerGetVolume', controller.controllerGetVolume),
    getCapacity: wrap('GetCapacity', controller.getCapacity),
    createSnapshot: wrap('CreateSnapshot', controller.createSnapshot),
    deleteSnapshot: wrap('DeleteSnapshot', controller.deleteSnapshot),
    listSnapshots: wrap('ListSnapshots', controller.listSnapshots),
    getSnapshot: wrap('GetSnapshot', controller.getSnapshot),
  };
}

function wrapNode(node: CsiNode, wrap: Wrap): CsiNode {
  return {
    nodeGetCapabilities: wrap('NodeGetCapabilities', node.nodeGetCapabilities),
    nodeGetInfo: wrap('NodeGetInfo', node.nodeGetInfo),
    nodeStageVolume: wrap('NodeStageVolume', node.nodeStageVolume),
    nodeUnstageVolume: wrap('NodeUnstageVolume', node.nodeUnstageVolume),
    nodePublishVolume: wrap('NodePublishVolume', node.nodePublishVolume),
    nodeUnpublishVolume: wrap('NodeUnpublishVolume', node.nodeUnpublishVolume),
    nodeExpandVolume: wrap('NodeExpandVolume', node.nodeExpandVolume),
    nodeGetVolumeStats: wrap('NodeGetVolumeStats', node.nodeGetVolumeStats),
  };
}
