// `/stats/summary` of a node. kubernetes:staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import { bytesOf } from '../../kube/quantity.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { VolumeSample } from '../stats/volume-stats.ts';
import { sinceOf } from './resource-metrics.ts';
import { type PodUsage, type Usage, coreNanoSeconds } from './usage.ts';

export interface SummaryFacts {
  readonly nodeName: string;
  readonly now: InstantMs;
  /** When the node came up. */
  readonly since: InstantMs;
  readonly capacity: Readonly<Record<string, string>>;
  readonly node: Usage;
  readonly pods: readonly (PodUsage & { readonly volumes: readonly VolumeSample[] })[];
  /** `only_cpu_and_memory` */
  readonly isShort: boolean;
}

/** What a file system has of files, one for so many bytes, as ext4 is made. */
const BYTES_PER_INODE = 16_384;
const PROCESSES_MAX = 4_194_304;
/** Of a directory with a certificate, a token and a name, in blocks, as it is on every real node. */
const BYTES_OF_FILES = 12_288;
const INODES_OF_FILES = 9;
/** What a file system is filled with before anybody writes, in part of its size. */
const SYSTEM_FILES_SHARE = 0.02;

export function summaryOf(facts: SummaryFacts): object {
  const { nodeName, now, since, capacity, node, pods, isShort } = facts;
  const time = timestamp(now);
  const memory = bytesOf(capacity['memory'] ?? '0');
  const disk = diskOf(capacity, time);
  return {
    node: {
      nodeName,
      systemContainers: [],
      startTime: timestamp(since),
      ...cpuAndMemory(node, { since, now, capacityBytes: memory }),
      ...(isShort
        ? {}
        : {
            fs: disk,
            runtime: { imageFs: disk, containerFs: disk },
            rlimit: { time, maxpid: PROCESSES_MAX, curproc: pods.flatMap(({ containers }) => containers).length },
          }),
    },
    pods: pods.map((each) => podSummary(each, facts)),
  };
}

function podSummary(usage: SummaryFacts['pods'][number], { now, capacity, isShort }: SummaryFacts): object {
  const { pod, containers, volumes } = usage;
  const { name, namespace = '', uid } = pod.metadata;
  const since = sinceOf(usage, now);
  const time = timestamp(now);
  const told = isShort ? [] : [...volumes.map(volumeSummary), ...localVolumes(pod, volumes, diskOf(capacity, time))];
  const none = isShort ? undefined : { ...diskOf(capacity, time), usedBytes: 0, inodesUsed: 0 };
  return {
    podRef: { name, namespace, uid },
    startTime: pod.status.startTime ?? timestamp(since),
    containers: containers.map((container) => ({
      name: container.name,
      startTime: timestamp(container.startedAt),
      ...cpuAndMemory(container, { since: container.startedAt, now }),
      ...(none === undefined ? {} : { rootfs: none, logs: none }),
    })),
    ...cpuAndMemory(usage, { since, now }),
    ...(isShort
      ? {}
      : {
          ...(told.length === 0 ? {} : { volume: told }),
          'ephemeral-storage': none,
          process_stats: { process_count: 0 },
        }),
  };
}

interface Span {
  readonly since: InstantMs;
  readonly now: InstantMs;
  /** Of memory, where it is known. */
  readonly capacityBytes?: number;
}

function cpuAndMemory(usage: Usage, { since, now, capacityBytes }: Span): object {
  const time = timestamp(now);
  const { nanoCores, memoryBytes } = usage;
  return {
    cpu: { time, usageNanoCores: nanoCores, usageCoreNanoSeconds: coreNanoSeconds(usage, since, now) },
    memory: {
      time,
      ...(capacityBytes === undefined ? {} : { availableBytes: Math.max(0, capacityBytes - memoryBytes) }),
      usageBytes: memoryBytes,
      workingSetBytes: memoryBytes,
      rssBytes: memoryBytes,
      pageFaults: 0,
      majorPageFaults: 0,
    },
  };
}

function diskOf(capacity: Readonly<Record<string, string>>, time: string): object {
  const capacityBytes = bytesOf(capacity['ephemeral-storage'] ?? '0');
  const inodes = Math.floor(capacityBytes / BYTES_PER_INODE);
  const usedBytes = Math.round(capacityBytes * SYSTEM_FILES_SHARE);
  const inodesUsed = Math.round(inodes * SYSTEM_FILES_SHARE);
  return {
    time,
    availableBytes: capacityBytes - usedBytes,
    capacityBytes,
    usedBytes,
    inodesFree: inodes - inodesUsed,
    inodes,
    inodesUsed,
  };
}

/** Volumes that are directories of the node: they have its disk, and next to nothing is in them. */
function localVolumes(pod: Pod, told: readonly VolumeSample[], disk: object): readonly object[] {
  const known = new Set(told.map(({ name }) => name));
  const local = (pod.spec.volumes ?? []).filter(
    ({ name, emptyDir, configMap, secret, projected, downwardAPI }) =>
      !known.has(name) && [emptyDir, configMap, secret, projected, downwardAPI].some((source) => source !== undefined),
  );
  return local.map(({ name, emptyDir }) => ({
    ...disk,
    usedBytes: emptyDir === undefined ? BYTES_OF_FILES : 0,
    inodesUsed: emptyDir === undefined ? INODES_OF_FILES : 1,
    name,
  }));
}

const volumeSummary = ({ time, name, pvcRef, condition: _condition, ...figures }: VolumeSample): object => ({
  time: timestamp(time),
  ...Object.fromEntries(Object.entries(figures).map(([what, value]) => [what, Number(value)])),
  name,
  ...(pvcRef === undefined ? {} : { pvcRef }),
});
