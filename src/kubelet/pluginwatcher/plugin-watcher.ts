// Drivers register and vanish. A registration that fails is answered at once and tried again as long as the plug-in is
// there. A driver is let go when its registration vanishes, not when its process dies.
// kubernetes:pkg/kubelet/pluginmanager, kubernetes:pkg/volume/csi/csi_plugin.go RegistrationHandler
import { Aborted } from '../../base/clock.ts';
import { AssertionFailure } from '../../base/assert.ts';
import type { PluginInfo, PluginRegistration, PluginSink } from '../../csi/plugin-registration.ts';
import type { Reason } from '../../kube/reason.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { KeyedOperations } from '../../runtime/operation-executor.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { CSI_OPERATION_TIMEOUT_MS } from '../csiplugin/node-client.ts';
import type { RegisteredDrivers } from '../csiplugin/registered-drivers.ts';
import type { CsiNodeInfo } from './csi-node-info.ts';

/**
 * A second from the end of one pass to the next, and a pass takes a moment. A try takes a longer one: a wait of some whole
 * seconds ends just after a pass, and only with sixteen of them have the passes drifted far enough. Measured: tries come 1,
 * 2, 3, 5, 9, 16, 32 seconds apart.
 */
const RECONCILE_PERIOD_MS = 1001;
const DIAL_MS = 10;
const CSI_PLUGIN_TYPE = 'CSIPlugin';

type RegistrationAnswer = Awaited<ReturnType<PluginSink['appeared']>>;

export interface PluginWatcherOptions {
  readonly context: ComponentContext;
  readonly plugins: PluginRegistration;
  readonly drivers: RegisteredDrivers;
  readonly info: CsiNodeInfo;
  /** A driver came or went. */
  onDrivers(name: string, reason: Reason): void;
}

interface Watched {
  readonly plugin: PluginInfo;
  /** Given to the plug-in at the first try. */
  answer: ((answer: RegistrationAnswer) => void) | undefined;
  registered: boolean;
}

export class PluginWatcher {
  readonly #options: PluginWatcherOptions;
  readonly #watched = new Map<string, Watched>();
  /** Drivers that are registered and whose plug-in is gone. */
  readonly #leaving = new Set<string>();
  readonly #operations: KeyedOperations;
  readonly #loop: GridLoop;

  constructor(options: PluginWatcherOptions) {
    this.#options = options;
    const { clock, cluster, log, signal } = options.context;
    this.#operations = new KeyedOperations({ clock, log, signal, onFinished: () => this.#mark() });
    this.#loop = new GridLoop({
      name: 'plugin watcher',
      clock,
      cluster,
      log,
      signal,
      periodMs: RECONCILE_PERIOD_MS,
      pass: () => this.#pass(),
    });
  }

  start(): void {
    this.#loop.start();
    const { context, plugins } = this.#options;
    const subscription = plugins.subscribe({
      appeared: (plugin) => this.#appeared(plugin),
      vanished: (plugin) => this.#vanished(plugin),
    });
    context.signal.addEventListener('abort', () => subscription.dispose(), { once: true });
  }

  #appeared(plugin: PluginInfo): Promise<RegistrationAnswer> {
    return new Promise((answer) => {
      this.#watched.set(plugin.name, { plugin, answer, registered: false });
      this.#mark();
    });
  }

  #vanished({ name }: PluginInfo): void {
    const watched = this.#watched.get(name);
    this.#watched.delete(name);
    if (watched?.registered === true) this.#leaving.add(name);
    this.#mark();
  }

  #mark(): void {
    this.#loop.mark({ type: 'deadline', entry: null });
  }

  #pass(): void {
    for (const name of this.#leaving) this.#run(name, 'unregister', () => this.#unregister(name));
    for (const watched of this.#watched.values()) {
      const { name } = watched.plugin;
      if (!watched.registered && !this.#leaving.has(name)) this.#run(name, 'register', () => this.#register(watched));
    }
  }

  #run(name: string, operation: string, perform: () => Promise<void>): void {
    if (this.#operations.run(name, operation, perform) !== 'backoff') return;
    this.#loop.markAfter(this.#operations.restOf(name), { type: 'deadline', entry: null });
  }

  async #register(watched: Watched): Promise<void> {
    const { plugin } = watched;
    await this.#options.context.clock.sleep(DIAL_MS, this.#options.context.signal);
    const error = await this.#tryRegister(plugin);
    const isCurrent = this.#watched.get(plugin.name) === watched;
    watched.registered = error === undefined;
    watched.answer?.({ pluginRegistered: error === undefined, error: error ?? '' });
    watched.answer = undefined;
    if (error !== undefined) throw new Error(error);
    if (!isCurrent) this.#leaving.add(plugin.name);
    this.#options.onDrivers(plugin.name, { type: 'deadline', entry: null });
  }

  /** Why it failed. */
  async #tryRegister(plugin: PluginInfo): Promise<string | undefined> {
    const { context, drivers, info } = this.#options;
    const { type, name, endpoint } = plugin;
    if (type !== CSI_PLUGIN_TYPE) {
      return `RegisterPlugin error -- no handler registered for plugin type: ${type} at socket ${endpoint}`;
    }
    const fault = faultOfVersions(plugin);
    if (fault !== undefined) return `RegisterPlugin error -- plugin validation failed with err: ${fault}`;
    drivers.set(plugin);
    try {
      const call = { signal: context.signal, deadlineMs: CSI_OPERATION_TIMEOUT_MS };
      await info.install(name, await drivers.nodeServiceOf(name).nodeGetInfo({}, call));
      return undefined;
    } catch (error) {
      if (error instanceof AssertionFailure) throw error;
      if (context.signal.aborted) throw new Aborted();
      drivers.delete(name);
      return `RegisterPlugin error -- plugin registration failed with err: ${messageOf(error)}`;
    }
  }

  async #unregister(name: string): Promise<void> {
    const { drivers, info } = this.#options;
    this.#leaving.delete(name);
    drivers.delete(name);
    this.#options.onDrivers(name, { type: 'deadline', entry: null });
    await info.uninstall(name);
  }
}

/** Only the first major version is spoken. */
function faultOfVersions({ name, endpoint, supportedVersions }: PluginInfo): string | undefined {
  if (supportedVersions.some((version) => /^v?1\.\d/.test(version))) return undefined;
  const cause =
    supportedVersions.length === 0
      ? 'Plugin returned an empty list for supported versions'
      : `None of the versions specified [${supportedVersions.map((each) => `"${each}"`).join(' ')}] are supported.`;
  return `validation failed for CSI Driver ${name} at endpoint ${endpoint}: ${cause}`;
}
