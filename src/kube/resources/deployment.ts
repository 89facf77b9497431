import {
  type Infer,
  always,
  bool,
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
import { PodTemplateSpecSchema } from './pod-spec.ts';

const RollingUpdateDeploymentSchema = message('io.k8s.api.apps.v1.RollingUpdateDeployment', {
  maxUnavailable: pointer(1, intOrString),
  maxSurge: pointer(2, intOrString),
});
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeploymentSchema> {}

const DeploymentStrategySchema = message('io.k8s.api.apps.v1.DeploymentStrategy', {
  type: omitempty(1, string),
  rollingUpdate: pointer(2, of(RollingUpdateDeploymentSchema)),
});
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategySchema> {}

const DeploymentSpecSchema = message('io.k8s.api.apps.v1.DeploymentSpec', {
  replicas: pointer(1, int32),
  selector: nullable(2, of(LabelSelectorSchema)),
  template: always(3, of(PodTemplateSpecSchema)),
  strategy: always(4, of(DeploymentStrategySchema), { retainKeys: true }),
  minReadySeconds: omitempty(5, int32),
  revisionHistoryLimit: pointer(6, int32),
  paused: omitempty(7, bool),
  progressDeadlineSeconds: pointer(9, int32),
});
export interface DeploymentSpec extends Infer<typeof DeploymentSpecSchema> {}

const DeploymentConditionSchema = message('io.k8s.api.apps.v1.DeploymentCondition', {
  type: always(1, string),
  status: always(2, string),
  lastUpdateTime: nullable(6, time),
  lastTransitionTime: nullable(7, time),
  reason: omitempty(4, string),
  message: omitempty(5, string),
});
export interface DeploymentCondition extends Infer<typeof DeploymentConditionSchema> {}

const DeploymentStatusSchema = message('io.k8s.api.apps.v1.DeploymentStatus', {
  observedGeneration: omitempty(1, int64),
  replicas: omitempty(2, int32),
  updatedReplicas: omitempty(3, int32),
  readyReplicas: omitempty(7, int32),
  availableReplicas: omitempty(4, int32),
  unavailableReplicas: omitempty(5, int32),
  terminatingReplicas: pointer(9, int32),
  conditions: omitempty(
    6,
    list(of(DeploymentConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  collisionCount: pointer(8, int32),
});
export interface DeploymentStatus extends Infer<typeof DeploymentStatusSchema> {}

const DeploymentSchema = message('io.k8s.api.apps.v1.Deployment', {
  metadata: always(1, metadata),
  spec: always(2, of(DeploymentSpecSchema)),
  status: always(3, of(DeploymentStatusSchema)),
});

export interface Deployment extends Infer<typeof DeploymentSchema> {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
}

export const Deployments: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
  schema: DeploymentSchema,
};
