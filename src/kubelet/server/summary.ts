// `/stats/summary` of a node. kubernetes:staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import { bytesOf } from '../../kube/quantity.ts';
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
          ...(volumes.length === 0 ? {} : { volume: volumes.map(volumeSummary) }),
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

const volumeSummary = ({ time, name, pvcRef, condition: _condition, ...figures }: VolumeSample): object => ({
  time: timestamp(time),
  ...Object.fromEntries(Object.entries(figures).map(([what, value]) => [what, Number(value)])),
  name,
  ...(pvcRef === undefined ? {} : { pvcRef }),
});
