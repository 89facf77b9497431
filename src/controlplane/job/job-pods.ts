// The pods of a Job: how far each is, and what a new one looks like. A pod bears a finalizer until it is counted.
// kubernetes:pkg/controller/job/{job_controller.go,indexed_job_utils.go,tracking_utils.go}
import type { Draft } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { isPodActive, isPodReady, isPodTerminating } from '../../kube/pod-readiness.ts';
import type { Job } from '../../kube/resources/job.ts';
import type { Pod } from '../../kube/resources/pod.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const NAME_BASE_LENGTH_MAX = 58;

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
export const hasSucceeded = ({ status }: Pod): boolean => status.phase === 'Succeeded';

/** A pod that is being deleted has failed, unless the Job waits until it really has. */
export function hasFailed(pod: Pod, { spec }: Job): boolean {
  if (pod.status.phase === 'Failed') return true;
  return spec.podReplacementPolicy !== 'Failed' && isPodTerminating(pod);
}

/** undefined: none, or none that the Job has. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? '';
  return /^\d+$/.test(text) && Number(text) < (spec.completions ?? 0) ? Number(text) : undefined;
}

export interface Tally {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Ended and not noted in the status yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** With those that are noted and not counted, and those that are neither. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of an indexed Job, in order. */
  readonly succeededIndexes: readonly number[];
}

export function tallyOf(job: Job, pods: readonly Pod[]): Tally {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods = {} } = job.status;
  const noted = {
    succeeded: uncountedTerminatedPods.succeeded ?? [],
    failed: uncountedTerminatedPods.failed ?? [],
  };
  const isNew = ({ metadata }: Pod): boolean =>
    !noted.succeeded.includes(metadata.uid) && !noted.failed.includes(metadata.uid);
  const tracked = pods.filter((pod) => isTracked(pod) && isNew(pod));
  const newlySucceeded = tracked.filter(hasSucceeded);
  const newlyFailed = tracked.filter((pod) => hasFailed(pod, job));
  const active = pods.filter(isPodActive);
  const succeededIndexes = isIndexed(job) ? indexesOf(job, newlySucceeded) : [];
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job) ? succeededIndexes.length : succeeded + noted.succeeded.length + newlySucceeded.length,
    failed: failed + noted.failed.length + newlyFailed.length,
    succeededIndexes,
  };
}

function indexesOf(job: Job, newlySucceeded: readonly Pod[]): readonly number[] {
  const known = parseIndexes(job.status.completedIndexes ?? '');
  const all = new Set([...known, ...newlySucceeded.flatMap((pod) => indexOf(pod, job) ?? [])]);
  return [...all].filter((index) => index < (job.spec.completions ?? 0)).toSorted((a, b) => a - b);
}

/** `0-2,5` */
export function parseIndexes(text: string): readonly number[] {
  return text.split(',').flatMap((part) => {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === '') return [];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, offset) => Number(first) + offset);
  });
}

/** Three or more in a row are written as a range. */
export function formatIndexes(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const written = ([first, last]: [number, number]): string =>
    first === last ? String(first) : `${first}${last === first + 1 ? ',' : '-'}${last}`;
  return runs.map(written).join(',');
}

export function newJobPod(job: Job, index: number | undefined): Draft<Pod> {
  const { metadata, spec } = job.spec.template;
  const { name, namespace } = job.metadata;
  const own = index === undefined ? {} : { [INDEX]: String(index) };
  const suffix = index === undefined ? '-' : `-${index}-`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name.slice(0, NAME_BASE_LENGTH_MAX - suffix.length)}${suffix}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, ...own },
      annotations: { ...metadata.annotations, ...own },
      finalizers: [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING_FINALIZER), TRACKING_FINALIZER],
      ownerReferences: [ownerReferenceTo(job, { controller: true, blockOwnerDeletion: true })],
    },
    spec: index === undefined ? spec : { ...withIndexVariable(spec), hostname: `${name}-${index}` },
  };
}

type PodSpec = Pod['spec'];

function withIndexVariable(spec: PodSpec): PodSpec {
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } };
  const containers = spec.containers.map((container) => {
    const { env = [] } = container;
    if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
    return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom }] };
  });
  return { ...spec, containers };
}
