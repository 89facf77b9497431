// What `/metrics` of a node tells: what the kubelet has counted since it started, and how things stand.
// kubernetes:pkg/kubelet/metrics, pkg/kubelet/volumemanager/metrics, pkg/volume/util/metrics.go
import type { DurationMs } from '../../base/clock.ts';
import { isRunning, type RuntimePod } from '../podworkers/container-runtime.ts';
import { samplesByClaim, type VolumeSample } from '../stats/volume-stats.ts';
import type { VolumeMetric } from '../volumemanager/volume-services.ts';
import { Durations } from './durations.ts';
import type { Family, Sample } from './exposition.ts';

export interface MetricFacts {
  readonly nodeName: string;
  readonly version: string;
  /** Names of volumes, once for each pod that wants or has them. */
  readonly wanted: readonly string[];
  readonly mounted: readonly string[];
  readonly runtimePods: readonly RuntimePod[];
  readonly samples: readonly VolumeSample[];
}

const COUNTED: Readonly<Record<VolumeMetric, string>> = {
  reconstruct_volume_operations_total: 'Volumes found on the machine at the start of the kubelet.',
  reconstruct_volume_operations_errors_total: 'Volumes found at the start of the kubelet that could not be read.',
  force_cleaned_failed_volume_operations_total:
    'Volumes cleaned up that could not be read at the start of the kubelet.',
  force_cleaned_failed_volume_operation_errors_total: 'Volumes that could be neither read nor cleaned up.',
};

export class KubeletMetrics {
  readonly #counts = new Map<string, number>();
  readonly #operations = new Durations('storage_operation_duration_seconds', 'How long operations on volumes took.');
  readonly #calls = new Durations(
    'csi_operations_seconds',
    'How long calls to CSI drivers took, by the code they ended with.',
  );

  count(metric: VolumeMetric): void {
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + 1);
  }

  operated(
    { volumeName, operation, failed }: { volumeName: string; operation: string; failed: boolean },
    tookMs: DurationMs,
  ): void {
    const status = failed ? 'fail-unknown' : 'success';
    const labels = { migrated: 'false', operation_name: operation, status, volume_plugin: pluginOf(volumeName) };
    this.#operations.observe(labels, tookMs);
  }

  called({ driver, method, code }: { driver: string; method: string; code: string }, tookMs: DurationMs): void {
    const labels = { driver_name: driver, grpc_status_code: code, method_name: method, migrated: 'false' };
    this.#calls.observe(labels, tookMs);
  }

  families(facts: MetricFacts): readonly Family[] {
    const { nodeName, version } = facts;
    const [major = '', minor = ''] = version.replace('v', '').split('.');
    return [
      ...Object.entries(COUNTED).map(([name, help]) => counter(name, help, this.#counts.get(name) ?? 0)),
      this.#operations.family(),
      this.#calls.family(),
      gauge('kubelet_node_name', 'The name of the node; always 1.', [{ labels: { node: nodeName }, value: 1 }]),
      gauge('kubernetes_build_info', 'What runs here; always 1.', [
        { labels: { git_version: version, major, minor }, value: 1 },
      ]),
      ...volumeFamilies(facts),
      ...podFamilies(facts.runtimePods),
    ];
  }
}

const counter = (name: string, help: string, value: number): Family => ({
  name,
  help,
  type: 'counter',
  samples: [{ value }],
});
const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  samples,
});

/** The plugin of a volume, with its driver if it is a CSI volume. */
function pluginOf(volumeName: string): string {
  const [, plugin = volumeName, driver] = /^(kubernetes\.io\/[^/]+)\/(?:([^^]+)\^)?/.exec(volumeName) ?? [];
  return driver === undefined ? plugin : `${plugin}:${driver}`;
}

function volumeFamilies({ wanted, mounted, samples }: MetricFacts): readonly Family[] {
  const claims = [...samplesByClaim(samples).values()];
  const ofClaims = (name: string, help: string, read: (sample: VolumeSample) => bigint): Family =>
    gauge(
      `kubelet_volume_stats_${name}`,
      help,
      claims.map((sample) => ({
        labels: { namespace: sample.pvcRef?.namespace ?? '', persistentvolumeclaim: sample.pvcRef?.name ?? '' },
        value: Number(read(sample)),
      })),
    );
  return [
    gauge('volume_manager_total_volumes', 'Volumes that the volume manager wants and has.', [
      ...byPlugin(mounted, 'actual_state_of_world'),
      ...byPlugin(wanted, 'desired_state_of_world'),
    ]),
    ofClaims('capacity_bytes', 'How large the volume is.', ({ capacityBytes }) => capacityBytes),
    ofClaims('available_bytes', 'How much is free.', ({ availableBytes }) => availableBytes),
    ofClaims('used_bytes', 'How much is used.', ({ usedBytes }) => usedBytes),
    ofClaims('inodes', 'How many files the volume can hold.', ({ inodes }) => inodes),
    ofClaims('inodes_free', 'How many files can be made yet.', ({ inodesFree }) => inodesFree),
    ofClaims('inodes_used', 'How many files there are.', ({ inodesUsed }) => inodesUsed),
  ];
}

function byPlugin(volumes: readonly string[], state: string): readonly Sample[] {
  const counts = new Map<string, number>();
  for (const name of volumes) counts.set(pluginOf(name), (counts.get(pluginOf(name)) ?? 0) + 1);
  return [...counts].map(([plugin, value]) => ({ labels: { plugin_name: plugin, state }, value }));
}

function podFamilies(pods: readonly RuntimePod[]): readonly Family[] {
  const states = pods.flatMap(({ containers }) =>
    containers.map(({ exit }) => (exit === undefined ? 'running' : 'exited')),
  );
  const inState = (state: string): Sample => ({
    labels: { container_state: state },
    value: states.filter((each) => each === state).length,
  });
  return [
    gauge('kubelet_running_pods', 'Pods with a container that runs.', [{ value: pods.filter(isRunning).length }]),
    gauge('kubelet_running_containers', 'Containers, by what they do.', [inState('exited'), inState('running')]),
  ];
}
