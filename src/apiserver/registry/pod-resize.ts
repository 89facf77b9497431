// Writes to `pods/resize`: cpu and memory of containers, and of the pod as a whole, while it runs. Everything else that is
// sent is dropped; what cannot be dropped without guessing (other containers, another order) is refused.
// kubernetes:pkg/registry/core/pod/strategy.go (podResizeStrategy), pkg/apis/core/validation/validation.go (ValidatePodResize)
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import type { Container, ResourceRequirements } from '../../kube/resources/container.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { qosClassOf } from './pod-qos.ts';
import { sameValue } from './semantic-equal.ts';

type Faults = readonly FieldError[];
type Amounts = Readonly<Record<string, string>>;
type Demand = Pick<ResourceRequirements, 'limits' | 'requests'>;

const MIRROR_POD = 'kubernetes.io/config.mirror';
/** How upstream prints a path without a name. */
const NOWHERE = '[]';
const ONLY_COMPUTE = 'only cpu and memory resources are mutable';
const KEPT_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'] as const;

/** The stored pod with the resources that are wanted for it, or the pod as sent where containers came or went. */
export function resizedPod(pod: Pod, before: Pod): Pod {
  const { containers, initContainers = [], resources } = pod.spec;
  const initialBefore = before.spec.initContainers ?? [];
  if (containers.length !== before.spec.containers.length || initContainers.length !== initialBefore.length) return pod;
  const { resources: _before, ...spec } = before.spec;
  return {
    ...before,
    metadata: metadataOf(pod, before),
    spec: {
      ...spec,
      containers: resizedContainers(containers, before.spec.containers),
      ...(initContainers.length === 0 ? {} : { initContainers: resizedContainers(initContainers, initialBefore) }),
      ...(resources === undefined ? {} : { resources }),
    },
  };
}

function metadataOf(pod: Pod, before: Pod): Pod['metadata'] {
  const metadata: Record<string, unknown> = { ...pod.metadata };
  for (const field of KEPT_METADATA) {
    if (before.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = before.metadata[field];
  }
  // The fields are those of the pod that was sent and of the stored one, each under its own name.
  return metadata as unknown as Pod['metadata'];
}

function resizedContainers(containers: readonly Container[], before: readonly Container[]): readonly Container[] {
  if (containers.some(({ name }, index) => name !== before[index]?.name)) return containers;
  return containers.map(({ resources, resizePolicy }, index) => {
    const { resizePolicy: _policy, ...kept } = before[index] as Container;
    return { ...kept, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}

/** Faults of the resize alone; those of the pod that it makes are `ofPod`. */
export function checkResize(pod: Pod, before: Pod, ofPod: Faults): Faults {
  if (before.metadata.annotations?.[MIRROR_POD] !== undefined)
    return [forbidden(NOWHERE, 'static pods cannot be resized')];
  if (before.spec.os?.name === 'windows') return [forbidden(NOWHERE, 'windows pods cannot be resized')];
  const faults = [...ofPod, ...checkClass(pod, before), ...checkNode(before), ...checkPodLevel(pod.spec, before.spec)];
  const order = [
    ...checkOrder(pod.spec.containers, before.spec.containers, 'containers'),
    ...checkOrder(pod.spec.initContainers ?? [], before.spec.initContainers ?? [], 'initContainers'),
  ];
  if (order.length > 0) return [...faults, ...order];
  const found = [...faults, ...checkRemovals(pod.spec, before.spec), ...checkContainers(pod.spec, before.spec)];
  if (found.length > 0) return found;
  return sameValue(maskedSpec(pod.spec, before.spec), before.spec) ? [] : [forbidden('spec', ONLY_COMPUTE)];
}

function checkClass(pod: Pod, before: Pod): Faults {
  const was = before.status.qosClass ?? qosClassOf(before.spec);
  return was === qosClassOf(pod.spec)
    ? []
    : [invalid('spec', pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** A kubelet that tells of a running container but not of its resources cannot change them. */
function checkNode({ status }: Pod): Faults {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined
    ? []
    : [forbidden('spec', 'Pod running on node without support for resize')];
}

const hasAmounts = (demand: Demand | undefined): boolean =>
  Object.keys(demand?.requests ?? {}).length + Object.keys(demand?.limits ?? {}).length > 0;

function checkPodLevel({ resources }: PodSpec, { resources: before }: PodSpec): Faults {
  if (!hasAmounts(resources) && !hasAmounts(before)) return [];
  if (resources === undefined) return [forbidden('spec.resources', 'pod-level resources cannot be removed')];
  return [
    ...(before === undefined ? [] : checkRemoved(resources, before, 'spec.resources', 'pod-level resource')),
    ...(sameValue(maskedPodLevel(resources, before), before)
      ? []
      : [forbidden('spec', `${ONLY_COMPUTE} at pod-level`)]),
  ];
}

/** Undefined where the pod had no resources of its own and asks for cpu and memory alone. */
function maskedPodLevel(
  resources: ResourceRequirements,
  before: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  const { limits: _limits, requests: _requests, ...rest } = resources;
  const kept = { ...rest, ...maskedDemand(resources, before ?? {}) };
  return before === undefined && !hasAmounts(kept) && (kept.claims ?? []).length === 0 ? undefined : kept;
}

function checkOrder(containers: readonly Container[], before: readonly Container[], list: string): Faults {
  if (containers.length !== before.length)
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, index) =>
    containers[index]?.name === name
      ? []
      : [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function checkRemovals(spec: PodSpec, before: PodSpec): Faults {
  const removed = (list: 'initContainers' | 'containers'): Faults =>
    (before[list] ?? []).flatMap((old, index) =>
      checkRemoved(spec[list]?.[index]?.resources ?? {}, old.resources, `spec.${list}[${index}].resources`, 'resource'),
    );
  return [...removed('initContainers'), ...removed('containers')];
}

function checkRemoved(demand: Demand, before: Demand, path: string, what: string): Faults {
  const gone = (list: 'requests' | 'limits'): Faults =>
    Object.keys(before[list] ?? {}).every((name) => demand[list]?.[name] !== undefined)
      ? []
      : [forbidden(`${path}.${list}`, `${what} ${list} cannot be removed`)];
  return [...gone('requests'), ...gone('limits')];
}

function checkContainers(spec: PodSpec, before: PodSpec): Faults {
  const changed = spec.containers.flatMap((container, index) =>
    isResizedOnly(container, before.containers[index]) ? [] : [forbidden('spec', ONLY_COMPUTE)],
  );
  const initial = (spec.initContainers ?? []).flatMap((container, index) =>
    checkInitContainer(container, before.initContainers?.[index], `spec.initContainers[${index}]`),
  );
  return [...changed, ...initial];
}

function isResizedOnly(container: Container, before: Container | undefined): boolean {
  return before !== undefined && sameValue(masked(container, before), before);
}

function checkInitContainer(container: Container, before: Container | undefined, path: string): Faults {
  const isSidecar = container.restartPolicy === 'Always';
  const restarts = (container.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer');
  return [
    ...(isResizedOnly(container, before)
      ? []
      : [forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable')]),
    ...(isSidecar || sameValue(container, before) ? [] : restarts).map(() =>
      forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'),
    ),
  ];
}

/** The spec with cpu and memory as they were: equal to the one before iff nothing else differs. */
function maskedSpec(spec: PodSpec, before: PodSpec): PodSpec {
  const { resources, ...rest } = spec;
  const level =
    hasAmounts(resources) || hasAmounts(before.resources)
      ? resources && maskedPodLevel(resources, before.resources)
      : resources;
  const maskedEach = (list: readonly Container[], old: readonly Container[] = []): readonly Container[] =>
    list.map((container, index) => masked(container, old[index] ?? container));
  return {
    ...rest,
    containers: maskedEach(spec.containers, before.containers),
    ...(spec.initContainers === undefined
      ? {}
      : { initContainers: maskedEach(spec.initContainers, before.initContainers) }),
    ...(level === undefined ? {} : { resources: level }),
  };
}

/** Claims of devices do not come through: a container that has some cannot be resized. */
const masked = (container: Container, before: Container): Container => ({
  ...container,
  resources: maskedDemand(container.resources, before.resources),
});

const maskedDemand = (demand: Demand, before: Demand): Demand => ({
  ...maskedAmounts('limits', demand, before),
  ...maskedAmounts('requests', demand, before),
});

function maskedAmounts(list: 'limits' | 'requests', demand: Demand, before: Demand): Demand {
  const amounts = demand[list];
  const old = before[list];
  const { cpu: _cpu, memory: _memory, ...others } = amounts ?? {};
  const compute: Amounts = Object.fromEntries(
    Object.entries(old ?? {}).filter(([name]) => name === 'cpu' || name === 'memory'),
  );
  const kept = { ...others, ...compute };
  return Object.keys(kept).length === 0 ? {} : { [list]: kept };
}
