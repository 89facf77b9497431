// The sources of persistent volumes: defaults and rules, in upstream's order, which decides whose name is told when there are two.
// kubernetes:pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec), pkg/apis/core/v1/zz_generated.defaults.go
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import type {
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  PersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from '../../kube/resources/persistent-volume-source.ts';
import type { SecretReference } from '../../kube/resources/references.ts';
import { checkDriverName, checkLabel, checkRequired, checkSubdomain } from './field-checks.ts';
import {
  type SourceRule,
  checkAwsElasticBlockStore,
  checkAzureDisk,
  checkFibreChannel,
  checkFlexOptions,
  checkFlocker,
  checkGcePersistentDisk,
  checkHostPath,
  checkIscsi,
  checkIscsiLength,
  checkNfs,
  checkNoBacksteps,
  checkQuobyte,
  checkSources,
  sourceRulesOf,
} from './source-checks.ts';

type Faults = readonly FieldError[];
const rule = sourceRulesOf<PersistentVolumeSource>();

const RULES: readonly SourceRule<PersistentVolumeSource>[] = [
  rule('hostPath', checkHostPath),
  rule('gcePersistentDisk', checkGcePersistentDisk, { pathAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', checkAwsElasticBlockStore),
  rule('glusterfs', checkGlusterfs),
  rule('flocker', checkFlocker),
  rule('nfs', checkNfs),
  rule('rbd', (source, path) => [
    ...checkMonitors(source.monitors, path),
    ...checkRequired(`${path}.image`, source.image),
  ]),
  rule('quobyte', checkQuobyte),
  rule('cephfs', (source, path) => checkMonitors(source.monitors, path), { repeatedAs: 'cephFS' }),
  rule('iscsi', (source, path) => [
    ...checkIscsi(source, path, 'must be valid format'),
    ...(source.secretRef === undefined ? [] : checkRequired(`${path}.secretRef.name`, source.secretRef.name)),
  ]),
  rule('cinder', (source, path) => [
    ...checkRequired(`${path}.volumeID`, source.volumeID),
    ...(source.secretRef === undefined ? [] : checkSecretGiven(source.secretRef, `${path}.secretRef`)),
  ]),
  rule('fc', checkFibreChannel),
  rule('flexVolume', (source, path) => [
    ...checkRequired(`${path}.driver`, source.driver),
    ...checkFlexOptions(source.options, path),
  ]),
  rule('azureFile', (source, path) => [
    ...checkRequired(`${path}.secretName`, source.secretName),
    ...checkRequired(`${path}.shareName`, source.shareName),
    ...(source.secretNamespace === '' ? [required(`${path}.secretNamespace`)] : []),
  ]),
  rule('vsphereVolume', (source, path) => checkRequired(`${path}.volumePath`, source.volumePath)),
  rule('photonPersistentDisk', (source, path) => checkRequired(`${path}.pdID`, source.pdID)),
  rule('portworxVolume', (source, path) => checkRequired(`${path}.volumeID`, source.volumeID)),
  rule('azureDisk', checkAzureDisk),
  rule('scaleIO', (source, path) => [
    ...checkRequired(`${path}.gateway`, source.gateway),
    ...checkRequired(`${path}.system`, source.system),
    ...checkRequired(`${path}.volumeName`, source.volumeName),
  ]),
  rule('local', (source, path) =>
    source.path === '' ? [required(`${path}.path`)] : checkNoBacksteps(`${path}.path`, source.path),
  ),
  rule('storageos', checkStorageOs),
  rule('csi', checkCsi),
];

const SOURCE_KEYS = new Set(RULES.map(({ key }) => key));

export const checkVolumeSource = (source: PersistentVolumeSource, path: string, volumeName: string): Faults => [
  ...checkSources(source, path, RULES),
  ...checkIscsiLength(source.iscsi, volumeName, {
    path: `${path}.iscsi.targetportal`,
    value: source.iscsi?.targetPortal,
  }),
];

/** The members of the spec that are the source, and immutable together. */
export function sourceOf(spec: PersistentVolumeSource): PersistentVolumeSource {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => SOURCE_KEYS.has(key)));
}

const checkMonitors = (monitors: readonly string[], path: string): Faults =>
  monitors.length === 0 ? [required(`${path}.monitors`)] : [];

function checkGlusterfs(source: GlusterfsPersistentVolumeSource, path: string): Faults {
  const namespace = source.endpointsNamespace;
  const at = `${path}.endpointsNamespace`;
  return [
    ...checkRequired(`${path}.endpoints`, source.endpoints),
    ...checkRequired(`${path}.path`, source.path),
    ...(namespace === ''
      ? [invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')]
      : []),
    ...(namespace === undefined || namespace === '' ? [] : checkLabel(at, namespace)),
  ];
}

function checkStorageOs(source: StorageOSPersistentVolumeSource, path: string): Faults {
  return [
    ...(source.volumeName === undefined || source.volumeName === ''
      ? [required(`${path}.volumeName`)]
      : checkLabel(`${path}.volumeName`, source.volumeName)),
    ...(source.volumeNamespace === undefined ? [] : checkLabel(`${path}.volumeNamespace`, source.volumeNamespace)),
    ...(source.secretRef === undefined ? [] : checkSecretGiven(source.secretRef, `${path}.secretRef`)),
  ];
}

const checkSecretGiven = (secret: SecretReference, path: string): Faults => [
  ...checkRequired(`${path}.name`, secret.name),
  ...checkRequired(`${path}.namespace`, secret.namespace),
];

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

/** The staging secret is not checked, as upstream does not either. */
function checkCsi(source: CSIPersistentVolumeSource, path: string): Faults {
  return [
    ...checkDriverName(`${path}.driver`, source.driver),
    ...checkRequired(`${path}.volumeHandle`, source.volumeHandle),
    ...CSI_SECRETS.flatMap((key) => {
      const secret = source[key];
      return secret === undefined ? [] : checkSecretReference(secret, `${path}.${key}`);
    }),
  ];
}

function checkSecretReference(secret: SecretReference, path: string): Faults {
  const { name = '', namespace = '' } = secret;
  return [
    ...(name === '' ? [required(`${path}.name`)] : checkSubdomain(`${path}.name`, name)),
    ...(namespace === '' ? [required(`${path}.namespace`)] : checkLabel(`${path}.namespace`, namespace)),
  ];
}

export function defaultVolumeSource<T extends PersistentVolumeSource>(spec: T): T {
  const { hostPath, rbd, iscsi, azureDisk, scaleIO } = spec;
  if (
    hostPath === undefined &&
    rbd === undefined &&
    iscsi === undefined &&
    azureDisk === undefined &&
    scaleIO === undefined
  ) {
    return spec;
  }
  return {
    ...spec,
    ...(hostPath === undefined ? {} : { hostPath: { type: '', ...hostPath } }),
    ...(rbd === undefined ? {} : { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring', ...rbd } }),
    ...(iscsi === undefined ? {} : { iscsi: { iscsiInterface: 'default', ...iscsi } }),
    ...(azureDisk === undefined
      ? {}
      : { azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared', ...azureDisk } }),
    ...(scaleIO === undefined ? {} : { scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs', ...scaleIO } }),
  };
}
