// What a pod's status may say. kubernetes:pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate),
// pkg/registry/core/pod/strategy.go (podStatusStrategy)
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { ContainerStatus, Pod, PodCondition } from '../../kube/resources/pod.ts';
import { checkAddress } from './internet-address.ts';
import { checkImmutable, checkQualifiedName, checkSubdomain } from './field-checks.ts';

type Faults = readonly FieldError[];
type PodStatus = Pod['status'];

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** The class of service and the generations seen are kept where the writer leaves them out; owners are not the kubelet's. */
export function preparedPodStatus(pod: Pod, before: Pod): Pod {
  const { ownerReferences: _given, ...metadata } = pod.metadata;
  const { ownerReferences } = before.metadata;
  return {
    ...pod,
    metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    spec: before.spec,
    status: withKept(pod.status, before.status),
  };
}

function withKept(status: PodStatus, before: PodStatus): PodStatus {
  const qosClass = status.qosClass ?? before.qosClass;
  const observedGeneration = status.observedGeneration ?? before.observedGeneration;
  return {
    ...status,
    ...(qosClass === undefined ? {} : { qosClass }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(status.conditions === undefined
      ? {}
      : { conditions: withGenerations(status.conditions, before.conditions ?? []) }),
  };
}

function withGenerations(
  conditions: readonly PodCondition[],
  before: readonly PodCondition[],
): readonly PodCondition[] {
  return conditions.map((condition, index) => {
    if (condition.observedGeneration !== undefined) return condition;
    const nth = conditions.slice(0, index).filter(({ type }) => type === condition.type).length;
    const old = before.filter(({ type }) => type === condition.type)[nth]?.observedGeneration;
    return old === undefined ? condition : { ...condition, observedGeneration: old };
  });
}

export function checkPodStatus(pod: Pod, before: Pod): Faults {
  const { status } = pod;
  const { containers, initContainers = [] } = before.spec;
  const old = before.status;
  return [
    ...(status.conditions ?? []).flatMap(({ type }, index) =>
      SYSTEM_CONDITIONS.includes(type) ? [] : checkQualifiedName(`status.conditions[${index}].Type`, type),
    ),
    ...checkNomination(pod, before),
    ...checkImmutable('status.qosClass', status.qosClass ?? '', old.qosClass ?? ''),
    ...checkRevival(status.containerStatuses, old.containerStatuses, (name, exitCode) =>
      mayRestart(
        containers.find((container) => container.name === name),
        before.spec.restartPolicy,
        exitCode,
      ),
    ).map((index) => revived('containerStatuses', index)),
    ...checkRevival(status.initContainerStatuses, old.initContainerStatuses, (name, exitCode) =>
      mayRestart(
        initContainers.find((container) => container.name === name),
        before.spec.restartPolicy,
        exitCode,
      ),
    ).map((index) => revived('initContainerStatuses', index)),
    ...checkRevival(status.ephemeralContainerStatuses, old.ephemeralContainerStatuses, () => false).map((index) =>
      revived('ephemeralContainerStatuses', index),
    ),
    ...checkAddresses('podIPs', status.podIPs ?? [], old.podIPs ?? []),
    ...checkHost(status, old),
  ];
}

interface HasAddress {
  readonly ip: string;
}

/** New ones must be addresses, and all together one of each family at most. */
function checkAddresses(list: string, addresses: readonly HasAddress[], before: readonly HasAddress[]): Faults {
  const path = `status.${list}`;
  const texts = addresses.map(({ ip }) => ip);
  const isPair = texts.length === 2 && texts.filter((text) => text.includes(':')).length === 1;
  return [
    ...texts.flatMap((text, index) =>
      before.some(({ ip }) => ip === text) ? [] : checkAddress(`${path}[${index}]`, text),
    ),
    ...(texts.length < 2 || isPair
      ? []
      : [
          invalid(
            path,
            texts.map((text) => ({ IP: text })),
            'may specify no more than one IP for each IP family',
          ),
        ]),
  ];
}

function checkHost({ hostIP = '', hostIPs = [] }: PodStatus, before: PodStatus): Faults {
  const [first] = hostIPs;
  if (first === undefined) return [];
  return [
    ...(first.ip === hostIP ? [] : [invalid('status.hostIPs[0].ip', first.ip, 'must be equal to `hostIP`')]),
    ...checkAddresses('hostIPs', hostIPs, before.hostIPs ?? []),
  ];
}

function checkNomination(pod: Pod, before: Pod): Faults {
  const node = pod.status.nominatedNodeName ?? '';
  if (node === '' || node === (before.status.nominatedNodeName ?? '')) return [];
  const path = 'status.nominatedNodeName';
  return [
    ...checkSubdomain(path, node),
    ...((before.spec.nodeName ?? '') === ''
      ? []
      : [forbidden(path, 'may not be set on pods that are already bound to a node')]),
  ];
}

const revived = (list: string, index: number): FieldError =>
  forbidden(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state');

/** Places of old statuses that say terminated where the new one says otherwise and the container may not start again. */
function checkRevival(
  statuses: readonly ContainerStatus[] | undefined,
  before: readonly ContainerStatus[] | undefined,
  mayStart: (name: string, exitCode: number) => boolean,
): readonly number[] {
  return (before ?? []).flatMap((old, index) => {
    const ended = old.state?.terminated;
    if (ended === undefined) return [];
    const now = (statuses ?? []).find(({ name }) => name === old.name);
    const isRevived = now !== undefined && now.state?.terminated === undefined;
    return isRevived && !mayStart(old.name, ended.exitCode) ? [index] : [];
  });
}

function mayRestart(container: Container | undefined, podPolicy: string | undefined, exitCode: number): boolean {
  const policy = container?.restartPolicy ?? podPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
