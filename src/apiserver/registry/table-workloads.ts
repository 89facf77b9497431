// Defaults of workloads that have no controller here: enough for real controllers and tables to find what they rely on.
// kubernetes:pkg/apis/{batch,apps,core}/v1/defaults.go, pkg/registry/batch/job/strategy.go
import { shapeOf } from '../../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/object.ts';
import { PodTemplateSpecSchema } from '../../kube/resources/pod-spec.ts';
import type { StoredObject } from './generic-call.ts';
import { defaultPodTemplate } from './pod-defaults.ts';

const BACKOFF_LIMIT = 6;
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

const partOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function withSpec(object: KubeObject, change: (spec: JsonObject) => JsonObject): KubeObject {
  return { ...object, spec: change(partOf((object as StoredObject)['spec'])) } as KubeObject;
}

const withTemplate = (spec: JsonObject): JsonObject => ({
  ...spec,
  template: defaultPodTemplate(shapeOf(PodTemplateSpecSchema, spec['template'])),
});

export const defaultDaemonSet = (set: KubeObject): KubeObject =>
  withSpec(set, (spec) => {
    const strategy = partOf(spec['updateStrategy']);
    const type = strategy['type'] ?? 'RollingUpdate';
    const rolling = { maxUnavailable: 1, maxSurge: 0, ...partOf(strategy['rollingUpdate']) };
    return {
      revisionHistoryLimit: 10,
      ...withTemplate(spec),
      updateStrategy: type === 'RollingUpdate' ? { type, rollingUpdate: rolling } : strategy,
    };
  });

export const defaultReplicationController = (controller: KubeObject): KubeObject =>
  withSpec(controller, (spec) => ({ replicas: 1, ...(spec['template'] === undefined ? spec : withTemplate(spec)) }));

export const defaultJob = (job: KubeObject): KubeObject =>
  withSpec(job, (spec) => {
    const isCounted = spec['completions'] !== undefined || spec['parallelism'] !== undefined;
    return {
      ...(isCounted ? {} : { completions: 1 }),
      parallelism: 1,
      backoffLimit: BACKOFF_LIMIT,
      manualSelector: false,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
      ...withTemplate(spec),
    };
  });

export const defaultCronJob = (job: KubeObject): KubeObject =>
  withSpec(job, (spec) => {
    const template = partOf(spec['jobTemplate']);
    const jobSpec = partOf(template['spec']);
    return {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...spec,
      jobTemplate: { ...template, spec: jobSpec['template'] === undefined ? jobSpec : withTemplate(jobSpec) },
    };
  });

/** A job tells its pods from all others by its own uid, unless it says how. */
export function withSelector(job: KubeObject): KubeObject {
  const { name, uid } = job.metadata;
  const labels = {
    [CONTROLLER_UID]: uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return withSpec(job, (spec) => {
    if (spec['manualSelector'] === true) return spec;
    const template = partOf(spec['template']);
    const metadata = partOf(template['metadata']);
    return {
      ...spec,
      selector: { ...partOf(spec['selector']), matchLabels: { [CONTROLLER_UID]: uid } },
      template: { ...template, metadata: { ...metadata, labels: { ...partOf(metadata['labels']), ...labels } } },
    };
  });
}
