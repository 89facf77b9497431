import {
  type Infer,
  always,
  int32,
  int64,
  intOrString,
  list,
  map,
  message,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { ConditionSchema, LabelSelectorSchema, metadata } from './meta.ts';

const PodDisruptionBudgetSpecSchema = message('io.k8s.api.policy.v1.PodDisruptionBudgetSpec', {
  minAvailable: pointer(1, intOrString),
  selector: pointer(2, of(LabelSelectorSchema)),
  maxUnavailable: pointer(3, intOrString),
  unhealthyPodEvictionPolicy: pointer(4, string),
});
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpecSchema> {}

const PodDisruptionBudgetStatusSchema = message('io.k8s.api.policy.v1.PodDisruptionBudgetStatus', {
  observedGeneration: omitempty(1, int64),
  disruptedPods: omitempty(2, map(time)),
  disruptionsAllowed: always(3, int32),
  currentHealthy: always(4, int32),
  desiredHealthy: always(5, int32),
  expectedPods: always(6, int32),
  conditions: omitempty(
    7,
    list(of(ConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
});
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatusSchema> {}

const PodDisruptionBudgetSchema = message('io.k8s.api.policy.v1.PodDisruptionBudget', {
  metadata: always(1, metadata),
  spec: always(2, of(PodDisruptionBudgetSpecSchema)),
  status: always(3, of(PodDisruptionBudgetStatusSchema)),
});

export interface PodDisruptionBudget extends Infer<typeof PodDisruptionBudgetSchema> {
  readonly apiVersion: 'policy/v1';
  readonly kind: 'PodDisruptionBudget';
}

export const PodDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  schema: PodDisruptionBudgetSchema,
};
