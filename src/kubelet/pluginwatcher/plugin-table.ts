import type { PluginInfo, PluginRegistration, PluginSink } from '../../csi/plugin-registration.ts';
import type { Disposable } from '../../kube/cluster.ts';

export type RegistrationStatus = Awaited<ReturnType<PluginSink['appeared']>>;

/** The plug-ins of one machine without sockets. It belongs to the machine: a kubelet that starts finds what is there. */
export class PluginTable implements PluginRegistration {
  readonly #plugins = new Map<string, PluginInfo>();
  readonly #sinks = new Set<PluginSink>();
  readonly #onStatus: (plugin: PluginInfo, status: RegistrationStatus) => void;

  /** `onStatus` is what each plug-in is told by NotifyRegistrationStatus. */
  constructor(onStatus: (plugin: PluginInfo, status: RegistrationStatus) => void = () => undefined) {
    this.#onStatus = onStatus;
  }

  appear(plugin: PluginInfo): void {
    this.#plugins.set(plugin.name, plugin);
    for (const sink of this.#sinks) this.#tell(sink, plugin);
  }

  vanish(name: string): void {
    const plugin = this.#plugins.get(name);
    this.#plugins.delete(name);
    if (plugin !== undefined) for (const sink of this.#sinks) sink.vanished(plugin);
  }

  subscribe(sink: PluginSink): Disposable {
    this.#sinks.add(sink);
    for (const plugin of this.#plugins.values()) this.#tell(sink, plugin);
    return { dispose: () => void this.#sinks.delete(sink) };
  }

  /** The promise of a kubelet that dies is never kept. */
  #tell(sink: PluginSink, plugin: PluginInfo): void {
    void sink.appeared(plugin).then((status) => this.#onStatus(plugin, status));
  }
}
