// The rules of a claim's spec, shared by claims, by the claim templates of a StatefulSet and by ephemeral volumes.
// kubernetes:pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaimSpec), pkg/api/persistentvolumeclaim/util.go
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import type { PersistentVolumeClaimSpec } from '../../kube/resources/persistent-volume-claim.ts';
import type { TypedLocalObjectReference, TypedObjectReference } from '../../kube/resources/references.ts';
import { warnOfBytes } from './byte-warnings.ts';
import { checkLabel, checkOneOf, checkPositiveQuantity, checkSubdomain } from './field-checks.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;
export const VOLUME_MODES = ['Block', 'Filesystem'] as const;
const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';

export function defaultClaimSpec(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  return spec.volumeMode === undefined ? { ...spec, volumeMode: 'Filesystem' } : spec;
}

export interface ClaimSpecRules {
  /** A group that was stored before may stay, however odd it is. */
  readonly anyApiGroup?: boolean;
}

export function checkClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: string,
  rules: ClaimSpecRules = {},
): readonly FieldError[] {
  const className = spec.storageClassName;
  const attributesClass = spec.volumeAttributesClassName;
  return [
    ...(isEmpty(spec.accessModes) ? [required(`${path}.accessModes`, 'at least 1 access mode is required')] : []),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...checkAccessModes(spec.accessModes, `${path}.accessModes`),
    ...checkStorageRequest(spec.resources.requests?.['storage'], `${path}.resources[storage]`),
    ...(className === undefined || className === '' ? [] : checkSubdomain(`${path}.storageClassName`, className)),
    ...(spec.volumeMode === undefined ? [] : checkOneOf(`${path}.volumeMode`, spec.volumeMode, VOLUME_MODES)),
    ...checkDataSources(spec, path, rules),
    ...(attributesClass === undefined || attributesClass === ''
      ? []
      : checkSubdomain(`${path}.volumeAttributesClassName`, attributesClass)),
  ];
}

const isEmpty = (modes: readonly string[] | undefined): boolean => modes === undefined || modes.length === 0;

const isKnownMode = (mode: string): boolean => (ACCESS_MODES as readonly string[]).includes(mode);

/** ReadWriteOncePod stands alone; unknown modes are told one by one. */
export function checkAccessModes(modes: readonly string[] | undefined, path: string): readonly FieldError[] {
  const given = modes ?? [];
  const unknown = given.filter((mode) => !isKnownMode(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES));
  const isMixed =
    given.includes('ReadWriteOncePod') && given.some((mode) => mode !== 'ReadWriteOncePod' && isKnownMode(mode));
  return [...unknown, ...(isMixed ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')] : [])];
}

const checkStorageRequest = (request: string | undefined, path: string): readonly FieldError[] =>
  request === undefined ? [required(path)] : checkPositiveQuantity(path, request);

function checkDataSources(spec: PersistentVolumeClaimSpec, path: string, rules: ClaimSpecRules): readonly FieldError[] {
  const { dataSource, dataSourceRef } = spec;
  return [
    ...(dataSource === undefined ? [] : checkReference(dataSource, `${path}.dataSource`, rules)),
    ...(dataSourceRef === undefined ? [] : checkReference(dataSourceRef, `${path}.dataSourceRef`, rules)),
    ...(dataSource === undefined || dataSourceRef === undefined ? [] : checkPair(dataSource, dataSourceRef, path)),
  ];
}

function checkReference(
  reference: TypedLocalObjectReference | TypedObjectReference,
  path: string,
  rules: ClaimSpecRules,
): readonly FieldError[] {
  const group = reference.apiGroup ?? '';
  const namespace = 'namespace' in reference ? (reference.namespace ?? '') : '';
  return [
    ...(reference.name === '' ? [required(`${path}.name`)] : []),
    ...(reference.kind === '' ? [required(`${path}.kind`)] : []),
    ...(group === '' && reference.kind !== 'PersistentVolumeClaim'
      ? [invalid(path, reference.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(group === '' || rules.anyApiGroup === true ? [] : checkSubdomain(`${path}.apiGroup`, group)),
    ...(namespace === '' ? [] : checkLabel(`${path}.namespace`, namespace)),
  ];
}

/** Upstream prints a path object as the bad value, hence the empty braces. */
function checkPair(source: TypedLocalObjectReference, ref: TypedObjectReference, path: string): readonly FieldError[] {
  if ((ref.namespace ?? '') !== '') {
    return [invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const isSame =
    (source.apiGroup ?? undefined) === (ref.apiGroup ?? undefined) &&
    source.kind === ref.kind &&
    source.name === ref.name;
  return isSame ? [] : [invalid(path, {}, 'must match dataSourceRef')];
}

/**
 * The two ways to name a source end up equal: each fills the other. A source in `dataSource` alone that is neither a claim
 * nor a snapshot is dropped, as it always was, and so is a source in another namespace, which is behind an alpha gate.
 */
export function normalizeDataSources(
  spec: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec | undefined,
): PersistentVolumeClaimSpec {
  const kept = withoutForeignSource(withoutForeignNamespace(spec, before), before);
  const { dataSource, dataSourceRef } = kept;
  if (dataSource !== undefined && dataSourceRef === undefined) return { ...kept, dataSourceRef: dataSource };
  if (dataSource !== undefined || dataSourceRef === undefined || (dataSourceRef.namespace ?? '') !== '') return kept;
  const { namespace: _empty, ...local } = dataSourceRef;
  return { ...kept, dataSource: local };
}

function withoutForeignNamespace(
  spec: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec | undefined,
): PersistentVolumeClaimSpec {
  if ((spec.dataSourceRef?.namespace ?? '') === '' || before?.dataSourceRef !== undefined) return spec;
  const { dataSourceRef: _dropped, ...rest } = spec;
  return rest;
}

function withoutForeignSource(
  spec: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec | undefined,
): PersistentVolumeClaimSpec {
  const wasUsed = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
  if (wasUsed || spec.dataSourceRef !== undefined || spec.dataSource === undefined) return spec;
  const { apiGroup, kind } = spec.dataSource;
  const isClaim = kind === 'PersistentVolumeClaim' && (apiGroup ?? '') === '';
  const isSnapshot = kind === 'VolumeSnapshot' && apiGroup === SNAPSHOT_GROUP;
  if (isClaim || isSnapshot) return spec;
  const { dataSource: _dropped, ...rest } = spec;
  return rest;
}

export function warnOfClaimSpec({ resources }: PersistentVolumeClaimSpec, path: string): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((list) =>
    warnOfBytes(resources[list], 'storage', `${path}.resources.${list}`),
  );
}
