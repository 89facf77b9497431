// What virtual containers use of their machine. They run no program, so the figures are made up, but hold together: they
// follow from what a container asks for and from its name, stay below its limits, never jump, and a node uses what its
// containers use and a little for itself, never more than it has.
import { type InstantMs, SECOND_MS } from '../../base/clock.ts';
import { bytesOf, milliOf } from '../../kube/quantity.ts';
import type { ResourceRequirements } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { RuntimePod } from '../podworkers/container-runtime.ts';

export interface Usage {
  readonly nanoCores: number;
  /** The working set. */
  readonly memoryBytes: number;
}
export interface ContainerUsage extends Usage {
  readonly name: string;
  readonly startedAt: InstantMs;
}
export interface PodUsage extends Usage {
  readonly pod: Pod;
  /** Those that run. */
  readonly containers: readonly ContainerUsage[];
}

const NANOS_PER_MILLI = 1_000_000;
const MEBIBYTE = 1024 * 1024;
/** Of a container that asks for nothing. */
const MILLI_CORES_UNASKED = 4;
const MEMORY_UNASKED = 24 * MEBIBYTE;
/** Of the machine itself. */
const SYSTEM: Usage = { nanoCores: 80 * NANOS_PER_MILLI, memoryBytes: 640 * MEBIBYTE };
/** At most, of a small machine. */
const SYSTEM_SHARE_MAX = 0.1;

export function podUsage(pod: Pod, running: RuntimePod): PodUsage {
  const containers = running.containers.flatMap(({ name, startedAt, exit }): readonly ContainerUsage[] => {
    const asked = pod.spec.containers.find((each) => each.name === name);
    if (exit !== undefined || asked === undefined) return [];
    return [{ name, startedAt, ...containerUsage(asked.resources ?? {}, `${pod.metadata.uid}/${name}`) }];
  });
  return { pod, containers, ...sumOf(containers) };
}

/** `identity` makes two containers of one kind differ, and one container the same every time. */
export function containerUsage({ requests = {}, limits = {} }: ResourceRequirements, identity: string): Usage {
  const part = fractionOf(identity);
  const asked = (name: string): string | undefined => requests[name] ?? limits[name];
  const [cpu, memory] = [asked('cpu'), asked('memory')];
  // Between a third and two thirds of the processor time that was asked for, and most of the memory.
  const milli = cpu === undefined ? MILLI_CORES_UNASKED * (0.5 + part) : milliOf(cpu) * (1 / 3 + part / 3);
  const bytes = memory === undefined ? MEMORY_UNASKED * (0.5 + part) : bytesOf(memory) * (0.5 + part * 0.4);
  return {
    nanoCores: Math.round(Math.min(milli, most(limits['cpu'], milliOf)) * NANOS_PER_MILLI),
    memoryBytes: Math.round(Math.min(bytes, most(limits['memory'], bytesOf))),
  };
}

const most = (limit: string | undefined, read: (quantity: string) => number): number =>
  limit === undefined ? Number.POSITIVE_INFINITY : read(limit) * 0.95;

export function nodeUsage(capacity: Readonly<Record<string, string>>, pods: readonly PodUsage[]): Usage {
  const [nanoCores, memoryBytes] = [
    milliOf(capacity['cpu'] ?? '0') * NANOS_PER_MILLI,
    bytesOf(capacity['memory'] ?? '0'),
  ];
  const used = sumOf([
    ...pods,
    {
      nanoCores: Math.round(Math.min(SYSTEM.nanoCores, nanoCores * SYSTEM_SHARE_MAX)),
      memoryBytes: Math.round(Math.min(SYSTEM.memoryBytes, memoryBytes * SYSTEM_SHARE_MAX)),
    },
  ]);
  return { nanoCores: Math.min(used.nanoCores, nanoCores), memoryBytes: Math.min(used.memoryBytes, memoryBytes) };
}

function sumOf(parts: readonly Usage[]): Usage {
  return {
    nanoCores: parts.reduce((sum, each) => sum + each.nanoCores, 0),
    memoryBytes: parts.reduce((sum, each) => sum + each.memoryBytes, 0),
  };
}

/** Processor time since then. */
export const coreNanoSeconds = ({ nanoCores }: Usage, since: InstantMs, now: InstantMs): number =>
  Math.max(0, Math.round((nanoCores * (now - since)) / SECOND_MS));

/** From 0 to 1: FNV-1a of the text. */
function fractionOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0;
  return hash / 2 ** 32;
}
