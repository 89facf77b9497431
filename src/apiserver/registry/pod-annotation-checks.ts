// Annotations that mean something to a pod, and those that must agree with the fields that took their place.
// kubernetes:pkg/apis/core/validation/validation.go (ValidatePodSpecificAnnotations, validateSeccompAnnotationsAndFields,
// validateAppArmorAnnotationsAndFieldsMatchOnCreate)
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import type { AppArmorProfile, SeccompProfile } from '../../kube/resources/container.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';
import { APP_ARMOR_OF_CONTAINER, LOCALHOST_PREFIX } from './app-armor.ts';
import { containersOf } from './pod-containers.ts';
import { checkDescendingPath } from './source-checks.ts';
import { TOLERATIONS, checkTolerationAnnotation } from './toleration-annotation.ts';

type Faults = readonly FieldError[];
type Annotations = Readonly<Record<string, string>>;

export const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod';
/** The name of the container follows. */
export const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const MIRROR_POD = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const INT32_MAX = 2 ** 31 - 1;

export function checkPodAnnotations(annotations: Annotations | undefined, spec: PodSpec, path: string): Faults {
  if (annotations === undefined) return [];
  const mirror = annotations[MIRROR_POD];
  return [
    ...(mirror !== undefined && (spec.nodeName ?? '') === ''
      ? [invalid(`${path}[${MIRROR_POD}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set')]
      : []),
    ...checkTolerationAnnotation(annotations[TOLERATIONS], path),
    ...checkCost(annotations[DELETION_COST], `${path}[${DELETION_COST}]`),
    ...Object.entries(annotations).flatMap(([key, value]) =>
      key === SECCOMP_OF_POD || key.startsWith(SECCOMP_OF_CONTAINER) ? checkSeccomp(value, `${path}.${key}`) : [],
    ),
    ...Object.entries(annotations).flatMap(([key, value]) =>
      key.startsWith(APP_ARMOR_OF_CONTAINER)
        ? checkAppArmor(key.slice(APP_ARMOR_OF_CONTAINER.length), value, spec, `${path}[${key}]`)
        : [],
    ),
  ];
}

function checkCost(cost: string | undefined, path: string): Faults {
  if (cost === undefined) return [];
  const isNumber = /^(?:0|-\d+|[1-9]\d*)$/.test(cost) && Number(cost) <= INT32_MAX && Number(cost) >= -INT32_MAX - 1;
  return isNumber ? [] : [invalid(path, cost, 'must be a 32bit integer')];
}

function checkSeccomp(profile: string, path: string): Faults {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  return profile.startsWith(LOCALHOST_PREFIX)
    ? checkDescendingPath(path, profile.slice(LOCALHOST_PREFIX.length))
    : [invalid(path, profile, 'must be a valid seccomp profile')];
}

function checkAppArmor(name: string, profile: string, spec: PodSpec, path: string): Faults {
  const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCALHOST_PREFIX);
  return [
    ...(containersOf(spec, '').some(({ container }) => container.name === name)
      ? []
      : [invalid(path, name, 'container not found')]),
    ...(isKnown ? [] : [invalid(path, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)]),
  ];
}

/** Where an annotation and the field of a new pod or of a template both speak they say the same. */
export function checkAnnotatedFields(annotations: Annotations | undefined, spec: PodSpec, path: string): Faults {
  if (annotations === undefined) return [];
  const { seccompProfile, appArmorProfile } = spec.securityContext ?? {};
  const containers = containersOf(spec, path);
  return [
    ...checkAgreement('seccomp', annotations[SECCOMP_OF_POD], seccompProfile, `${path}.securityContext.seccompProfile`),
    ...containers.flatMap(({ path: at, container }) =>
      checkAgreement(
        'seccomp',
        annotations[`${SECCOMP_OF_CONTAINER}${container.name}`],
        container.securityContext?.seccompProfile,
        `${at}.securityContext.seccompProfile`,
      ),
    ),
    ...(spec.os?.name === 'windows' ? [] : containers).flatMap(({ path: at, container }) =>
      checkAgreement(
        'apparmor',
        annotations[`${APP_ARMOR_OF_CONTAINER}${container.name}`],
        container.securityContext?.appArmorProfile ?? appArmorProfile,
        `${at}.securityContext.appArmorProfile`,
      ),
    ),
  ];
}

function checkAgreement(
  what: 'seccomp' | 'apparmor',
  annotation: string | undefined,
  profile: SeccompProfile | AppArmorProfile | undefined,
  path: string,
): Faults {
  if (annotation === undefined || profile === undefined) return [];
  const differs = [forbidden(`${path}.type`, `${what} type in annotation and field must match`)];
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : differs;
    case 'RuntimeDefault': {
      const isOld = what === 'seccomp' && annotation === 'docker/default';
      return annotation === 'runtime/default' || isOld ? [] : differs;
    }
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST_PREFIX)) return differs;
      return annotation.slice(LOCALHOST_PREFIX.length) === profile.localhostProfile
        ? []
        : [forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`)];
    default:
      return [];
  }
}

/** What is said of a change, before all that is said of the annotations as they are now. */
export function checkAnnotationChange(
  annotations: Annotations | undefined,
  before: Annotations | undefined,
  spec: PodSpec,
): Faults {
  if (annotations === before) return checkPodAnnotations(annotations, spec, 'metadata.annotations');
  const [now, then] = [annotations ?? {}, before ?? {}];
  const changed = Object.keys(then).filter((key) => now[key] !== then[key]);
  const added = Object.keys(now).filter((key) => then[key] === undefined);
  return [
    ...changed.flatMap((key) => checkFixed(key, 'may not remove or update')),
    ...added.flatMap((key) => checkFixed(key, 'may not add')),
    ...checkPodAnnotations(annotations, spec, 'metadata.annotations'),
  ];
}

function checkFixed(key: string, verb: string): Faults {
  const path = `metadata.annotations[${key}]`;
  if (key.startsWith(APP_ARMOR_OF_CONTAINER)) return [forbidden(path, `${verb} AppArmor annotations`)];
  return key === MIRROR_POD ? [forbidden(path, `${verb} mirror pod annotation`)] : [];
}
