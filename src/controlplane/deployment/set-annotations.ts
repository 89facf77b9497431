// What a Deployment notes on its ReplicaSets: which revision each is, and for how many replicas it was meant.
// kubernetes:pkg/controller/deployment/util/deployment_util.go
import { annotationOf } from '../../kube/annotations.ts';
import type { Deployment } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { maxSurgeOf, replicasOf } from './rollout-limits.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Annotations of the Deployment that are its own business. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
/** kubernetes:pkg/controller/deployment/sync.go */
const HISTORY_LENGTH_MAX = 2000;

type Annotations = Readonly<Record<string, string>>;

/** 0 for none; undefined for one that is no number, which then counts nowhere. */
export const revisionOf = (set: ReplicaSet): bigint | undefined => revisionIn(annotationOf(set, REVISION));

/** Revisions are integers of 64 bits: as a number of ours a large one would lose its last digits. */
function revisionIn(text = '0'): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

export const maxRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map((set) => revisionOf(set) ?? 0n).reduce((max, each) => (each > max ? each : max), 0n);

/** A count that an annotation holds; undefined if it holds none. */
export function countIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = annotationOf(set, annotation) ?? '';
  if (!/^\d+$/.test(text)) return undefined;
  const count = Number(text);
  return count > 2 ** 31 - 1 ? undefined : count;
}

export function replicasAnnotations(deployment: Deployment): Annotations {
  const replicas = replicasOf(deployment);
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurgeOf(deployment)) };
}

export const hasReplicasAnnotations = (set: ReplicaSet, deployment: Deployment): boolean =>
  Object.entries(replicasAnnotations(deployment)).every(([key, value]) => annotationOf(set, key) === value);

/** The annotations of the new set: those of the Deployment, and a revision above all old ones. */
export function newSetAnnotations(deployment: Deployment, before: Annotations, newRevision: bigint): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  const annotations = { ...before, ...Object.fromEntries(copied) };
  const known = revisionIn(before[REVISION]);
  if (known === undefined || known >= newRevision) return annotations;
  return { ...annotations, ...history(before), [REVISION]: String(newRevision) };
}

/** A set that gets a second revision was rolled back to: its former revisions stay known, the oldest going first. */
function history(before: Annotations): Annotations {
  const former = before[REVISION];
  if (former === undefined) return {};
  const revisions = [...(before[REVISION_HISTORY] ?? '').split(',').filter((each) => each !== ''), former];
  while (revisions.length > 1 && revisions.join(',').length > HISTORY_LENGTH_MAX) revisions.shift();
  return { [REVISION_HISTORY]: revisions.join(',') };
}
