// kubernetes:plugin/pkg/admission/priority/admission.go
import type { KubeObject, Resource } from '../../kube/object.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';
import { refusal, replacedObject, writtenObject } from './written-object.ts';

interface PriorityClass extends KubeObject {
  readonly apiVersion: 'scheduling.k8s.io/v1';
  readonly kind: 'PriorityClass';
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}
const PriorityClasses: Resource<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

/** Classes that every cluster has; a real server stores them at its start. kubernetes:pkg/apis/scheduling/types.go */
const SYSTEM_VALUES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const PREEMPTS = 'PreemptLowerPriority';

/** The number behind a pod's priority class, zero without one. It is the server's to write, and stays. */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  admit(request, reader) {
    const pod = writtenObject(request, Pods);
    if (pod === undefined) return undefined;
    const before = replacedObject(request, Pods);
    return before === undefined ? prioritised(pod, request, reader) : withKeptPriority(pod, before);
  },
};

function withKeptPriority(pod: Pod, before: Pod): Pod {
  const value = pod.spec.priority ?? before.spec.priority;
  const policy = pod.spec.preemptionPolicy ?? before.spec.preemptionPolicy;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(value === undefined ? {} : { priority: value }),
      ...(policy === undefined ? {} : { preemptionPolicy: policy }),
    },
  };
}

function prioritised(pod: Pod, request: AdmissionRequest, reader: AdmissionReader): Pod {
  const { className, value, preemptionPolicy } = priorityOf(pod, request, reader);
  const { priority: given, preemptionPolicy: policy } = pod.spec;
  const computed = 'priority admission controller computed';
  const source = 'from the given PriorityClass name';
  if (given !== undefined && given !== value) {
    throw refusal(
      request,
      `the integer value of priority (${given}) must not be provided in pod spec; ${computed} ${value} ${source}`,
    );
  }
  if (policy !== undefined && policy !== preemptionPolicy) {
    throw refusal(
      request,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ${computed} ${preemptionPolicy} ${source}`,
    );
  }
  const named = className === '' ? {} : { priorityClassName: className };
  return { ...pod, spec: { ...pod.spec, ...named, priority: value, preemptionPolicy } };
}

function priorityOf(pod: Pod, request: AdmissionRequest, reader: AdmissionReader): Priority {
  const className = pod.spec.priorityClassName ?? '';
  if (className === '') return defaultPriority(reader);
  const found = reader.get(PriorityClasses, className);
  if (found !== undefined) return priorityIn(found);
  const value = SYSTEM_VALUES[className];
  if (value === undefined) throw refusal(request, `no PriorityClass with name ${className} was found`);
  return { className, value, preemptionPolicy: PREEMPTS };
}

const priorityIn = ({ metadata, value = 0, preemptionPolicy = PREEMPTS }: PriorityClass): Priority => ({
  className: metadata.name,
  value,
  preemptionPolicy,
});

/** Should several classes call themselves the default, the lowest is it. */
function defaultPriority(reader: AdmissionReader): Priority {
  let lowest: PriorityClass | undefined;
  for (const each of reader.all(PriorityClasses)) {
    if (each.globalDefault === true && (lowest === undefined || (each.value ?? 0) < (lowest.value ?? 0))) lowest = each;
  }
  return lowest === undefined ? { className: '', value: 0, preemptionPolicy: PREEMPTS } : priorityIn(lowest);
}
