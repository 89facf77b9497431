// The ReplicaSets of a Deployment, told apart by template: the new one has the Deployment's, all others are old.
// kubernetes:pkg/controller/deployment/util/deployment_util.go
import type { Deployment } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { replicasOf } from './rollout-limits.ts';
import { isSameTemplate } from './template-hash.ts';

export interface ReplicaSetsOf {
  readonly newSet: ReplicaSet | undefined;
  /** From the oldest to the newest. */
  readonly oldSets: readonly ReplicaSet[];
}

/** Should several have the template, the oldest is the new one. */
export function tellApart(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSetsOf {
  const byAge = oldestFirst(sets);
  const newSet = byAge.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
  return { newSet, oldSets: byAge.filter((set) => set !== newSet) };
}

export const allSets = ({ newSet, oldSets }: ReplicaSetsOf): readonly ReplicaSet[] =>
  newSet === undefined ? oldSets : [...oldSets, newSet];

export const activeSets = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  sets.filter((set) => replicasOf(set) > 0);

export const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((total, set) => total + (count(set) ?? 0), 0);

export const availableIn = (sets: readonly ReplicaSet[]): number => sum(sets, ({ status }) => status.availableReplicas);

export const oldestFirst = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] => sets.toSorted(compareAge);

export function compareAge({ metadata: left }: ReplicaSet, { metadata: right }: ReplicaSet): number {
  return compareText(left.creationTimestamp, right.creationTimestamp) || compareText(left.name, right.name);
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
