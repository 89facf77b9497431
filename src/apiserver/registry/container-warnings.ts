// What is told of a container: annotations of old, parts of bytes, variables that hide each other.
// kubernetes:pkg/api/pod/warnings.go
import { goQuote } from '../../kube/go-text.ts';
import type { EnvVar } from '../../kube/resources/container.ts';
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { APP_ARMOR_DEPRECATED, APP_ARMOR_OF_CONTAINER, appArmorProfileOf } from './app-armor.ts';
import { warnOfBytes } from './byte-warnings.ts';
import { SECCOMP_OF_CONTAINER, SECCOMP_OF_POD } from './pod-annotation-checks.ts';
import type { PlacedContainer } from './pod-containers.ts';
import { sameValue } from './semantic-equal.ts';

type Warnings = readonly string[];
type Container = PlacedContainer['container'];

/** A pod or a template of pods, and where it is: nowhere, if it is a pod. */
export interface Annotated {
  readonly metadata: Pick<PodTemplateSpec['metadata'], 'annotations'>;
  readonly spec: PodTemplateSpec['spec'];
  readonly path: string;
}

const SECCOMP_DEAD = 'non-functional in v1.27+; use the "seccompProfile" field instead';

export const annotationPath = ({ path }: Annotated, key: string): string =>
  `${path === '' ? '' : `${path}.`}metadata.annotations[${key}]`;

export function warnOfPodSeccomp(holder: Annotated): Warnings {
  const { metadata, spec } = holder;
  return metadata.annotations?.[SECCOMP_OF_POD] === undefined || spec.securityContext?.seccompProfile !== undefined
    ? []
    : [`${annotationPath(holder, SECCOMP_OF_POD)}: ${SECCOMP_DEAD}`];
}

export function warnOfContainer({ path, container }: PlacedContainer, holder: Annotated): Warnings {
  const { limits, requests } = container.resources;
  return [
    ...warnOfSeccomp(container, holder),
    ...warnOfAppArmor(container, holder),
    ...['memory', 'ephemeral-storage'].flatMap((name) => [
      ...warnOfBytes(limits, name, `${path}.resources.limits`),
      ...warnOfBytes(requests, name, `${path}.resources.requests`),
    ]),
    ...warnOfHiddenVariables(container.env ?? [], `${path}.env`),
  ];
}

function warnOfSeccomp({ name, securityContext }: Container, holder: Annotated): Warnings {
  const key = `${SECCOMP_OF_CONTAINER}${name}`;
  return holder.metadata.annotations?.[key] === undefined || securityContext?.seccompProfile !== undefined
    ? []
    : [`${annotationPath(holder, key)}: ${SECCOMP_DEAD}`];
}

/** Pods are told when their profiles are filled in. */
function warnOfAppArmor({ name, securityContext }: Container, holder: Annotated): Warnings {
  const key = `${APP_ARMOR_OF_CONTAINER}${name}`;
  const annotation = holder.metadata.annotations?.[key];
  const ofPod = holder.spec.securityContext?.appArmorProfile;
  if (holder.path === '' || annotation === undefined || securityContext?.appArmorProfile !== undefined) return [];
  return ofPod !== undefined && sameValue(ofPod, appArmorProfileOf(annotation))
    ? []
    : [`${annotationPath(holder, key)}: ${APP_ARMOR_DEPRECATED}`];
}

/** A second definition is fine only if it builds on the first. */
function warnOfHiddenVariables(variables: readonly EnvVar[], path: string): Warnings {
  return variables.flatMap(({ name, value = '', valueFrom }, index) => {
    const isRepeated = variables.slice(0, index).some((other) => other.name === name);
    const reference = `$(${name})`;
    const buildsOn = valueFrom === undefined && value !== reference && value.includes(reference);
    return isRepeated && !buildsOn
      ? [`${path}[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`]
      : [];
  });
}
