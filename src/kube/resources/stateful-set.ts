import {
  type Infer,
  always,
  int32,
  int64,
  intOrString,
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
import { PersistentVolumeClaimSchema } from './persistent-volume-claim.ts';
import { PodTemplateSpecSchema } from './pod-spec.ts';

const RollingUpdateStatefulSetStrategySchema = message('io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy', {
  partition: pointer(1, int32),
  maxUnavailable: pointer(2, intOrString),
});
export interface RollingUpdateStatefulSetStrategy extends Infer<typeof RollingUpdateStatefulSetStrategySchema> {}

const StatefulSetUpdateStrategySchema = message('io.k8s.api.apps.v1.StatefulSetUpdateStrategy', {
  type: omitempty(1, string),
  rollingUpdate: pointer(2, of(RollingUpdateStatefulSetStrategySchema)),
});
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategySchema> {}

const StatefulSetPersistentVolumeClaimRetentionPolicySchema = message(
  'io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy',
  {
    whenDeleted: omitempty(1, string),
    whenScaled: omitempty(2, string),
  },
);
export interface StatefulSetPersistentVolumeClaimRetentionPolicy extends Infer<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicySchema
> {}

const StatefulSetOrdinalsSchema = message('io.k8s.api.apps.v1.StatefulSetOrdinals', {
  start: always(1, int32),
});
export interface StatefulSetOrdinals extends Infer<typeof StatefulSetOrdinalsSchema> {}

const StatefulSetSpecSchema = message('io.k8s.api.apps.v1.StatefulSetSpec', {
  replicas: pointer(1, int32),
  selector: nullable(2, of(LabelSelectorSchema)),
  template: always(3, of(PodTemplateSpecSchema)),
  volumeClaimTemplates: omitempty(4, list(of(PersistentVolumeClaimSchema))),
  serviceName: always(5, string),
  podManagementPolicy: omitempty(6, string),
  updateStrategy: always(7, of(StatefulSetUpdateStrategySchema)),
  revisionHistoryLimit: pointer(8, int32),
  minReadySeconds: omitempty(9, int32),
  persistentVolumeClaimRetentionPolicy: pointer(10, of(StatefulSetPersistentVolumeClaimRetentionPolicySchema)),
  ordinals: pointer(11, of(StatefulSetOrdinalsSchema)),
});
export interface StatefulSetSpec extends Infer<typeof StatefulSetSpecSchema> {}

const StatefulSetConditionSchema = message('io.k8s.api.apps.v1.StatefulSetCondition', {
  type: always(1, string),
  status: always(2, string),
  lastTransitionTime: nullable(3, time),
  reason: omitempty(4, string),
  message: omitempty(5, string),
});
export interface StatefulSetCondition extends Infer<typeof StatefulSetConditionSchema> {}

const StatefulSetStatusSchema = message('io.k8s.api.apps.v1.StatefulSetStatus', {
  observedGeneration: omitempty(1, int64),
  replicas: always(2, int32),
  readyReplicas: omitempty(3, int32),
  currentReplicas: omitempty(4, int32),
  updatedReplicas: omitempty(5, int32),
  currentRevision: omitempty(6, string),
  updateRevision: omitempty(7, string),
  collisionCount: pointer(9, int32),
  conditions: omitempty(
    10,
    list(of(StatefulSetConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  availableReplicas: always(11, int32),
});
export interface StatefulSetStatus extends Infer<typeof StatefulSetStatusSchema> {}

const StatefulSetSchema = message('io.k8s.api.apps.v1.StatefulSet', {
  metadata: always(1, metadata),
  spec: always(2, of(StatefulSetSpecSchema)),
  status: always(3, of(StatefulSetStatusSchema)),
});

export interface StatefulSet extends Infer<typeof StatefulSetSchema> {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'StatefulSet';
}

export const StatefulSets: Resource<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
  schema: StatefulSetSchema,
};
