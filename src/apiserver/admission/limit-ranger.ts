// A namespace's limit ranges: containers that are silent get its defaults, and what is outside of its bounds is refused.
// kubernetes:plugin/pkg/admission/limitranger/admission.go
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { Container } from '../../kube/resources/container.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';
import { type Amounts, type LimitRangeItem, faultsOfClaim, faultsOfPod } from './limit-checks.ts';
import { refusal } from './written-object.ts';

interface LimitRange extends KubeObject {
  readonly apiVersion: 'v1';
  readonly kind: 'LimitRange';
  readonly spec?: { readonly limits?: readonly LimitRangeItem[] };
}
export const LimitRanges: Resource<LimitRange> = {
  group: '',
  version: 'v1',
  plural: 'limitranges',
  kind: 'LimitRange',
  namespaced: true,
};

const ANNOTATION = 'kubernetes.io/limit-ranger';

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  admit(request, reader) {
    const limited = limitedObject(request);
    if (limited?.type !== 'pod') return undefined;
    return rangesOf(request, reader).reduce(withDefaults, limited.pod);
  },
  review(request, reader) {
    const limited = limitedObject(request);
    if (limited === undefined) return;
    for (const limits of rangesOf(request, reader)) {
      const faults =
        limited.type === 'pod' ? faultsOfPod(limits, limited.pod) : faultsOfClaim(limits, limited.requests);
      if (faults.length > 0) throw refusal(request, aggregated(faults));
    }
  },
};

type Limited = { readonly type: 'pod'; readonly pod: Pod } | { readonly type: 'claim'; readonly requests: Amounts };

/** New pods, pods that are resized, and claims. An update of a pod itself cannot change its containers. */
function limitedObject({ resource, subresource, operation, object, before }: AdmissionRequest): Limited | undefined {
  if (object === undefined || before?.metadata.deletionTimestamp !== undefined) return undefined;
  const isPod = isOf(object, resource, Pods) && (subresource === 'resize') === (operation === 'UPDATE');
  if (isPod && (subresource === undefined || subresource === 'resize')) return { type: 'pod', pod: object };
  if (subresource !== undefined || !isOf(object, resource, PersistentVolumeClaims)) return undefined;
  return { type: 'claim', requests: object.spec.resources?.requests ?? {} };
}

const isOf = <T extends KubeObject>(object: KubeObject, of: Resource<KubeObject>, resource: Resource<T>): object is T =>
  of.group === resource.group && of.plural === resource.plural && object.kind === resource.kind;

function rangesOf({ namespace }: AdmissionRequest, reader: AdmissionReader): readonly (readonly LimitRangeItem[])[] {
  if (namespace === undefined || namespace === '') return [];
  return [...reader.all(LimitRanges, namespace)].map(({ spec }) => spec?.limits ?? []);
}

function withDefaults(pod: Pod, limits: readonly LimitRangeItem[]): Pod {
  const items = limits.filter(({ type }) => type === 'Container');
  const requests: Amounts = united(items.map(({ defaultRequest }) => defaultRequest));
  const most: Amounts = united(items.map((item) => item.default));
  const told: string[] = [];
  const filled =
    (what: string) =>
    (container: Container): Container => {
      const { resources, name } = container;
      const added = {
        requests: missingIn(resources.requests, requests),
        limits: missingIn(resources.limits, most),
      };
      const [requested, limited] = [Object.keys(added.requests), Object.keys(added.limits)];
      if (requested.length > 0) told.push(`${requested.toSorted().join(', ')} request for ${what} ${name}`);
      if (limited.length > 0) told.push(`${limited.toSorted().join(', ')} limit for ${what} ${name}`);
      if (requested.length + limited.length === 0) return container;
      return {
        ...container,
        resources: {
          ...resources,
          limits: { ...resources.limits, ...added.limits },
          requests: { ...resources.requests, ...added.requests },
        },
      };
    };
  const containers = pod.spec.containers.map(filled('container'));
  const { initContainers } = pod.spec;
  const first = initContainers === undefined ? {} : { initContainers: initContainers.map(filled('init container')) };
  if (told.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${told.join('; ')}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...first },
  };
}

const united = (amounts: readonly (Amounts | undefined)[]): Amounts =>
  Object.fromEntries(amounts.flatMap((each) => Object.entries(each ?? {})));

const missingIn = (own: Amounts = {}, defaults: Amounts): Amounts =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => own[name] === undefined));

/** Many faults as one sentence, each once. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/errors/errors.go */
function aggregated(faults: readonly string[]): string {
  const different = [...new Set(faults)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}
