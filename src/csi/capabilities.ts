import type { ControllerCapability, CsiCall, CsiDriver, NodeCapability, PluginServiceType } from './driver.ts';

/** What a driver says it can do, asked once at the start of a sidecar as upstream does. */
export interface DriverCapabilities {
  readonly plugin: ReadonlySet<PluginServiceType>;
  readonly controller: ReadonlySet<ControllerCapability>;
}

/** A driver without CONTROLLER_SERVICE is not asked for controller capabilities: it would answer UNIMPLEMENTED. */
export async function askDriverCapabilities(driver: CsiDriver, call: CsiCall): Promise<DriverCapabilities> {
  const plugin = new Set<PluginServiceType>();
  const answer = await driver.identity.getPluginCapabilities({}, call);
  for (const capability of answer.capabilities) {
    if (capability.case === 'service' && capability.type !== 'UNKNOWN') plugin.add(capability.type);
  }
  const controller = plugin.has('CONTROLLER_SERVICE')
    ? await askControllerCapabilities(driver, call)
    : new Set<ControllerCapability>();
  return { plugin, controller };
}

async function askControllerCapabilities(driver: CsiDriver, call: CsiCall): Promise<ReadonlySet<ControllerCapability>> {
  const answer = await driver.controller.controllerGetCapabilities({}, call);
  return new Set(answer.capabilities.flatMap(({ type }) => (type === 'UNKNOWN' ? [] : [type])));
}

export async function askNodeCapabilities(
  driver: CsiDriver,
  nodeName: string,
  call: CsiCall,
): Promise<ReadonlySet<NodeCapability>> {
  const answer = await driver.nodeService(nodeName).nodeGetCapabilities({}, call);
  return new Set(answer.capabilities.flatMap(({ type }) => (type === 'UNKNOWN' ? [] : [type])));
}
