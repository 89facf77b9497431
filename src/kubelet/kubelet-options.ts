import { type DurationMs, MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import type { CsiDriver } from '../csi/driver.ts';
import type { PluginRegistration } from '../csi/plugin-registration.ts';
import type { Taint } from '../kube/resources/node-selector.ts';
import type { Mounter } from './mounter/mounter.ts';
import type { ContainerRuntime } from './podworkers/container-runtime.ts';
import type { ContainerBehaviour } from './podworkers/memory-runtime.ts';
import type { Pod } from '../kube/resources/pod.ts';
import type { NodeServer } from './server/server.ts';
import type { VolumeSample } from './stats/volume-stats.ts';
import type { ClaimChanges } from './volumemanager/populator.ts';
import type { VolumeMetric } from './volumemanager/volume-services.ts';

/** By their names in KubeletConfiguration, times in milliseconds unless the name says seconds. */
export interface KubeletSettings {
  readonly nodeStatusUpdateFrequencyMs: DurationMs;
  readonly nodeStatusReportFrequencyMs: DurationMs;
  readonly nodeLeaseDurationSeconds: number;
  readonly syncFrequencyMs: DurationMs;
  /** Zero or less: drivers are never asked how full their volumes are. */
  readonly volumeStatsAggPeriodMs: DurationMs;
  /** Before 1.30 or so a pod whose volumes only took too long got an Event for it; 1.36 logs. */
  readonly emitFailedMountOnTimeout: boolean;
  /** Feature gate: an Event for every sample in which a driver calls a volume abnormal. */
  readonly csiVolumeHealth: boolean;
}

/** kubernetes:pkg/kubelet/apis/config/v1beta1/defaults.go */
export const DEFAULT_KUBELET_SETTINGS: KubeletSettings = {
  nodeStatusUpdateFrequencyMs: 10 * SECOND_MS,
  nodeStatusReportFrequencyMs: 5 * MINUTE_MS,
  nodeLeaseDurationSeconds: 40,
  syncFrequencyMs: MINUTE_MS,
  volumeStatsAggPeriodMs: MINUTE_MS,
  emitFailedMountOnTimeout: false,
  csiVolumeHealth: false,
};

/**
 * Where in their periods the free-running timers are. Absent ones are drawn at the first start of a node, which stands for
 * a node that has been up for long; after a restart all of them count from the start, as a process that just began.
 */
export interface KubeletPhases {
  /** From the first renewal of the lease to the second. */
  readonly leaseMs?: DurationMs;
  /** From the first report of the node's status to the second. */
  readonly nodeStatusMs?: DurationMs;
  /** From the start to the first look at the containers, which are looked at every second. */
  readonly relistMs?: DurationMs;
  /** From the start to the first look for pods whose next sync is due, every second. */
  readonly syncMs?: DurationMs;
  readonly populatorMs?: DurationMs;
  readonly reconcilerMs?: DurationMs;
  /** From the start to the first look for pods whose volumes are asked for their stats, every VolumeStatsAggPeriod. */
  readonly statsMs?: DurationMs;
}

export interface KubeletOptions {
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  /** The version the node says it runs, without the v. */
  readonly profile: string;
  readonly mounter: Mounter;
  readonly plugins: PluginRegistration;
  /** The driver whose node part runs here; undefined while its process does not. */
  driverOf(name: string): CsiDriver | undefined;
  readonly settings?: Partial<KubeletSettings>;
  readonly phases?: KubeletPhases;
  /** The containers of the machine; absent: containers in memory that behave as told. */
  readonly runtime?: ContainerRuntime;
  readonly behaviourOf?: (pod: Pod) => ContainerBehaviour;
  readonly rootDirectory?: string;
  /** The node's internal IP. */
  readonly address?: string;
  readonly observer?: KubeletObserver;
  /** Where the node can be asked for itself; absent: nobody asks. */
  readonly serving?: NodeServing;
  /**
   * With it the node is tickless: a running pod is synced again only if one of its claims or volumes was written, at the
   * time at which it would have been synced anyway, and drivers are asked how full volumes are only if somebody hears
   * it. Without it, as upstream, every sync reads every claim and volume, and drivers are asked all the time.
   */
  readonly claimChanges?: ClaimChanges;
}

/** The place of a node's own server. It belongs to the machine: each life of the kubelet answers there until it ends. */
export interface NodeServing {
  /** The node's internal IP, instead of `address`. */
  readonly address: string;
  readonly port: number;
  serve(server: NodeServer, life: AbortSignal): void;
}

/** Told what a kubelet's metrics are made of. */
export interface KubeletObserver {
  counted?(metric: VolumeMetric): void;
  sampled?(pod: Pod, samples: readonly VolumeSample[]): void;
}
