// kubernetes:pkg/registry/core/persistentvolume/strategy.go, pkg/apis/core/validation/validation.go, pkg/api/persistentvolume/util.go
import { timestamp } from '../../base/clock.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import type { NodeSelectorRequirement } from '../../kube/resources/node-selector.ts';
import type { VolumeNodeAffinity } from '../../kube/resources/persistent-volume-source.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { difference } from './difference.ts';
import { checkImmutable } from './field-checks.ts';
import { goStruct } from './go-struct.ts';
import { kept } from './kept.ts';
import { BETA_STORAGE_CLASS } from './persistent-volume-claim.ts';
import { defaultVolumeSource, sourceOf } from './persistent-volume-source.ts';
import { checkVolumeSpec } from './persistent-volume-spec.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';
import { warnOfNodeSelectorTerms } from './label-warnings.ts';

type Faults = readonly FieldError[];

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Sources whose mount options may still stand in the old annotation. */
const MOUNT_OPTION_SOURCES = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  resource: PersistentVolumes,
  hasGeneration: false,
  hasStatus: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['object', 'object'] },
  nameRule: 'subdomain',
  applyDefaults: (volume) =>
    kept(volume, {
      ...volume,
      spec: kept(volume.spec, {
        ...defaultVolumeSource(volume.spec),
        persistentVolumeReclaimPolicy: volume.spec.persistentVolumeReclaimPolicy ?? 'Retain',
        volumeMode: volume.spec.volumeMode ?? 'Filesystem',
      }),
      status: volume.status.phase === undefined ? { ...volume.status, phase: 'Pending' } : volume.status,
    }),
  prepareForCreate: (volume, context) => ({
    ...volume,
    status: { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.now) },
  }),
  prepareForUpdate: (volume, before) => ({ ...volume, status: before.status }),
  prepareForStatusUpdate: (volume, before, context) => ({
    ...volume,
    spec: before.spec,
    status: withTransitionTime(volume.status, before.status, timestamp(context.now)),
  }),
  validate: checkVolume,
  validateUpdate: checkUpdate,
  validateStatusUpdate: () => [],
  warnings: warningsOf,
};

/** A change of phase stamps the time, unless the writer brought a time of its own. */
function withTransitionTime(
  status: PersistentVolume['status'],
  before: PersistentVolume['status'],
  now: string,
): PersistentVolume['status'] {
  const { lastPhaseTransitionTime: given, ...rest } = status;
  const old = before.lastPhaseTransitionTime;
  if (status.phase !== before.phase) {
    return given === undefined || given === old ? { ...rest, lastPhaseTransitionTime: now } : status;
  }
  return given !== undefined || old === undefined ? status : { ...rest, lastPhaseTransitionTime: old };
}

function checkVolume(volume: PersistentVolume): Faults {
  return [...checkVolumeSpec(volume.spec, 'spec', volume.metadata.name), ...checkMountOptions(volume)];
}

function checkMountOptions(volume: PersistentVolume): Faults {
  const takesOptions = MOUNT_OPTION_SOURCES.some((key) => volume.spec[key] !== undefined);
  return takesOptions || annotationOf(volume, MOUNT_OPTIONS) === undefined
    ? []
    : [forbidden(`metadata.annotations.${MOUNT_OPTIONS}`, 'may not specify mount options for this volume type')];
}

/** Upstream asks the rules of the spec twice on an update, so the causes hold each of their faults twice. */
function checkUpdate(volume: PersistentVolume, before: PersistentVolume): Faults {
  return [
    ...checkVolume(volume),
    ...checkVolumeSpec(volume.spec, 'spec', volume.metadata.name),
    ...checkSource(volume, before),
    ...checkImmutable('volumeMode', volume.spec.volumeMode, before.spec.volumeMode),
    ...checkAffinity(volume.spec.nodeAffinity, before.spec.nodeAffinity),
    ...(before.spec.volumeAttributesClassName !== undefined && volume.spec.volumeAttributesClassName === undefined
      ? [forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

/** The source stays; only a secret for expansion may be added where there was none. */
function checkSource(volume: PersistentVolume, before: PersistentVolume): Faults {
  const old = sourceOf(before.spec);
  const isSecretNew = old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined;
  const now = isSecretNew ? withoutExpandSecret(sourceOf(volume.spec)) : sourceOf(volume.spec);
  if (sameValue(now, old)) return [];
  const path = 'spec.persistentvolumesource';
  return [forbidden(path, `${path} is immutable after creation\n${difference(old, now)}`)];
}

function withoutExpandSecret(source: ReturnType<typeof sourceOf>): ReturnType<typeof sourceOf> {
  if (source.csi === undefined) return source;
  const { controllerExpandSecretRef: _added, ...csi } = source.csi;
  return { ...source, csi };
}

const BETA_TO_GA_LABEL: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** Where a volume can be used is fixed once it is known; only labels that left beta may follow. */
function checkAffinity(affinity: VolumeNodeAffinity | undefined, before: VolumeNodeAffinity | undefined): Faults {
  if (before === undefined || isRelabelled(affinity, before)) return [];
  return [
    invalid(
      'nodeAffinity',
      goStruct(wholeAffinity(affinity)),
      'field is immutable, except for updating from beta label to GA',
    ),
  ];
}

/** Upstream prints every field of these types, also those that are not set. */
const wholeAffinity = (affinity: VolumeNodeAffinity | undefined): unknown =>
  affinity && {
    required: affinity.required && {
      nodeSelectorTerms: affinity.required.nodeSelectorTerms?.map(({ matchExpressions, matchFields }) => ({
        matchExpressions: matchExpressions?.map(wholeRequirement),
        matchFields: matchFields?.map(wholeRequirement),
      })),
    },
  };
const wholeRequirement = ({ key, operator, values }: NodeSelectorRequirement): unknown => ({ key, operator, values });

function isRelabelled(affinity: VolumeNodeAffinity | undefined, before: VolumeNodeAffinity): boolean {
  const keys = new Map(keysOf(before).map((key, index) => [index, key]));
  const now = keysOf(affinity);
  const mayMove = now.every((key, index) => key === keys.get(index) || key === BETA_TO_GA_LABEL[keys.get(index) ?? '']);
  return mayMove && now.length === keys.size && sameValue(withoutKeys(affinity), withoutKeys(before));
}

const termsOf = (affinity: VolumeNodeAffinity | undefined) => affinity?.required?.nodeSelectorTerms ?? [];
const keysOf = (affinity: VolumeNodeAffinity | undefined): readonly string[] =>
  termsOf(affinity).flatMap((term) =>
    [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map(({ key }) => key),
  );
const withoutKeys = (affinity: VolumeNodeAffinity | undefined): unknown =>
  termsOf(affinity).map(({ matchExpressions = [], matchFields = [] }) => [
    matchExpressions.map(({ operator, values }) => [operator, values]),
    matchFields.map(({ operator, values }) => [operator, values]),
  ]);

const DEAD_SOURCES = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

function warningsOf(volume: PersistentVolume): readonly string[] {
  const annotated = [
    [BETA_STORAGE_CLASS, 'deprecated since v1.8; use "storageClassName" attribute instead'],
    [MOUNT_OPTIONS, 'deprecated since v1.31; use "mountOptions" attribute instead'],
  ] as const;
  return [
    ...annotated
      .filter(([key]) => annotationOf(volume, key) !== undefined)
      .map(([key, text]) => `metadata.annotations[${key}]: ${text}`),
    ...(volume.spec.persistentVolumeReclaimPolicy === 'Recycle' ? [RECYCLE_WARNING] : []),
    ...warnOfNodeSelectorTerms(termsOf(volume.spec.nodeAffinity), 'spec.nodeAffinity.required.nodeSelectorTerms'),
    ...DEAD_SOURCES.filter(([key]) => volume.spec[key] !== undefined).map(([, name, text]) => `spec.${name}: ${text}`),
  ];
}

const RECYCLE_WARNING =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
