// kubernetes:pkg/registry/apps/statefulset/strategy.go, pkg/apis/apps/{v1/defaults.go,validation/validation.go}
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { validateAnnotations, validateLabels } from '../../kube/object-meta-validation.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { type StatefulSet, type StatefulSetSpec, StatefulSets } from '../../kube/resources/stateful-set.ts';
import { checkLabel, checkNonNegative } from './field-checks.ts';
import { checkClaimSpec, defaultClaimSpec, warnOfClaimSpec } from './persistent-volume-claim-spec.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { checkPodTemplate } from './pod-spec-checks.ts';
import { keepsGeneration, warnOfPodTemplate } from './pod-warnings.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';
import { checkCounts, checkEndless, checkParts, checkSelector, checkTemplateLabels } from './workload-checks.ts';

type Faults = readonly FieldError[];

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const FIXED_SPEC =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const KEEPS_ALL_REVISIONS =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';

export const statefulSetStrategy: Strategy<StatefulSet> = {
  resource: StatefulSets,
  hasGeneration: true,
  hasStatus: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'label',
  applyDefaults: (set) => ({ ...set, spec: defaultSpec(set.spec) }),
  prepareForCreate: (set) => ({ ...set, spec: withoutMaxUnavailable(set.spec, undefined) }),
  prepareForUpdate: (set, before) => ({
    ...set,
    spec: withoutMaxUnavailable(set.spec, before.spec),
    status: before.status,
  }),
  validate: (set) => checkSpec(set.spec, { isNew: true }),
  validateUpdate: (set, before) => [
    ...checkSpec({ ...set.spec, volumeClaimTemplates: [] }, { mounted: set.spec }),
    ...(sameValue(fixedPart(set.spec), fixedPart(before.spec)) ? [] : [forbidden('spec', FIXED_SPEC)]),
  ],
  validateStatusUpdate: checkStatus,
  warnings: (set, before) => [
    ...(keepsGeneration(set, before) ? [] : warnOfPodTemplate(set.spec.template, 'spec.template')),
    ...(set.spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
      warnOfClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}]${before === undefined ? '' : '.Spec'}`),
    ),
    ...((set.spec.revisionHistoryLimit ?? 0) < 0 ? [KEEPS_ALL_REVISIONS] : []),
  ],
};

function defaultSpec(spec: StatefulSetSpec): StatefulSetSpec {
  const { volumeClaimTemplates: claims, persistentVolumeClaimRetentionPolicy: retention } = spec;
  return {
    ...spec,
    replicas: spec.replicas ?? 1,
    template: defaultPodTemplate(spec.template),
    ...(claims === undefined ? {} : { volumeClaimTemplates: claims.map(defaultClaim) }),
    podManagementPolicy: spec.podManagementPolicy ?? 'OrderedReady',
    updateStrategy: defaultRollout(spec.updateStrategy),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain', ...retention },
  };
}

type Claim = NonNullable<StatefulSetSpec['volumeClaimTemplates']>[number];

/** A template names its kind, so that server-side apply sees the same fields whoever wrote it. */
function defaultClaim(claim: Claim): Claim {
  const named = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claim };
  return {
    ...named,
    spec: defaultClaimSpec(claim.spec),
    status: { ...claim.status, phase: claim.status.phase ?? 'Pending' },
  };
}

function defaultRollout(strategy: StatefulSetSpec['updateStrategy']): StatefulSetSpec['updateStrategy'] {
  const { type, rollingUpdate } = strategy;
  if (type === undefined) return { type: 'RollingUpdate', rollingUpdate: { partition: 0, ...rollingUpdate } };
  if (type !== 'RollingUpdate' || rollingUpdate === undefined) return strategy;
  return { ...strategy, rollingUpdate: { partition: 0, ...rollingUpdate } };
}

/** The gate MaxUnavailableStatefulSet is off by default. */
function withoutMaxUnavailable(spec: StatefulSetSpec, before: StatefulSetSpec | undefined): StatefulSetSpec {
  const { rollingUpdate } = spec.updateStrategy;
  const wasUsed = before?.updateStrategy.rollingUpdate?.maxUnavailable !== undefined;
  if (rollingUpdate?.maxUnavailable === undefined || wasUsed) return spec;
  const { maxUnavailable: _dropped, ...kept } = rollingUpdate;
  return { ...spec, updateStrategy: { ...spec.updateStrategy, rollingUpdate: kept } };
}

const fixedPart = (spec: StatefulSetSpec): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => !MUTABLE.includes(key)));

const checkServiceName = ({ serviceName }: StatefulSetSpec): Faults =>
  serviceName === '' ? [] : checkLabel('spec.serviceName', serviceName);

interface SpecScene {
  /** The name of the service is judged only then. */
  readonly isNew?: boolean;
  /** Holds the claim templates that pods may mount, where these are not themselves judged. */
  readonly mounted?: StatefulSetSpec;
}

function checkSpec(spec: StatefulSetSpec, { isNew = false, mounted = spec }: SpecScene): Faults {
  return [
    ...checkManagement(spec.podManagementPolicy ?? ''),
    ...checkRollout(spec.updateStrategy),
    ...checkRetention(spec),
    ...(spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
      checkClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...checkNonNegative('spec.replicas', spec.replicas),
    ...checkNonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...checkNonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(isNew ? checkServiceName(spec) : []),
    ...checkSelector(spec.selector, 'statefulset'),
    ...checkTemplate(mounted),
    ...checkEndless(spec.template, 'StatefulSet'),
  ];
}

function checkManagement(policy: string): Faults {
  if (policy === '') return [required('spec.podManagementPolicy')];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
}

function checkRollout(strategy: StatefulSetSpec['updateStrategy']): Faults {
  const { type = '', rollingUpdate } = strategy;
  const path = 'spec.updateStrategy';
  if (type === '') return [required(path)];
  if (type === 'RollingUpdate') return checkNonNegative(`${path}.rollingUpdate.partition`, rollingUpdate?.partition);
  if (type !== 'OnDelete') {
    const printed = {
      Type: type,
      RollingUpdate: rollingUpdate === undefined ? null : { Partition: rollingUpdate.partition ?? 0 },
    };
    return [invalid(path, printed, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return rollingUpdate === undefined
    ? []
    : [
        invalid(
          `${path}.rollingUpdate`,
          { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null },
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      ];
}

function checkRetention(spec: StatefulSetSpec): Faults {
  const policy = spec.persistentVolumeClaimRetentionPolicy;
  return (['whenDeleted', 'whenScaled'] as const).flatMap((key) => {
    const value = policy?.[key] ?? 'Retain';
    const path = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
    return value === 'Retain' || value === 'Delete' ? [] : [notSupported(path, value, ['Retain', 'Delete'])];
  });
}

/** Each claim template is a volume of the pods; hostname and subdomain are the controller's to set. */
function checkTemplate(spec: StatefulSetSpec): Faults {
  const claims = spec.volumeClaimTemplates ?? [];
  const names = new Set(claims.map(({ metadata }) => metadata.name ?? ''));
  const { subdomain: _subdomain, hostname: _hostname, volumes = [], ...podSpec } = spec.template.spec;
  const claimed: readonly Volume[] = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const template = {
    ...spec.template,
    spec: { ...podSpec, volumes: [...claimed, ...volumes.filter(({ name }) => !names.has(name))] },
  };
  return [
    ...checkTemplateLabels(spec),
    ...checkPodTemplate(template, 'spec.template'),
    ...validateLabels(template.metadata.labels, 'spec.template.labels'),
    ...validateAnnotations(template.metadata.annotations, 'spec.template.annotations'),
  ];
}

function checkStatus({ status }: StatefulSet, before: StatefulSet): Faults {
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas } = status;
  const { observedGeneration, collisionCount } = status;
  const parts = { readyReplicas, currentReplicas, updatedReplicas, availableReplicas };
  const isDecremented = (collisionCount ?? 0) < (before.status.collisionCount ?? 0);
  return [
    ...checkCounts({ replicas, ...parts, observedGeneration, collisionCount }, 'status'),
    ...checkParts(parts, replicas, 'cannot be greater than status.replicas'),
    ...checkParts({ availableReplicas }, readyReplicas, 'cannot be greater than status.readyReplicas'),
    ...(isDecremented ? [invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented')] : []),
  ];
}
