// The volumes of a pod. kubernetes:pkg/apis/core/validation/validation.go (ValidateVolumes, validateVolumeSource)
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import { validateAnnotations, validateLabels } from '../../kube/object-meta-validation.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type {
  CSIVolumeSource,
  ConfigMapVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  SecretVolumeSource,
  StorageOSVolumeSource,
  VolumeSource,
} from '../../kube/resources/volume-source.ts';
import { faultsOfSubdomain } from '../../kube/names.ts';
import { checkDownwardFiles } from './downward-checks.ts';
import {
  checkDriverName,
  checkFileMode,
  checkLabel,
  checkOneOf,
  checkRequired,
  checkSubdomain,
} from './field-checks.ts';
import { checkClaimSpec } from './persistent-volume-claim-spec.ts';
import { checkProjected } from './projected-checks.ts';
import {
  type SourceRule,
  checkAwsElasticBlockStore,
  checkAzureDisk,
  checkDescendingPath,
  checkFibreChannel,
  checkFlexOptions,
  checkFlocker,
  checkGcePersistentDisk,
  checkHostPath,
  checkIscsi,
  checkIscsiLength,
  checkKeyToPath,
  checkNfs,
  checkQuobyte,
  checkSources,
  sourceRulesOf,
} from './source-checks.ts';

type Faults = readonly FieldError[];
const rule = sourceRulesOf<VolumeSource>();
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;

export interface CheckedVolumes {
  readonly faults: Faults;
  /** Volumes without a fault, by name: only these can be mounted. */
  readonly usable: ReadonlyMap<string, Volume>;
}

/** `podName` is undefined for templates, whose pods have no name yet. */
export function checkVolumes(volumes: readonly Volume[], path: string, podName: string | undefined): CheckedVolumes {
  const owned = new Set(
    volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName ?? ''}-${name}`),
  );
  const usable = new Map<string, Volume>();
  const faults = volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const own = [
      ...checkSources(volume, at, podName === undefined ? RULES_OF_TEMPLATES : RULES_OF_PODS),
      ...checkIscsiLength(volume.iscsi, volume.name, { path: `${at}.name`, value: volume.name }),
      ...checkOwnedClaimName(volume, at, podName),
      ...(volume.name === '' ? [required(`${at}.name`)] : checkLabel(`${at}.name`, volume.name)),
      ...(usable.has(volume.name) ? [duplicate(`${at}.name`, volume.name)] : []),
    ];
    if (own.length === 0) usable.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName ?? '';
    return podName !== undefined && owned.has(claimName) ? [...own, ownedClaim(at, claimName)] : own;
  });
  return { faults, usable };
}

const ownedClaim = (path: string, claimName: string): FieldError =>
  invalid(
    `${path}.persistentVolumeClaim.claimName`,
    claimName,
    'must not reference a PVC that gets created for an ephemeral volume',
  );

/** The claim of an ephemeral volume is named after pod and volume, and that must be a name. */
function checkOwnedClaimName(volume: Volume, path: string, podName: string | undefined): Faults {
  if (volume.ephemeral === undefined || podName === undefined || podName === '' || volume.name === '') return [];
  const claimName = `${podName}-${volume.name}`;
  return faultsOfSubdomain(claimName).map((fault) =>
    invalid(`${path}.name`, volume.name, `PVC name ${JSON.stringify(claimName)}: ${fault}`),
  );
}

const ISCSI_UNKNOWN = 'must be valid format starting with iqn, eui, or naa';

/** In upstream's order, which decides whose name is told when there are two sources. */
const RULES: readonly SourceRule<VolumeSource>[] = [
  rule('emptyDir', (source, at) =>
    source.sizeLimit !== undefined && compareQuantities(source.sizeLimit, '0') < 0
      ? [forbidden(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : [],
  ),
  rule('hostPath', checkHostPath),
  rule('gitRepo', (source, at) => [
    ...checkRequired(`${at}.repository`, source.repository),
    ...checkDescendingPath(`${at}.directory`, source.directory ?? ''),
  ]),
  rule('gcePersistentDisk', checkGcePersistentDisk, { pathAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', checkAwsElasticBlockStore),
  rule('secret', checkSecret),
  rule('nfs', checkNfs),
  rule('iscsi', (source, at) => checkIscsi(source, at, ISCSI_UNKNOWN)),
  rule('glusterfs', (source, at) => [
    ...checkRequired(`${at}.endpoints`, source.endpoints),
    ...checkRequired(`${at}.path`, source.path),
  ]),
  rule('flocker', checkFlocker),
  rule('persistentVolumeClaim', (source, at) => checkRequired(`${at}.claimName`, source.claimName)),
  rule('rbd', (source, at) => [
    ...(source.monitors.length === 0 ? [required(`${at}.monitors`)] : []),
    ...checkRequired(`${at}.image`, source.image),
  ]),
  rule('cinder', (source, at) => [
    ...checkRequired(`${at}.volumeID`, source.volumeID),
    ...(source.secretRef === undefined ? [] : checkRequired(`${at}.secretRef.name`, source.secretRef.name)),
  ]),
  rule('cephfs', (source, at) => (source.monitors.length === 0 ? [required(`${at}.monitors`)] : []), {
    repeatedAs: 'cephFS',
  }),
  rule('quobyte', checkQuobyte),
  rule(
    'downwardAPI',
    (source, at) => [
      ...checkFileMode(`${at}.defaultMode`, source.defaultMode),
      ...checkDownwardFiles(source.items ?? [], at),
    ],
    { repeatedAs: 'downwarAPI' },
  ),
  rule('fc', checkFibreChannel),
  rule('flexVolume', (source, at) => [
    ...checkRequired(`${at}.driver`, source.driver),
    ...checkFlexOptions(source.options, at),
  ]),
  rule('configMap', checkConfigMap),
  rule('azureFile', (source, at) => [
    ...checkRequired(`${at}.secretName`, source.secretName),
    ...checkRequired(`${at}.shareName`, source.shareName),
  ]),
  rule('vsphereVolume', (source, at) => checkRequired(`${at}.volumePath`, source.volumePath)),
  rule('photonPersistentDisk', (source, at) => checkRequired(`${at}.pdID`, source.pdID)),
  rule('portworxVolume', (source, at) => checkRequired(`${at}.volumeID`, source.volumeID)),
  rule('azureDisk', checkAzureDisk),
  rule('storageos', checkStorageOs),
  rule('projected', checkProjected),
  rule('scaleIO', (source, at) => [
    ...checkRequired(`${at}.gateway`, source.gateway),
    ...checkRequired(`${at}.system`, source.system),
    ...checkRequired(`${at}.volumeName`, source.volumeName),
  ]),
  rule('csi', checkCsi),
  rule('ephemeral', checkEphemeral),
];

/** A template may leave open which image it is. */
const imageRule = (isTemplate: boolean): SourceRule<VolumeSource> =>
  rule('image', (source, at) => [
    ...(isTemplate ? [] : checkRequired(`${at}.reference`, source.reference)),
    ...checkOneOf(`${at}.pullPolicy`, source.pullPolicy ?? '', PULL_POLICIES),
  ]);
const RULES_OF_PODS = [...RULES, imageRule(false)];
const RULES_OF_TEMPLATES = [...RULES, imageRule(true)];

function checkSecret(source: SecretVolumeSource, path: string): Faults {
  return [
    ...checkRequired(`${path}.secretName`, source.secretName),
    ...checkFileMode(`${path}.defaultMode`, source.defaultMode),
    ...checkItems(source.items, `${path}.items`),
  ];
}

function checkConfigMap(source: ConfigMapVolumeSource, path: string): Faults {
  return [
    ...checkRequired(`${path}.name`, source.name),
    ...checkFileMode(`${path}.defaultMode`, source.defaultMode),
    ...checkItems(source.items, `${path}.items`),
  ];
}

const checkItems = (items: readonly KeyToPath[] | undefined, path: string): Faults =>
  (items ?? []).flatMap((item, index) => checkKeyToPath(item, `${path}[${index}]`));

function checkStorageOs(source: StorageOSVolumeSource, path: string): Faults {
  return [
    ...(source.volumeName === undefined || source.volumeName === ''
      ? [required(`${path}.volumeName`)]
      : checkLabel(`${path}.volumeName`, source.volumeName)),
    ...(source.volumeNamespace === undefined ? [] : checkLabel(`${path}.volumeNamespace`, source.volumeNamespace)),
    ...(source.secretRef === undefined ? [] : checkRequired(`${path}.secretRef.name`, source.secretRef.name)),
  ];
}

function checkCsi(source: CSIVolumeSource, path: string): Faults {
  const secret = source.nodePublishSecretRef?.name;
  return [
    ...checkDriverName(`${path}.driver`, source.driver),
    ...(source.nodePublishSecretRef === undefined ? [] : checkRequired(`${path}.nodePublishSecretRef.name`, secret)),
    ...(secret === undefined || secret === '' ? [] : checkSubdomain(`${path}.name`, secret)),
  ];
}

/** A claim made from a template takes labels and annotations from it; its name and the rest of its metadata are not free. */
function checkEphemeral(source: EphemeralVolumeSource, path: string): Faults {
  const template = source.volumeClaimTemplate;
  const at = `${path}.volumeClaimTemplate`;
  if (template === undefined) return [required(at)];
  const { labels, annotations, ...others } = template.metadata ?? {};
  return [
    ...validateAnnotations(annotations, `${at}.metadata.annotations`),
    ...validateLabels(labels, `${at}.metadata.labels`),
    ...Object.keys(others).map((key) => forbidden(`${at}.metadata.${key}`, 'cannot be set')),
    ...checkClaimSpec(template.spec, `${at}.spec`),
  ];
}
