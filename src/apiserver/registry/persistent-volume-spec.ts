// The rules of a volume's spec, shared by persistent volumes and by the inline volumes of attachments.
// kubernetes:pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec)
import { type FieldError, forbidden, notSupported, required } from '../../kube/field-error.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { checkBasicQuantity, checkOneOf, checkPositiveQuantity, checkSubdomain, sorted } from './field-checks.ts';
import { VOLUME_MODES, checkAccessModes } from './persistent-volume-claim-spec.ts';
import { checkVolumeSource } from './persistent-volume-source.ts';
import { checkNodeSelector } from './selector-checks.ts';

type Faults = readonly FieldError[];

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'] as const;
const NOT_INLINE = 'may not be specified in the context of inline volumes';

export function checkVolumeSpec(spec: PersistentVolumeSpec, path: string, volumeName: string): Faults {
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  const className = spec.storageClassName ?? '';
  return [
    ...checkModes(spec, path),
    ...checkCapacity(spec, `${path}.capacity`),
    ...(policy === '' ? [] : checkOneOf(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES)),
    ...checkNodeAffinity(spec, `${path}.nodeAffinity`),
    ...checkVolumeSource(spec, path, volumeName),
    ...checkLocality(spec, path),
    ...checkRecycledRoot(spec, path),
    ...(className === '' ? [] : checkSubdomain(`${path}.storageClassName`, className)),
    ...(spec.volumeMode === undefined ? [] : checkOneOf(`${path}.volumeMode`, spec.volumeMode, VOLUME_MODES)),
    ...checkAttributesClass(spec, path),
  ];
}

/** An inline volume describes what to attach and nothing that belongs to the life of a volume object. */
export function checkInlineVolumeSpec(spec: PersistentVolumeSpec, path: string): Faults {
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  const mode = spec.volumeMode ?? 'Filesystem';
  return [
    ...(spec.claimRef === undefined ? [] : [forbidden(`${path}.claimRef`, NOT_INLINE)]),
    ...(Object.keys(spec.capacity ?? {}).length === 0 ? [] : [forbidden(`${path}.capacity`, NOT_INLINE)]),
    ...(spec.csi === undefined
      ? [required(`${path}.csi`, 'has to be specified in the context of inline volumes')]
      : []),
    ...checkModes(spec, path),
    ...(policy === '' || policy === 'Retain'
      ? []
      : [forbidden(`${path}.persistentVolumeReclaimPolicy`, 'may only be Retain in the context of inline volumes')]),
    ...(spec.nodeAffinity === undefined ? [] : [forbidden(`${path}.nodeAffinity`, NOT_INLINE)]),
    ...checkVolumeSource(spec, path, ''),
    // Nobody looks at the affinity of an inline volume, so a local one has none.
    ...(spec.local === undefined ? [] : [withoutAffinity(path)]),
    ...((spec.storageClassName ?? '') === '' ? [] : [forbidden(`${path}.storageClassName`, NOT_INLINE)]),
    ...(mode === 'Filesystem'
      ? []
      : [
          forbidden(
            `${path}.volumeMode`,
            'may not specify volumeMode other than Filesystem in the context of inline volumes',
          ),
        ]),
  ];
}

const checkModes = (spec: PersistentVolumeSpec, path: string): Faults => [
  ...((spec.accessModes ?? []).length === 0 ? [required(`${path}.accessModes`)] : []),
  ...checkAccessModes(spec.accessModes, `${path}.accessModes`),
];

function checkCapacity(spec: PersistentVolumeSpec, path: string): Faults {
  const capacity = spec.capacity ?? {};
  const names = Object.keys(capacity);
  const isStorageAlone = names.length === 1 && names[0] === 'storage';
  return [
    ...(names.length === 0 ? [required(path)] : []),
    ...(isStorageAlone ? [] : [notSupported(path, sorted(spec.capacity), ['storage'])]),
    ...Object.entries(capacity).flatMap(([name, size]) => [
      ...checkBasicQuantity(`${path}[${name}]`, size),
      ...checkPositiveQuantity(`${path}[${name}]`, size),
    ]),
  ];
}

function checkNodeAffinity(spec: PersistentVolumeSpec, path: string): Faults {
  if (spec.nodeAffinity === undefined) return [];
  const selector = spec.nodeAffinity.required;
  return selector === undefined
    ? [required(`${path}.required`, 'must specify required node constraints')]
    : checkNodeSelector(selector, `${path}.required`);
}

const checkLocality = (spec: PersistentVolumeSpec, path: string): Faults =>
  spec.local === undefined || spec.nodeAffinity !== undefined ? [] : [withoutAffinity(path)];

const withoutAffinity = (path: string): FieldError =>
  required(`${path}.nodeAffinity`, 'Local volume requires node affinity');

function checkRecycledRoot(spec: PersistentVolumeSpec, path: string): Faults {
  const isRoot = spec.hostPath !== undefined && /^\/[/.]*$/.test(spec.hostPath.path);
  return isRoot && spec.persistentVolumeReclaimPolicy === 'Recycle'
    ? [forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
    : [];
}

function checkAttributesClass(spec: PersistentVolumeSpec, path: string): Faults {
  const name = spec.volumeAttributesClassName;
  if (name === undefined) return [];
  return [
    ...(name === ''
      ? [required(`${path}.volumeAttributesClassName`, 'an empty string is disallowed')]
      : checkSubdomain(`${path}.volumeAttributesClassName`, name)),
    ...(spec.csi === undefined
      ? [required(`${path}.csi`, 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}
