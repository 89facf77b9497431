// The pods of a set, node by node: which one a node is to keep, which are too many, and what a new one looks like.
import type { Draft } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { hasPodEnded } from '../../kube/pod-readiness.ts';
import type { DaemonSet } from '../../kube/resources/daemon-set.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';
import { daemonTolerations } from './node-fit.ts';

export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';
const NAME_FIELD = 'metadata.name';

export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** A pod that has ended and is being deleted concerns nobody any more. */
export function podsByNode(pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods.toSorted(scheduledThenOldest)) {
    const node = targetOf(pod);
    if (node === undefined || (hasPodEnded(pod) && isLeaving(pod))) continue;
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Where a pod is, or is meant to be once the scheduler has seen it. */
export function targetOf({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return fields.find(({ key, operator }) => key === NAME_FIELD && operator === 'In')?.values?.[0];
}

const isScheduled = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

function scheduledThenOldest(left: Pod, right: Pod): number {
  if (isScheduled(left) !== isScheduled(right)) return isScheduled(left) ? -1 : 1;
  const [a, b] = [left.metadata, right.metadata];
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** By the hash of its revision, or as older versions marked it. */
export function isUpdated({ metadata }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = generationOf(set);
  return (
    metadata.labels?.[HASH_LABEL] === hash ||
    (generation !== undefined && metadata.labels?.[GENERATION_LABEL] === generation)
  );
}

function generationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION_ANNOTATION];
  return text !== undefined && /^\d+$/.test(text) ? text : undefined;
}

/** The scheduler places it, on the one node that it may be on. */
export function newDaemonPod(set: DaemonSet, node: string, hash: string): Draft<Pod> {
  const { metadata, spec } = set.spec.template;
  const { name, namespace } = set.metadata;
  const generation = generationOf(set);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...metadata.labels,
        ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
        [HASH_LABEL]: hash,
      },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
      ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })],
    },
    spec: { ...spec, tolerations: daemonTolerations(spec), affinity: onNode(spec, node) },
  };
}

function onNode({ affinity }: PodSpec, node: string): NonNullable<PodSpec['affinity']> {
  const required = { nodeSelectorTerms: [{ matchFields: [{ key: NAME_FIELD, operator: 'In', values: [node] }] }] };
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}
