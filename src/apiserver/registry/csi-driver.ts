// kubernetes:pkg/registry/storage/csidriver/strategy.go, pkg/apis/storage/{v1/defaults.go,validation/validation.go}
import { type FieldError, duplicate, invalid, notSupported } from '../../kube/field-error.ts';
import { type CSIDriver, type CSIDriverSpec, CSIDrivers, type TokenRequest } from '../../kube/resources/csi-driver.ts';
import { checkImmutable, checkOneOf } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'] as const;
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'] as const;
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;
const ALLOCATABLE_PERIOD_SECONDS_MIN = 10;
const TOKENS_IN_CONTEXT =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDriverStrategy: Strategy<CSIDriver> = {
  resource: CSIDrivers,
  /** Unlike other kinds with a generation it has none until the first change. */
  hasGeneration: false,
  hasStatus: false,
  requiresResourceVersion: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'subdomain',
  applyDefaults: (driver) => ({ ...driver, spec: defaultSpec(driver.spec) }),
  prepareForCreate: (driver) => ({ ...driver, spec: withoutAlphaFields(driver.spec, undefined) }),
  prepareForUpdate: (driver, before) => {
    const spec = withoutAlphaFields(driver.spec, before.spec);
    if (sameValue(spec, before.spec)) return { ...driver, spec };
    return { ...driver, spec, metadata: { ...driver.metadata, generation: (before.metadata.generation ?? 0) + 1 } };
  },
  validate: (driver) => checkSpec(driver.spec),
  validateUpdate: (driver, before) => [
    ...checkSpec(driver.spec),
    ...checkImmutable('spec.attachedRequired', driver.spec.attachRequired, before.spec.attachRequired),
    ...checkImmutable('spec.volumeLifecycleModes', driver.spec.volumeLifecycleModes, before.spec.volumeLifecycleModes),
  ],
  warnings: (driver, before) => {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = driver.spec;
    const isNew = before === undefined || !sameValue(tokenRequests, before.spec.tokenRequests);
    return isNew && tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined ? [TOKENS_IN_CONTEXT] : [];
  },
};

function defaultSpec(spec: CSIDriverSpec): CSIDriverSpec {
  const modes = spec.volumeLifecycleModes ?? [];
  return {
    ...spec,
    attachRequired: spec.attachRequired ?? true,
    podInfoOnMount: spec.podInfoOnMount ?? false,
    storageCapacity: spec.storageCapacity ?? false,
    fsGroupPolicy: spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: modes.length === 0 ? ['Persistent'] : modes,
    requiresRepublish: spec.requiresRepublish ?? false,
    seLinuxMount: spec.seLinuxMount ?? false,
  };
}

/** The gate VolumeLimitScaling is off by default. */
function withoutAlphaFields(spec: CSIDriverSpec, before: CSIDriverSpec | undefined): CSIDriverSpec {
  if (spec.preventPodSchedulingIfMissing === undefined || before?.preventPodSchedulingIfMissing !== undefined)
    return spec;
  const { preventPodSchedulingIfMissing: _dropped, ...rest } = spec;
  return rest;
}

function checkSpec(spec: CSIDriverSpec): Faults {
  const { tokenRequests = [], volumeLifecycleModes = [] } = spec;
  return [
    ...(spec.fsGroupPolicy === undefined
      ? []
      : checkOneOf('spec.fsGroupPolicy', spec.fsGroupPolicy, FS_GROUP_POLICIES)),
    ...tokenRequests.flatMap((request, index) => checkTokenRequest(request, tokenRequests.slice(0, index), index)),
    ...volumeLifecycleModes.flatMap((mode) =>
      mode === 'Persistent' || mode === 'Ephemeral'
        ? []
        : [notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)],
    ),
    ...checkAllocatablePeriod(spec.nodeAllocatableUpdatePeriodSeconds),
    ...(spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0
      ? [
          invalid(
            'spec.serviceAccountTokenInSecrets',
            spec.serviceAccountTokenInSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
  ];
}

const checkAllocatablePeriod = (seconds: number | undefined): Faults =>
  seconds === undefined || seconds >= ALLOCATABLE_PERIOD_SECONDS_MIN
    ? []
    : [invalid('spec.nodeAllocatableUpdatePeriodSeconds', seconds, 'must be greater than or equal to 10 seconds')];

function checkTokenRequest(request: TokenRequest, earlier: readonly TokenRequest[], index: number): Faults {
  const path = `spec.tokenRequests[${index}]`;
  if (earlier.some(({ audience }) => audience === request.audience)) {
    return [duplicate(`${path}.audience`, request.audience)];
  }
  const seconds = request.expirationSeconds;
  if (seconds === undefined) return [];
  const at = `${path}.expirationSeconds`;
  if (seconds < TOKEN_SECONDS_MIN) return [invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > TOKEN_SECONDS_MAX
    ? [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}
