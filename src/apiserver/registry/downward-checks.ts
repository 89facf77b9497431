// References from a pod to its own fields and resources, in volumes and in the environment.
// kubernetes:pkg/apis/core/validation/validation.go (validateObjectFieldSelector, validateContainerResourceFieldSelector)
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import { faultsOfQualifiedName } from '../../kube/names.ts';
import { isZeroQuantity } from '../../kube/quantity.ts';
import type {
  DownwardAPIVolumeFile,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../kube/resources/volume-source.ts';
import { checkFileMode, checkRequired } from './field-checks.ts';
import { checkVolumeFilePath } from './source-checks.ts';

type Faults = readonly FieldError[];

const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
] as const;
const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
] as const;
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'] as const;

export function checkDownwardFiles(files: readonly DownwardAPIVolumeFile[], path: string): Faults {
  return files.flatMap((file) => [
    ...checkRequired(`${path}.path`, file.path),
    ...checkVolumeFilePath(`${path}.path`, file.path),
    ...checkDownwardSource(file, path),
    ...checkFileMode(`${path}.mode`, file.mode),
  ]);
}

function checkDownwardSource(file: DownwardAPIVolumeFile, path: string): Faults {
  const { fieldRef, resourceFieldRef } = file;
  if (fieldRef !== undefined) {
    return [
      ...checkFieldRef(fieldRef, `${path}.fieldRef`, VOLUME_FIELDS),
      ...(resourceFieldRef === undefined
        ? []
        : [invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]),
    ];
  }
  return resourceFieldRef === undefined
    ? [required(path, 'one of fieldRef and resourceFieldRef is required')]
    : checkResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, true);
}

/** Fields of a pod that one may name at all, whether they may be used or not. */
const CONVERTED: ReadonlySet<string> = new Set([
  ...VOLUME_FIELDS,
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.phase',
  'status.podIP',
  'status.podIPs',
]);

const SUBSCRIPT = /^(?<field>metadata\.(?:annotations|labels))\['(?<key>.*)'\]$/;

export function checkFieldRef(ref: ObjectFieldSelector, path: string, fields: readonly string[]): Faults {
  if ((ref.apiVersion ?? '') === '') return [required(`${path}.apiVersion`)];
  if (ref.fieldPath === '') return [required(`${path}.fieldPath`)];
  const subscript = SUBSCRIPT.exec(ref.fieldPath)?.groups;
  if (subscript !== undefined) {
    const key = subscript['key'] ?? '';
    const isAnnotation = subscript['field'] === 'metadata.annotations';
    return faultsOfQualifiedName(isAnnotation ? key.toLowerCase() : key).map((fault) => invalid(path, key, fault));
  }
  if (!CONVERTED.has(ref.fieldPath)) {
    const why = `error converting fieldPath: field label not supported: ${ref.fieldPath}`;
    return [invalid(`${path}.fieldPath`, ref.fieldPath, why)];
  }
  return fields.includes(ref.fieldPath) ? [] : [notSupported(`${path}.fieldPath`, ref.fieldPath, fields)];
}

export function checkResourceFieldRef(ref: ResourceFieldSelector, path: string, inVolume: boolean): Faults {
  return [...checkResourceField(ref, path, inVolume), ...checkDivisor(ref, path)];
}

function checkResourceField(ref: ResourceFieldSelector, path: string, inVolume: boolean): Faults {
  if (inVolume && (ref.containerName ?? '') === '') return [required(`${path}.containerName`)];
  if (ref.resource === '') return [required(`${path}.resource`)];
  const isKnown =
    (RESOURCE_FIELDS as readonly string[]).includes(ref.resource) ||
    /^(?:requests|limits)\.hugepages-/.test(ref.resource);
  return isKnown ? [] : [notSupported(`${path}.resource`, ref.resource, RESOURCE_FIELDS)];
}

function checkDivisor(ref: ResourceFieldSelector, path: string): Faults {
  const { resource, divisor } = ref;
  if (isZeroQuantity(divisor)) return [];
  const kind = resource.replace(/^(?:requests|limits)\./, '');
  if (kind === 'cpu') {
    return divisor === '1' || divisor === '1m'
      ? []
      : [invalid(`${path}.divisor`, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const name = DIVIDED[kind] ?? (kind.startsWith('hugepages-') ? 'hugepages' : undefined);
  if (name === undefined || (BYTE_DIVISORS as readonly string[]).includes(divisor)) return [];
  const values = BYTE_DIVISORS.join(', ');
  return [
    invalid(`${path}.divisor`, resource, `only divisor's values ${values} are supported with the ${name} resource`),
  ];
}

const DIVIDED: Readonly<Record<string, string>> = { memory: 'memory', 'ephemeral-storage': 'local ephemeral storage' };
