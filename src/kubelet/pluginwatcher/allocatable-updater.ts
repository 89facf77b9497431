// Keeps the attach limit in the CSINode up to date for drivers that ask for it: NodeGetInfo every so many seconds, and once
// when a pod was rejected because the node was full. kubernetes:pkg/volume/csi/csi_node_updater.go
import { SECOND_MS } from '../../base/clock.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { every } from '../../runtime/every.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { CSI_OPERATION_TIMEOUT_MS } from '../csiplugin/node-client.ts';
import type { RegisteredDrivers } from '../csiplugin/registered-drivers.ts';
import type { CsiNodeInfo } from './csi-node-info.ts';

export interface AllocatableUpdaterOptions {
  readonly context: ComponentContext;
  readonly drivers: RegisteredDrivers;
  readonly info: CsiNodeInfo;
  readonly driverObjectOf: (driver: string) => CSIDriver | undefined;
}

interface Running {
  readonly seconds: number;
  readonly stop: AbortController;
}

export class AllocatableUpdater {
  readonly #options: AllocatableUpdaterOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: AllocatableUpdaterOptions) {
    this.#options = options;
    options.context.signal.addEventListener('abort', () => this.#stopAll(), { once: true });
  }

  /** The driver's registration or object changed. */
  sync(driver: string): void {
    const { context, drivers, driverObjectOf } = this.#options;
    const isThere = drivers.get(driver) !== undefined && !context.signal.aborted;
    const seconds = isThere ? (driverObjectOf(driver)?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0) : 0;
    const running = this.#running.get(driver);
    if ((running?.seconds ?? 0) === seconds) return;
    running?.stop.abort();
    this.#running.delete(driver);
    if (seconds > 0) this.#start(driver, seconds);
  }

  #start(driver: string, seconds: number): void {
    const { clock, log } = this.#options.context;
    const stop = new AbortController();
    this.#running.set(driver, { seconds, stop });
    const heartbeat = {
      name: `attach limit of ${driver}`,
      periodMs: seconds * SECOND_MS,
      pass: () => this.update(driver),
    };
    every({ clock, log, signal: stop.signal }, heartbeat);
  }

  async update(driver: string): Promise<void> {
    const { context, drivers, info } = this.#options;
    try {
      const call = { signal: context.signal, deadlineMs: CSI_OPERATION_TIMEOUT_MS };
      await info.update(driver, await drivers.nodeServiceOf(driver).nodeGetInfo({}, call));
    } catch (error) {
      context.log.write('warn', `attach limit of ${driver} was not updated: ${messageOf(error)}`, { error });
    }
  }

  #stopAll(): void {
    for (const { stop } of this.#running.values()) stop.abort();
    this.#running.clear();
  }
}
