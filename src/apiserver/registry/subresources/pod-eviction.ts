// POST pods/eviction: a deletion that asks the pod's disruption budget first. Pods that do not run disrupt nobody.
// kubernetes:pkg/registry/core/pod/storage/eviction.go
import { type InstantMs, timestamp } from '../../../base/clock.ts';
import { badRequest, forbidden, tooManyRequests, unclassified } from '../../../kube/api-error.ts';
import type { DeleteOptions } from '../../../kube/cluster.ts';
import { labelMatcherOf } from '../../../kube/label-selector.ts';
import { type ObjectKey, type Resource, keyOf, splitKey } from '../../../kube/object.ts';
import { type Eviction, EvictionSchema } from '../../../kube/resources/eviction.ts';
import type { Condition } from '../../../kube/resources/meta.ts';
import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  PodDisruptionBudgets,
} from '../../../kube/resources/pod-disruption-budget.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import type { AdmissionReader } from '../../admission/admission.ts';
import type { Call, StoredObject } from '../generic-call.ts';
import type { GenericRegistry } from '../generic-registry.ts';
import { withPodCondition } from './pod-condition.ts';

/** kubernetes:pkg/registry/core/pod/storage/eviction.go */
const DISRUPTED_PODS_MAX = 2000;
const RETRY_AFTER_SECONDS = 10;
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";

/** What is posted. It is never stored. */
export const Evictions: Resource<Eviction> = {
  group: 'policy',
  version: 'v1',
  plural: 'evictions',
  kind: 'Eviction',
  namespaced: true,
  schema: EvictionSchema,
};

export interface EvictionServices {
  readonly pods: GenericRegistry;
  readonly budgets: GenericRegistry;
  readonly reader: AdmissionReader;
  readonly now: InstantMs;
}

export function evictPod(services: EvictionServices, key: ObjectKey, eviction: Eviction, call: Call): void {
  if (eviction.metadata?.name !== splitKey(key).name)
    throw badRequest('name in URL does not match name in Eviction object');
  const dryRun = call.dryRun || (eviction.deleteOptions?.dryRun?.length ?? 0) > 0;
  const evicting: Call = { ...call, dryRun };
  const pod = services.pods.get(key) as unknown as Pod;
  if (!disruptsNobody(pod)) spendBudget(services, pod, evicting);
  const options = deleteOptionsOf(eviction);
  if (!dryRun) markEvicted(services, key, pod, call);
  services.pods.delete(key, options, { ...evicting, subresource: 'eviction' });
}

/** Pending and finished pods, and those already going, serve nobody. */
function disruptsNobody({ metadata, status }: Pod): boolean {
  return ['Pending', 'Succeeded', 'Failed'].includes(status.phase ?? '') || metadata.deletionTimestamp !== undefined;
}

function deleteOptionsOf({ deleteOptions = {} }: Eviction): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = deleteOptions;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined
      ? {}
      : { propagationPolicy: propagationPolicy as NonNullable<DeleteOptions['propagationPolicy']> }),
    ...(preconditions?.uid === undefined ? {} : { preconditions: { uid: preconditions.uid } }),
  };
}

function markEvicted({ pods, now }: EvictionServices, key: ObjectKey, pod: Pod, call: Call): void {
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const marked: Pod = { ...pod, status: withPodCondition(pod.status, target, timestamp(now)) };
  pods.store(key, marked as unknown as StoredObject, call);
}

/** Takes one disruption from the pod's budget, or throws. A pod that is not ready costs nothing where the budget allows it. */
function spendBudget(services: EvictionServices, pod: Pod, call: Call): void {
  const budgets = budgetsOf(services.reader, pod);
  if (budgets.length > 1) {
    throw unclassified(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined || goesFree(pod, budget)) return;
  requireRoom(budget);
  const spent: PodDisruptionBudget = { ...budget, status: spentStatus(budget, pod.metadata.name, services.now) };
  // Upstream the server writes the budget through its own client.
  const inner: Call = {
    ...call,
    verb: 'update',
    subresource: 'status',
    fieldManager: 'kube-apiserver',
    warnings: [],
  };
  services.budgets.update(keyOf(budget), { type: 'whole', object: spent as unknown as StoredObject }, inner);
}

function budgetsOf(reader: AdmissionReader, pod: Pod): readonly PodDisruptionBudget[] {
  return [...reader.all(PodDisruptionBudgets, pod.metadata.namespace)].filter((budget) =>
    labelMatcherOf(budget.spec.selector).matches(pod.metadata.labels),
  );
}

function goesFree({ status }: Pod, budget: PodDisruptionBudget): boolean {
  const isReady = status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false;
  if (isReady) return false;
  if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return budget.status.currentHealthy >= budget.status.desiredHealthy && budget.status.desiredHealthy > 0;
}

function requireRoom({ metadata, status }: PodDisruptionBudget): void {
  const { name } = metadata;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
  }
  if (status.disruptionsAllowed < 0) {
    throw forbidden({ group: 'policy', plural: 'poddisruptionbudget' }, name, 'pdb disruptions allowed is negative');
  }
  if (Object.keys(status.disruptedPods ?? {}).length > DISRUPTED_PODS_MAX) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden({ group: 'policy', plural: 'poddisruptionbudget' }, name, why);
  }
  if (status.disruptionsAllowed === 0) throw refusal(whyNoRoom(name, status));
}

function whyNoRoom(name: string, { conditions, currentHealthy, desiredHealthy }: PodDisruptionBudgetStatus): string {
  const condition = conditions?.find(({ type, status }) => type === 'DisruptionAllowed' && status === 'False');
  const told = condition?.message ?? '';
  if (told !== '' && condition?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${told}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  if (told !== '')
    return `The disruption budget ${name} does not allow evicting pods currently (${condition?.reason}): ${told}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

function refusal(message: string, retryAfterSeconds?: number): Error {
  const causes = [{ reason: 'DisruptionBudget', message }];
  return tooManyRequests(VIOLATION, retryAfterSeconds === undefined ? { causes } : { causes, retryAfterSeconds });
}

function spentStatus({ status }: PodDisruptionBudget, podName: string, now: InstantMs): PodDisruptionBudgetStatus {
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const spent = {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [podName]: timestamp(now) },
  };
  return disruptionsAllowed > 0 ? spent : { ...spent, conditions: withoutRoom(status, timestamp(now)) };
}

function withoutRoom(
  { conditions = [], observedGeneration }: PodDisruptionBudgetStatus,
  now: string,
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((each) => (each === before ? condition : each));
}
