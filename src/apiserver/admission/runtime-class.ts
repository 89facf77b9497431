// kubernetes:plugin/pkg/admission/runtimeclass/admission.go
import { unclassified } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { faultsOfPathSegment } from '../../kube/names.ts';
import { sameAmounts } from '../../kube/quantity.ts';
import type { Toleration } from '../../kube/resources/node-selector.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';
import { mergedTolerations } from './merged-tolerations.ts';
import { refusal, writtenObject } from './written-object.ts';

type Amounts = Readonly<Record<string, string>>;

interface RuntimeClass extends KubeObject {
  readonly apiVersion: 'node.k8s.io/v1';
  readonly kind: 'RuntimeClass';
  readonly overhead?: { readonly podFixed?: Amounts };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}
const RuntimeClasses: Resource<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
};

const DIFFERENT = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNFOUNDED = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/** What a pod's runtime costs, and where it can be had, is the class's to say. */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  admit(request, reader) {
    const pod = newPod(request);
    if (pod === undefined) return undefined;
    const found = classOf(pod, request, reader);
    return found === undefined ? undefined : scheduled(withOverhead(pod, found, request), found, request);
  },
  review(request, reader) {
    const pod = newPod(request);
    if (pod === undefined) return;
    const own = classOf(pod, request, reader)?.overhead;
    if (own === undefined && pod.spec.overhead !== undefined) throw refusal(request, UNFOUNDED);
    if (own !== undefined && !sameAmounts(own.podFixed, pod.spec.overhead)) throw refusal(request, DIFFERENT);
  },
};

const newPod = (request: AdmissionRequest): Pod | undefined =>
  request.operation === 'CREATE' ? writtenObject(request, Pods) : undefined;

function classOf(pod: Pod, request: AdmissionRequest, reader: AdmissionReader): RuntimeClass | undefined {
  const { runtimeClassName: name } = pod.spec;
  if (name === undefined) return undefined;
  // Upstream asks itself over HTTP, and cannot ask for such names.
  if (name === '') throw unclassified('resource name may not be empty');
  const faults = faultsOfPathSegment(name);
  if (faults.length > 0) throw unclassified(`invalid resource name ${goQuote(name)}: [${faults.join(' ')}]`);
  const found = reader.get(RuntimeClasses, name);
  if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  return found;
}

function withOverhead(pod: Pod, { overhead }: RuntimeClass, request: AdmissionRequest): Pod {
  if (overhead === undefined) return pod;
  const { overhead: given = {}, ...spec } = pod.spec;
  if (Object.keys(given).length > 0 && !sameAmounts(overhead.podFixed, given)) throw refusal(request, DIFFERENT);
  return { ...pod, spec: overhead.podFixed === undefined ? spec : { ...spec, overhead: overhead.podFixed } };
}

function scheduled(pod: Pod, { scheduling }: RuntimeClass, request: AdmissionRequest): Pod {
  if (scheduling === undefined) return pod;
  const { nodeSelector: given = {}, tolerations = [] } = pod.spec;
  const { nodeSelector = {} } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = given[key] ?? value;
    if (own !== value) {
      throw refusal(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
  }
  return {
    ...pod,
    spec: {
      ...pod.spec,
      nodeSelector: { ...given, ...nodeSelector },
      tolerations: mergedTolerations([...tolerations, ...(scheduling.tolerations ?? [])]),
    },
  };
}
