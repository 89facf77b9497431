// The drivers that registered with this kubelet. A driver stays registered until its registration vanishes, whether or not
// its process still answers.
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { CsiDriver, CsiNode } from '../../csi/driver.ts';
import type { PluginInfo } from '../../csi/plugin-registration.ts';

export class RegisteredDrivers {
  readonly #nodeName: string;
  readonly #driverOf: (name: string) => CsiDriver | undefined;
  readonly #registered = new Map<string, PluginInfo>();

  constructor(nodeName: string, driverOf: (name: string) => CsiDriver | undefined) {
    this.#nodeName = nodeName;
    this.#driverOf = driverOf;
  }

  set(plugin: PluginInfo): void {
    this.#registered.set(plugin.name, plugin);
  }

  get(name: string): PluginInfo | undefined {
    return this.#registered.get(name);
  }

  delete(name: string): void {
    this.#registered.delete(name);
  }

  /** The node service of a registered driver; an Error, which nobody classified yet, if it is not registered. */
  nodeServiceOf(name: string): CsiNode {
    const plugin = this.#registered.get(name);
    if (plugin === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return this.#driverOf(name)?.nodeService(this.#nodeName) ?? deadNodeService(plugin.endpoint);
  }
}

/** Registered, but nobody listens: what a gRPC client says of every call. */
function deadNodeService(endpoint: string): CsiNode {
  const refuse = async (): Promise<never> => {
    const cause = `transport: Error while dialing: dial unix ${endpoint}: connect: connection refused`;
    throw new CsiStatusError('UNAVAILABLE', `connection error: desc = "${cause}"`);
  };
  return {
    nodeGetCapabilities: refuse,
    nodeGetInfo: refuse,
    nodeStageVolume: refuse,
    nodeUnstageVolume: refuse,
    nodePublishVolume: refuse,
    nodeUnpublishVolume: refuse,
    nodeExpandVolume: refuse,
    nodeGetVolumeStats: refuse,
  };
}
