// kubernetes:pkg/registry/core/pod/strategy.go, pkg/apis/core/validation/validation.go
import { type FieldError, forbidden } from '../../kube/field-error.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { warnOfAppArmorAnnotations, withAppArmorProfiles } from './app-armor.ts';
import { kept } from './kept.ts';
import { checkAnnotatedFields, checkAnnotationChange, checkPodAnnotations } from './pod-annotation-checks.ts';
import { defaultPodSpec, withoutOldAnnotations, withServiceAccountAlias } from './pod-defaults.ts';
import { withLabelKeys } from './pod-label-keys.ts';
import { qosClassOf } from './pod-qos.ts';
import { checkPodSpec } from './pod-spec-checks.ts';
import { checkPodStatus, preparedPodStatus } from './pod-status.ts';
import { checkResize, resizedPod } from './pod-resize.ts';
import { checkEphemeralChange, checkPodChange } from './pod-update.ts';
import { warnOfPod, warnOfPodStatus } from './pod-warnings.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

export const podStrategy: Strategy<Pod> = {
  resource: Pods,
  hasGeneration: true,
  hasStatus: true,
  answersDeletedObject: true,
  nameRule: 'subdomain',
  fieldSelectors: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIP ?? '',
    'status.podIPs': ({ status }) => status.podIP ?? '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
  applyDefaults: (pod) =>
    kept(pod, { ...withoutOldAnnotations(pod), spec: defaultPodSpec(pod.spec), status: withAddresses(pod.status) }),
  prepareForCreate: (pod) =>
    withAppArmorProfiles({
      ...pod,
      spec: withLabelKeys(withServiceAccountAlias(pod.spec), pod.metadata.labels),
      status: { phase: 'Pending', ...gatedCondition(pod), qosClass: qosClassOf(pod.spec) },
    }),
  prepareForUpdate: (pod, before) => ({ ...pod, spec: withServiceAccountAlias(pod.spec), status: before.status }),
  prepareForStatusUpdate: preparedPodStatus,
  validate: checkNewPod,
  validateUpdate: (pod, before) => [...checkChangedPod(pod, before), ...checkPodChange(pod, before)],
  validateStatusUpdate: (pod, before) => [...checkNotes(pod, before), ...checkPodStatus(pod, before)],
  draftWarnings: warnOfAppArmorAnnotations,
  warnings: (pod, before) => (before === undefined ? warnOfPod(pod) : []),
  statusWarnings: warnOfPodStatus,
  subresources: {
    ephemeralcontainers: {
      prepareForUpdate: (pod, before) => ({
        ...before,
        metadata: pod.metadata,
        spec: { ...before.spec, ephemeralContainers: pod.spec.ephemeralContainers ?? [] },
      }),
      validateUpdate: (pod, before) => [...checkChangedPod(pod, before), ...checkEphemeralChange(pod, before)],
    },
    resize: {
      prepareForUpdate: resizedPod,
      validateUpdate: (pod, before) => checkResize(pod, before, checkPod(pod)),
    },
  },
  gracePeriodSeconds: graceOf,
};

/** `podIP` is the first of `podIPs`; where they differ the older field is believed. */
function withAddresses(status: Pod['status']): Pod['status'] {
  const { podIP, podIPs = [] } = status;
  if (podIP === podIPs[0]?.ip) return status;
  const addresses = podIP === undefined ? podIPs : [{ ip: podIP }];
  return { ...status, podIP: addresses[0]?.ip ?? '', podIPs: addresses };
}

/** A pod behind gates says from the start why nothing schedules it. */
function gatedCondition(pod: Pod): Pick<Pod['status'], 'conditions'> {
  if ((pod.spec.schedulingGates ?? []).length === 0) return {};
  return {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: null,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ],
  };
}

function checkPod(pod: Pod): Faults {
  return [
    ...checkPodAnnotations(pod.metadata.annotations, pod.spec, 'metadata.annotations'),
    ...checkPodSpec(pod.spec, { podName: pod.metadata.name, path: 'spec' }),
    ...checkTokens(pod),
  ];
}

const checkNotes = ({ metadata, spec }: Pod, before: Pod): Faults =>
  checkAnnotationChange(metadata.annotations, before.metadata.annotations, spec);

const checkChangedPod = (pod: Pod, before: Pod): Faults => [...checkPod(pod), ...checkNotes(pod, before)];

function checkNewPod(pod: Pod): Faults {
  const { ephemeralContainers = [], nodeName = '', schedulingGates = [] } = pod.spec;
  return [
    ...checkPod(pod),
    ...(ephemeralContainers.length > 0 ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')] : []),
    ...(nodeName !== '' && schedulingGates.length > 0
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
    ...checkAnnotatedFields(pod.metadata.annotations, pod.spec, 'spec'),
  ];
}

function checkTokens(pod: Pod): Faults {
  if ((pod.spec.serviceAccountName ?? '') !== '') return [];
  return (pod.spec.volumes ?? []).flatMap((volume, index) =>
    (volume.projected?.sources ?? []).flatMap((source, sourceIndex) =>
      source.serviceAccountToken === undefined
        ? []
        : [
            forbidden(
              `spec.volumes[${index}].projected.sources[${sourceIndex}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}

/** A pod that no node has, or that has ended, needs no time to stop. */
function graceOf(pod: Pod, requested: number | undefined): number {
  const hasEnded = pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded';
  if ((pod.spec.nodeName ?? '') === '' || hasEnded) return 0;
  const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}
