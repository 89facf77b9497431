// What a cluster is made of, as data. A story's `cluster` section and an embedded cluster's configuration file both
// become one of these; a world is built from nothing else.
import type { DurationMs } from '../base/clock.ts';
import type { MemoryDriverConfig } from '../csi/drivers/memory/config.ts';
import type { Taint } from '../kube/resources/node-selector.ts';

export interface NodeShape {
  readonly name: string;
  /** `kubelet` unless told otherwise; a `bare` node has no volume manager. */
  readonly agent?: 'kubelet' | 'bare';
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Resource quantities by name; absent ones have the defaults of `DEFAULT_CAPACITY`. */
  readonly capacity?: Readonly<Record<string, string>>;
}

export interface DriverShape {
  readonly driver: MemoryDriverConfig;
  /** `CSIDriver.spec` as far as it differs from the API's defaults. */
  readonly attachRequired?: boolean;
  readonly storageCapacity?: boolean;
  /** How long each call takes, by RPC name; `default` for the others. */
  readonly latencyMs?: Readonly<Record<string, DurationMs>>;
}

export interface ClassShape {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly waitForFirstConsumer?: boolean;
  readonly default?: boolean;
  readonly reclaimPolicy?: 'Delete' | 'Retain';
  readonly allowVolumeExpansion?: boolean;
  readonly mountOptions?: readonly string[];
}

export interface AttributesClassShape {
  readonly name: string;
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

export type SettingValue = string | number | boolean;

/**
 * By upstream's name. A program as a whole (`kube-scheduler: false`), a controller of the manager by the name that
 * `--controllers` knows it by (`statefulset-controller: false`), or single parts of a program, by driver for sidecars and by
 * node for kubelets (`csi-attacher: { disk.mooring.dev: false }`). What is particular wins over what is general.
 */
export type ComponentSwitches = Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>;

export interface ClusterShape {
  readonly nodes: readonly NodeShape[];
  /** The Kubernetes version whose behaviour is played. */
  readonly profile: string;
  readonly drivers: readonly DriverShape[];
  readonly classes: readonly ClassShape[];
  /** VolumeAttributesClasses. */
  readonly attributesClasses?: readonly AttributesClassShape[];
  /** Timers, client limits and flags by their upstream names; what is absent has upstream's default. */
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** Which components run; all of them where nothing is said. */
  readonly components?: ComponentSwitches;
  /**
   * Pods at rest are not synced and volumes whose fill nobody reads are not asked for it. Differs from a world that is not
   * tickless by the milliseconds that those reads took, and by the driver calls that are not made.
   */
  readonly tickless?: boolean;
}

export const ZONE_LABEL = 'topology.kubernetes.io/zone';
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** `count` nodes named node-a, node-b, … dealt out over `zones` zones named zone-1, zone-2, … in blocks. */
export function plainNodes(count: number, zones: number): readonly NodeShape[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${letters(index)}`,
    zone: `zone-${Math.floor((index * zones) / count) + 1}`,
  }));
}

/** a, b, … z, aa, ab, … */
function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
