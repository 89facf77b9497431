// AppArmor profiles of containers, which were annotations once. kubernetes:pkg/api/pod/util.go,
// pkg/registry/core/pod/strategy.go (applyAppArmorVersionSkew), pkg/apis/core/validation/validation.go
import { type FieldError, invalid, notSupported, required, tooLong } from '../../kube/field-error.ts';
import type { AppArmorProfile, Container, EphemeralContainer } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { mapKept } from './kept.ts';
import { containersOf } from './pod-containers.ts';
import { sameValue } from './semantic-equal.ts';

/** The name of the container follows. */
export const APP_ARMOR_OF_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
export const APP_ARMOR_DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead';
export const LOCALHOST_PREFIX = 'localhost/';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'] as const;
const PROFILE_BYTES_MAX = 4095;

export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST_PREFIX) || annotation === LOCALHOST_PREFIX) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST_PREFIX.length) };
}

export function checkAppArmor(profile: AppArmorProfile, path: string): readonly FieldError[] {
  const { type, localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  if (type === '') return [required(`${path}.type`, 'type is required when appArmorProfile is set')];
  if (type === 'Localhost') {
    if (local === undefined || local === '') return [required(at, 'must be set when AppArmor type is Localhost')];
    return [
      ...(local.trim() === local ? [] : [invalid(at, local, 'must not be padded with whitespace')]),
      ...(Buffer.byteLength(local) > PROFILE_BYTES_MAX ? [tooLong(at, PROFILE_BYTES_MAX)] : []),
    ];
  }
  if (!TYPES.some((known) => known === type)) return [notSupported(`${path}.type`, type, TYPES)];
  return local === undefined ? [] : [invalid(at, local, 'can only be set when AppArmor type is Localhost')];
}

interface Decision {
  /** Of the container from now on. */
  readonly profile?: AppArmorProfile;
  readonly isTold: boolean;
}

/** An annotation counts where the container has no profile of its own, and is told unless the pod's profile says the same. */
function decideProfile(container: Container | EphemeralContainer, pod: Pod): Decision {
  const annotation = pod.metadata.annotations?.[`${APP_ARMOR_OF_CONTAINER}${container.name}`];
  if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return { isTold: false };
  const profile = appArmorProfileOf(annotation);
  if (profile === undefined || checkAppArmor(profile, '').length > 0) return { isTold: true };
  return sameValue(profile, pod.spec.securityContext?.appArmorProfile) ? { isTold: false } : { profile, isTold: true };
}

const isSubject = ({ metadata, spec }: Pod): boolean =>
  spec.os?.name !== 'windows' &&
  Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith(APP_ARMOR_OF_CONTAINER));

export function withAppArmorProfiles(pod: Pod): Pod {
  if (!isSubject(pod)) return pod;
  const profiled = <C extends Container | EphemeralContainer>(container: C): C => {
    const { profile } = decideProfile(container, pod);
    return profile === undefined
      ? container
      : { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: mapKept(containers, profiled),
      ...(initContainers === undefined ? {} : { initContainers: mapKept(initContainers, profiled) }),
    },
  };
}

export const warnOfAppArmorAnnotations = (pod: Pod): readonly string[] =>
  isSubject(pod)
    ? containersOf(pod.spec, '')
        .filter(({ container }) => decideProfile(container, pod).isTold)
        .map(
          ({ container: { name } }) =>
            `metadata.annotations[${APP_ARMOR_OF_CONTAINER}${name}]: ${APP_ARMOR_DEPRECATED}`,
        )
    : [];
