// Volume sources that pods and persistent volumes both have, and the rule that there is exactly one.
// kubernetes:pkg/apis/core/validation/validation.go (validate…VolumeSource)
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from '../../kube/resources/persistent-volume-source.ts';
import type { ISCSIVolumeSource, KeyToPath } from '../../kube/resources/volume-source.ts';
import { checkFileMode, checkOneOf, checkRange, checkRequired } from './field-checks.ts';

type Faults = readonly FieldError[];

/** One kind of source: `check` is asked with the path of its field unless upstream says otherwise. */
export interface SourceRule<S> {
  readonly key: string;
  /** Upstream's name for the field in "may not specify more than 1 volume type", where it differs. */
  readonly repeatedAs?: string;
  /** Upstream's name for the field in its other sentences, where it differs. */
  readonly pathAs?: string;
  check(source: S, path: string): Faults;
}

/** Makes rules whose checks get the type of one member of the union of sources. */
export function sourceRulesOf<U>() {
  return <K extends keyof U & string>(
    key: K,
    check: (source: NonNullable<U[K]>, path: string) => Faults,
    names: { readonly repeatedAs?: string; readonly pathAs?: string } = {},
  ): SourceRule<U> => ({ key, ...names, check: (holder, path) => checkMember(holder[key], path, check) });
}

function checkMember<S>(source: S, path: string, check: (source: NonNullable<S>, path: string) => Faults): Faults {
  return source === undefined || source === null ? [] : check(source, path);
}

/** Exactly one source; the second and later ones are refused by name, in the order of the rules. */
export function checkSources<U extends object>(holder: U, path: string, rules: readonly SourceRule<U>[]): Faults {
  const given = rules.filter((rule) => Object.hasOwn(holder, rule.key));
  const [first, ...others] = given;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...first.check(holder, `${path}.${first.pathAs ?? first.key}`),
    ...others.map((rule) =>
      forbidden(`${path}.${rule.repeatedAs ?? rule.key}`, 'may not specify more than 1 volume type'),
    ),
  ];
}

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
] as const;

export function checkHostPath(source: HostPathVolumeSource, path: string): Faults {
  if (source.path === '') return [required(`${path}.path`)];
  return [
    ...checkNoBacksteps(`${path}.path`, source.path),
    ...(source.type === undefined ? [] : checkOneOf(`${path}.type`, source.type, HOST_PATH_TYPES)),
  ];
}

export const checkNoBacksteps = (path: string, value: string): Faults =>
  value.split('/').includes('..') ? [invalid(path, value, "must not contain '..'")] : [];

export const checkDescendingPath = (path: string, value: string): Faults => [
  ...(value.startsWith('/') ? [invalid(path, value, 'must be a relative path')] : []),
  ...checkNoBacksteps(path, value),
];

/** A path inside a volume that the kubelet fills: relative, and not among the names the kubelet keeps for itself. */
export const checkVolumeFilePath = (path: string, value: string): Faults => [
  ...checkDescendingPath(path, value),
  ...(value.startsWith('..') && !value.startsWith('../') ? [invalid(path, value, "must not start with '..'")] : []),
];

export const checkKeyToPath = (item: KeyToPath, path: string): Faults => [
  ...checkRequired(`${path}.key`, item.key),
  ...checkRequired(`${path}.path`, item.path),
  ...checkVolumeFilePath(`${path}.path`, item.path),
  ...checkFileMode(`${path}.mode`, item.mode),
];

const checkPartition = (path: string, partition: number | undefined): Faults =>
  partition === undefined || (partition >= 0 && partition <= 255)
    ? []
    : [invalid(`${path}.partition`, partition, 'must be between 1 and 255, inclusive')];

export const checkGcePersistentDisk = (source: GCEPersistentDiskVolumeSource, path: string): Faults => [
  ...checkRequired(`${path}.pdName`, source.pdName),
  ...checkPartition(path, source.partition),
];

export const checkAwsElasticBlockStore = (source: AWSElasticBlockStoreVolumeSource, path: string): Faults => [
  ...checkRequired(`${path}.volumeID`, source.volumeID),
  ...checkPartition(path, source.partition),
];

export const checkNfs = (source: NFSVolumeSource, path: string): Faults => [
  ...checkRequired(`${path}.server`, source.server),
  ...checkRequired(`${path}.path`, source.path),
  ...(source.path.startsWith('/') ? [] : [invalid(`${path}.path`, source.path, 'must be an absolute path')]),
];

export function checkFlocker(source: FlockerVolumeSource, path: string): Faults {
  const { datasetName = '', datasetUUID = '' } = source;
  return [
    ...(datasetName === '' && datasetUUID === ''
      ? [required(path, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(datasetName !== '' && datasetUUID !== ''
      ? [invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
      : []),
    ...(datasetName.includes('/') ? [invalid(`${path}.datasetName`, datasetName, "must not contain '/'")] : []),
  ];
}

const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas';

export function checkQuobyte(source: QuobyteVolumeSource, path: string): Faults {
  const isPair = (text: string): boolean => /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(text);
  const registry =
    source.registry === ''
      ? [required(`${path}.registry`, HOST_PORTS)]
      : (source.tenant ?? '').length >= 65
        ? [required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters')]
        : source.registry
            .split(',')
            .filter((pair) => !isPair(pair))
            .map(() => invalid(`${path}.registry`, source.registry, HOST_PORTS));
  return [...registry, ...checkRequired(`${path}.volume`, source.volume)];
}

export function checkFibreChannel(source: FCVolumeSource, path: string): Faults {
  const { targetWWNs = [], wwids = [], lun } = source;
  const hasTargets = targetWWNs.length > 0;
  return [
    ...(!hasTargets && wwids.length === 0
      ? [required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')]
      : []),
    ...(hasTargets && wwids.length > 0
      ? [invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')]
      : []),
    ...(hasTargets && lun === undefined ? [required(`${path}.lun`, 'lun is required if targetWWNs is specified')] : []),
    ...(hasTargets && lun !== undefined ? checkRange(`${path}.lun`, lun, 0, 255) : []),
  ];
}

const IQN_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)?$/,
  eui: /^eui.[a-fA-F0-9]{16}$/,
  naa: /^naa.[a-fA-F0-9]{32}$/,
};

function checkIscsiName(path: string, name: string, unknown: string): Faults {
  const form = IQN_FORMS[name.slice(0, 3)];
  if (form === undefined) return [invalid(path, name, unknown)];
  return form.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

const ISCSI_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

type Iscsi = ISCSIVolumeSource | ISCSIPersistentVolumeSource;

/** With an initiator of its own, volume and portal together name a session. `told` is where upstream reports that. */
export function checkIscsiLength(
  source: Iscsi | undefined,
  volumeName: string,
  told: { readonly path: string; readonly value: string | undefined },
): Faults {
  return source?.initiatorName === undefined || `${volumeName}:${source.targetPortal}`.length <= 64
    ? []
    : [invalid(told.path, told.value, ISCSI_TOO_LONG)];
}

/** `unknown` is what a name of an unknown form is told. */
export function checkIscsi(source: Iscsi, path: string, unknown: string): Faults {
  const initiator = source.initiatorName;
  const usesChap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  return [
    ...checkRequired(`${path}.targetPortal`, source.targetPortal),
    ...(source.iqn === '' ? [required(`${path}.iqn`)] : checkIscsiName(`${path}.iqn`, source.iqn, unknown)),
    ...checkRange(`${path}.lun`, source.lun, 0, 255),
    ...(usesChap && source.secretRef === undefined ? [required(`${path}.secretRef`)] : []),
    ...(initiator === undefined ? [] : checkIscsiName(`${path}.initiatorname`, initiator, unknown)),
  ];
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'] as const;
const AZURE_KINDS = ['Dedicated', 'Managed', 'Shared'] as const;
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function checkAzureDisk(source: AzureDiskVolumeSource, path: string): Faults {
  const { diskURI, kind } = source;
  const isManaged = kind === 'Managed';
  const form = isManaged ? '/subscriptions/' : 'https://';
  return [
    ...checkRequired(`${path}.diskName`, source.diskName),
    ...checkRequired(`${path}.diskURI`, diskURI),
    ...(source.cachingMode === undefined ? [] : checkOneOf(`${path}.cachingMode`, source.cachingMode, CACHING_MODES)),
    ...(kind === undefined ? [] : checkOneOf(`${path}.kind`, kind, AZURE_KINDS)),
    ...(kind === undefined || diskURI.startsWith(form)
      ? []
      : [notSupported(`${path}.diskURI`, diskURI, [isManaged ? MANAGED_URI : BLOB_URI])]),
  ];
}

/** Options of a flex volume may not claim Kubernetes' own domains. */
export function checkFlexOptions(options: Readonly<Record<string, string>> | undefined, path: string): Faults {
  return Object.keys(options ?? {}).flatMap((key) => {
    const domain = `.${(key.split('/', 1)[0] ?? key).toLowerCase()}`;
    const isReserved = domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
    return isReserved
      ? [invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')]
      : [];
  });
}
