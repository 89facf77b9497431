// The machines of a simulated world: what is on their disks and mounted, and which drivers run on them. They outlive the
// kubelets that use them.
import type { CsiDriver } from '../csi/driver.ts';
import type { PluginRegistration, PluginSink } from '../csi/plugin-registration.ts';
import { MemoryMounter } from '../kubelet/mounter/memory/memory.ts';
import { withMounts } from '../kubelet/mounter/memory/driver-mounts.ts';
import type { Mounter } from '../kubelet/mounter/mounter.ts';
import { type AroundMounter, wrapMounter } from '../kubelet/mounter/wrap-mounter.ts';
import type { Disposable } from '../kube/cluster.ts';

/** Faults on the disk of one node stand around its mounter. */
export type AroundMounterOf = (node: string) => AroundMounter | undefined;

export class SimulatedMachines {
  readonly #mounters = new Map<string, MemoryMounter>();
  readonly #around: AroundMounterOf;

  constructor(around: AroundMounterOf = () => undefined) {
    this.#around = around;
  }

  /** The mount table and file tree of a node, as its kubelet and the node part of drivers see it. */
  mounterOf(node: string): Mounter {
    const disk = this.#disk(node);
    const around = this.#around(node);
    return around === undefined ? disk : wrapMounter(disk, around);
  }

  /** A machine that lost power: what was mounted is not, what was written is there. */
  loseMounts(node: string): void {
    this.#disk(node).loseMounts();
  }

  /** What is on the machines: mounts, and files and directories of their own. */
  get contents(): { readonly mounts: number; readonly files: number } {
    const disks = [...this.#mounters.values()].map((disk) => disk.contents);
    return {
      mounts: disks.reduce((sum, { mounts }) => sum + mounts, 0),
      files: disks.reduce((sum, { files }) => sum + files, 0),
    };
  }

  /** A driver whose node part really mounts. */
  mounting(driver: CsiDriver): CsiDriver {
    return withMounts(driver, {
      mounterOf: (node) => this.mounterOf(node),
      deleted: (source) => {
        for (const disk of this.#mounters.values()) disk.forgetVolume(source);
      },
    });
  }

  #disk(node: string): MemoryMounter {
    const known = this.#mounters.get(node) ?? new MemoryMounter();
    this.#mounters.set(node, known);
    return known;
  }
}

/** Drivers that run on a node from the start: each registers with every kubelet that begins there. */
export function pluginTable(drivers: readonly CsiDriver[]): PluginRegistration {
  return {
    subscribe: (sink: PluginSink): Disposable => {
      for (const { name } of drivers) {
        void sink.appeared({
          type: 'CSIPlugin',
          name,
          endpoint: `/var/lib/kubelet/plugins/${name}/csi.sock`,
          supportedVersions: ['1.0.0'],
        });
      }
      return { dispose: () => undefined };
    },
  };
}
