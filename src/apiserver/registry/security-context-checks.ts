// Who a pod's processes run as. Windows options are stored as they come.
// kubernetes:pkg/apis/core/validation/validation.go (ValidateSecurityContext, validatePodSpecSecurityContext)
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import type { SeccompProfile, SecurityContext } from '../../kube/resources/container.ts';
import type { PodSecurityContext, PodSpec } from '../../kube/resources/pod-spec.ts';
import { checkAppArmor } from './app-armor.ts';
import { checkOneOf, checkRange } from './field-checks.ts';
import { checkDescendingPath } from './source-checks.ts';

type Faults = readonly FieldError[];

const ID_MAX = 2 ** 31 - 1;
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'] as const;
const GROUP_CHANGE_POLICIES = ['Always', 'OnRootMismatch'] as const;
const GROUPS_POLICIES = ['Merge', 'Strict'] as const;
const SELINUX_CHANGE_POLICIES = ['MountOption', 'Recursive'] as const;

const checkId = (path: string, id: number | undefined): Faults =>
  id === undefined ? [] : checkRange(path, id, 0, ID_MAX);

const checkChoice = (path: string, value: string | undefined, choices: readonly string[]): Faults =>
  value === undefined ? [] : checkOneOf(path, value, choices);

export function checkSecurityContext(context: SecurityContext, path: string): Faults {
  const { procMount, seccompProfile, appArmorProfile } = context;
  return [
    ...checkId(`${path}.runAsUser`, context.runAsUser),
    ...checkId(`${path}.runAsGroup`, context.runAsGroup),
    ...checkChoice(`${path}.procMount`, procMount, ['Default', 'Unmasked']),
    ...(seccompProfile === undefined ? [] : checkSeccomp(seccompProfile, `${path}.seccompProfile`)),
    ...checkEscalation(context, path),
    ...(appArmorProfile === undefined ? [] : checkAppArmor(appArmorProfile, `${path}.appArmorProfile`)),
  ];
}

function checkEscalation(context: SecurityContext, path: string): Faults {
  if (context.allowPrivilegeEscalation !== false) return [];
  const start = 'cannot set `allowPrivilegeEscalation` to false and';
  return [
    ...(context.privileged === true ? [invalid(path, context, `${start} \`privileged\` to true`)] : []),
    ...(context.capabilities?.add ?? [])
      .filter((capability) => capability === 'CAP_SYS_ADMIN')
      .map(() => invalid(path, context, `${start} \`capabilities.Add\` CAP_SYS_ADMIN`)),
  ];
}

function checkSeccomp(profile: SeccompProfile, path: string): Faults {
  const { type, localhostProfile } = profile;
  if (type === '') return [required(`${path}.type`, 'type is required when seccompProfile is set')];
  if (type === 'Localhost') {
    return localhostProfile === undefined
      ? [required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost')]
      : checkDescendingPath(`${path}.localhostProfile`, localhostProfile);
  }
  const known = checkOneOf(`${path}.type`, type, SECCOMP_TYPES);
  if (known.length > 0 || localhostProfile === undefined) return known;
  return [invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost')];
}

export function checkPodSecurityContext(context: PodSecurityContext, spec: PodSpec, path: string): Faults {
  const sharesTwice = spec.shareProcessNamespace === true && spec.hostPID === true;
  return [
    ...checkId(`${path}.fsGroup`, context.fsGroup),
    ...checkId(`${path}.runAsUser`, context.runAsUser),
    ...checkId(`${path}.runAsGroup`, context.runAsGroup),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      checkId(`${path}.supplementalGroups[${index}]`, group),
    ),
    ...(sharesTwice
      ? [invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : []),
    ...checkChoice(`${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, GROUP_CHANGE_POLICIES),
    ...(context.seccompProfile === undefined ? [] : checkSeccomp(context.seccompProfile, `${path}.seccompProfile`)),
    ...(context.appArmorProfile === undefined ? [] : checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`)),
    ...checkChoice(`${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, GROUPS_POLICIES),
    ...checkChoice(`${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, SELINUX_CHANGE_POLICIES),
  ];
}
