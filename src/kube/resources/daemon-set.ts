// What the controller reads and writes of a DaemonSet; its whole shape is in the table of messages.
import type { KubeObject, Resource } from '../object.ts';
import type { LabelSelector } from './meta.ts';
import type { PodTemplateSpec } from './pod-spec.ts';

export interface DaemonSetSpec {
  readonly selector?: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
  };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
}

export interface DaemonSet extends KubeObject {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly spec: DaemonSetSpec;
  readonly status: DaemonSetStatus;
}

export const DaemonSets: Resource<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};
