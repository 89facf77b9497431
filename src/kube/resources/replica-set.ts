import {
  type Infer,
  always,
  int32,
  int64,
  list,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { LabelSelectorSchema, metadata } from './meta.ts';
import { PodTemplateSpecSchema } from './pod-spec.ts';

const ReplicaSetSpecSchema = message('io.k8s.api.apps.v1.ReplicaSetSpec', {
  replicas: pointer(1, int32),
  minReadySeconds: omitempty(4, int32),
  selector: nullable(2, of(LabelSelectorSchema)),
  template: always(3, of(PodTemplateSpecSchema)),
});
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpecSchema> {}

const ReplicaSetConditionSchema = message('io.k8s.api.apps.v1.ReplicaSetCondition', {
  type: always(1, string),
  status: always(2, string),
  lastTransitionTime: nullable(3, time),
  reason: omitempty(4, string),
  message: omitempty(5, string),
});
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetConditionSchema> {}

const ReplicaSetStatusSchema = message('io.k8s.api.apps.v1.ReplicaSetStatus', {
  replicas: always(1, int32),
  fullyLabeledReplicas: omitempty(2, int32),
  readyReplicas: omitempty(4, int32),
  availableReplicas: omitempty(5, int32),
  terminatingReplicas: pointer(7, int32),
  observedGeneration: omitempty(3, int64),
  conditions: omitempty(
    6,
    list(of(ReplicaSetConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
});
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatusSchema> {}

const ReplicaSetSchema = message('io.k8s.api.apps.v1.ReplicaSet', {
  metadata: always(1, metadata),
  spec: always(2, of(ReplicaSetSpecSchema)),
  status: always(3, of(ReplicaSetStatusSchema)),
});

export interface ReplicaSet extends Infer<typeof ReplicaSetSchema> {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ReplicaSet';
}

export const ReplicaSets: Resource<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
  schema: ReplicaSetSchema,
};
