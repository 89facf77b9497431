// What the controller reads and writes of a Job; its whole shape is in the table of messages.
import type { KubeObject, Resource } from '../object.ts';
import type { LabelSelector } from './meta.ts';
import type { PodTemplateSpec } from './pod-spec.ts';

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly suspend?: boolean;
  readonly selector?: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
}

export interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  /** Pods that have ended and whose finalizer is still on, or was taken off by a write that is not counted yet, by uid. */
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
}

export interface Job extends KubeObject {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

export const Jobs: Resource<Job> = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };
