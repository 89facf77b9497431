// POST pods/binding: gives a pod its node, once. The write goes past the rules for updates of a pod, as it does upstream.
// kubernetes:pkg/registry/core/pod/storage/storage.go
import { type InstantMs, timestamp } from '../../../base/clock.ts';
import { badRequest, conflict, unclassified } from '../../../kube/api-error.ts';
import { type FieldError, notSupported, required } from '../../../kube/field-error.ts';
import { type ObjectKey, type ObjectMeta, type Resource, splitKey } from '../../../kube/object.ts';
import type { Binding } from '../../../kube/resources/binding.ts';
import { type Node, Nodes } from '../../../kube/resources/node.ts';
import { type Pod, Pods } from '../../../kube/resources/pod.ts';
import type { AdmissionReader } from '../../admission/admission.ts';
import type { Call, StoredObject } from '../generic-call.ts';
import type { GenericRegistry } from '../generic-registry.ts';
import { withPodCondition } from './pod-condition.ts';
import { postedResource } from './posted-resource.ts';

/** Copied from the node to the pod. kubernetes:plugin/pkg/admission/podtopologylabels/admission.go */
const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;

/** What is posted. It is never stored. */
export const Bindings: Resource<Binding> = postedResource({
  group: '',
  version: 'v1',
  plural: 'bindings',
  kind: 'Binding',
  namespaced: true,
});

export interface BindingServices {
  readonly pods: GenericRegistry;
  readonly reader: AdmissionReader;
  readonly now: InstantMs;
}

export function bindPod(services: BindingServices, key: ObjectKey, binding: Binding, call: Call): void {
  const { name } = splitKey(key);
  if (binding.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
  const faults = bindingFaults(binding);
  if (faults.length > 0) throw unclassified(sentenceOf(faults));
  const pod = services.pods.get(key) as unknown as Pod;
  requirePreconditions(pod, binding);
  const obstacle = obstacleTo(pod);
  if (obstacle !== undefined) throw conflict({ ...Pods, subresource: 'binding' }, name, obstacle);
  const node = services.reader.get(Nodes, binding.target.name ?? '');
  const bound = boundPod(pod, binding, node, services.now);
  services.pods.store(key, bound as unknown as StoredObject, call);
}

function bindingFaults({ target }: Binding): readonly FieldError[] {
  const kind = target?.kind ?? '';
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...((target?.name ?? '') === '' ? [required('target.name')] : []),
  ];
}

function sentenceOf(faults: readonly FieldError[]): string {
  const sentences = faults.map(({ field, text }) => `${field}: ${text}`);
  return sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
}

function requirePreconditions({ metadata }: Pod, binding: Binding): void {
  const { uid, resourceVersion }: Partial<ObjectMeta> = binding.metadata;
  if (uid !== undefined && uid !== '' && uid !== metadata.uid) {
    throw conflict(
      Pods,
      metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflict(Pods, metadata.name, why);
  }
}

function obstacleTo({ metadata, spec }: Pod): string | undefined {
  const { name } = metadata;
  if (metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if ((spec.nodeName ?? '') !== '') return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  if ((spec.schedulingGates?.length ?? 0) > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function boundPod(pod: Pod, binding: Binding, node: Node | undefined, now: InstantMs): Pod {
  const { nominatedNodeName: _nominated, ...status } = pod.status;
  const labels = { ...pod.metadata.labels, ...binding.metadata.labels, ...topologyLabelsOf(node) };
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: { ...pod.spec, nodeName: binding.target.name ?? '' },
    status: withPodCondition(status, { type: 'PodScheduled', status: 'True' }, timestamp(now)),
  };
}

function topologyLabelsOf(node: Node | undefined): Readonly<Record<string, string>> {
  const labels = node?.metadata.labels ?? {};
  return Object.fromEntries(TOPOLOGY_LABELS.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}
