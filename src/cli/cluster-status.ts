// How a running cluster stands: what it told of itself when it started, and what its server answers now.
import { SECOND_MS } from '../base/clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Faults } from '../simulation/chaos/fault-object.ts';
import { withCluster } from './cluster-client.ts';
import { COUNTED_KINDS, type Count, clusterCounts } from './cluster-counts.ts';
import type { Running } from './running-file.ts';
import { printTable } from './table.ts';

export interface ClusterStatus extends Running {
  readonly directory: string;
  readonly uptimeSeconds: number;
  /** What a timestamp of an object made now says. */
  readonly clusterTime: string;
  readonly counts: readonly Count[];
  /** Those in force. */
  readonly faults: readonly { readonly name: string; readonly what: string; readonly target: string }[];
}

export function clusterStatus(directory: string, running: Running): Promise<ClusterStatus> {
  return withCluster({ dataDir: directory }, async (cluster) => {
    const lists = await Promise.all(COUNTED_KINDS.map((kind) => cluster.list(kind)));
    const listed = new Map<Resource<KubeObject>, readonly KubeObject[]>(
      COUNTED_KINDS.map((kind, index) => [kind, lists[index]?.items ?? []]),
    );
    const uptimeMs = Math.max(0, Date.now() - Date.parse(running.startedAt));
    return {
      directory,
      ...running,
      uptimeSeconds: Math.floor(uptimeMs / SECOND_MS),
      clusterTime: await timeOf(cluster),
      counts: clusterCounts((kind) => listed.get(kind) ?? []),
      faults: await faultsIn(cluster),
    };
  });
}

/** Asks what an object would be like without making it: its timestamp is the time of the cluster. */
async function timeOf(cluster: Cluster): Promise<string> {
  const metadata = { namespace: 'default', generateName: 'mooring-time-' };
  const draft = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
  const { metadata: made } = await cluster.create(ConfigMaps, draft, { dryRun: true });
  return made.creationTimestamp ?? '';
}

async function faultsIn(cluster: Cluster): Promise<ClusterStatus['faults']> {
  try {
    const { items } = await cluster.list(Faults);
    return items.flatMap(({ metadata, spec, status }) =>
      status?.state === 'Active' ? [{ name: metadata.name, what: spec.type, target: status.target ?? '' }] : [],
    );
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}

export function statusTable(status: ClusterStatus): string {
  const { address, pid, uptimeSeconds, speed, clusterTime, profile, version, directory, counts, faults } = status;
  const rows: readonly (readonly string[])[] = [
    ['cluster', `${address}, Kubernetes ${profile}, mooring ${version}`],
    ['directory', directory],
    ['process', `${pid}, up ${durationText(uptimeSeconds)}`],
    ['time', `${clusterTime}${speed === 1 ? '' : `, ${speed} times as fast`}`],
    ...counts.map(({ what, good, all, state }) => [what, `${good} of ${all} ${state}`]),
    ...status.components.map(({ program, all, off }) => [program, componentText(all, off)]),
    [
      'faults',
      faults.length === 0
        ? 'none'
        : faults.map(({ name, what, target }) => `${name} (${what} of ${target})`).join(', '),
    ],
  ];
  return printTable(['WHAT', 'STATUS'], rows);
}

function componentText(all: number, off: readonly string[]): string {
  if (off.length === 0) return all === 1 ? 'ours' : `${all} ours`;
  return off.length === all ? 'off' : `${all - off.length} ours, off: ${off.join(', ')}`;
}

/** As kubectl tells an age. */
function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${seconds % 60}s`;
  return minutes < 180 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
