import type { Disposable } from '../kube/cluster.ts';

/** How a kubelet learns of the plug-ins on its node: registration sockets when embedded, a table when simulated. */
export interface PluginRegistration {
  subscribe(sink: PluginSink): Disposable;
}
export interface PluginInfo {
  readonly type: string;
  readonly name: string;
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}
export interface PluginSink {
  /** The answer goes back to the plug-in as NotifyRegistrationStatus. */
  appeared(plugin: PluginInfo): Promise<{ readonly pluginRegistered: boolean; readonly error: string }>;
  vanished(plugin: PluginInfo): void;
}
