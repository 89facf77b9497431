// kubernetes:pkg/registry/core/persistentvolumeclaim/strategy.go, pkg/apis/core/validation/validation.go
import { annotationOf } from '../../kube/annotations.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import {
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  PersistentVolumeClaims,
} from '../../kube/resources/persistent-volume-claim.ts';
import { difference } from './difference.ts';
import { checkBasicQuantity, checkImmutable, checkNonNegativeQuantity, checkQualifiedName } from './field-checks.ts';
import {
  checkClaimSpec,
  defaultClaimSpec,
  normalizeDataSources,
  warnOfClaimSpec,
} from './persistent-volume-claim-spec.ts';
import { kept } from './kept.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
const IMMUTABLE_SPEC =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
] as const;

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  resource: PersistentVolumeClaims,
  hasGeneration: false,
  hasStatus: true,
  answersDeletedObject: true,
  nameRule: 'subdomain',
  applyDefaults: (claim) => {
    const spec = defaultClaimSpec(claim.spec);
    const status = claim.status.phase === undefined ? { ...claim.status, phase: 'Pending' } : claim.status;
    return kept(claim, { ...claim, spec, status });
  },
  prepareForCreate: (claim) => ({
    ...claim,
    spec: normalizeDataSources(claim.spec, undefined),
    status: { phase: 'Pending' },
  }),
  prepareForUpdate: (claim, before) => ({
    ...claim,
    spec: normalizeDataSources(claim.spec, before.spec),
    status: before.status,
  }),
  prepareForStatusUpdate: (claim, before) => ({ ...claim, spec: before.spec }),
  validate: (claim) => checkClaimSpec(claim.spec, 'spec'),
  validateUpdate: checkUpdate,
  validateStatusUpdate: checkStatusUpdate,
  warnings: (claim) => [
    ...(annotationOf(claim, BETA_STORAGE_CLASS) === undefined
      ? []
      : [
          `metadata.annotations[${BETA_STORAGE_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ]),
    ...warnOfClaimSpec(claim.spec, 'spec'),
  ],
};

function checkUpdate(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): readonly FieldError[] {
  const anyApiGroup = hasApiGroup(before.spec);
  const movedFromAnnotation = takesClassFromAnnotation(claim, before);
  return [
    ...checkClaimSpec(claim.spec, 'spec', { anyApiGroup }),
    ...(movedFromAnnotation ? [] : checkClassAnnotation(claim, before)),
    ...checkFixedFields(claim, before),
    ...checkShrink(claim, before),
    ...checkImmutable('volumeMode', claim.spec.volumeMode, before.spec.volumeMode),
    ...checkAttributesClass(claim, before),
  ];
}

const hasApiGroup = (spec: PersistentVolumeClaimSpec): boolean =>
  (spec.dataSource?.apiGroup ?? undefined) !== undefined || (spec.dataSourceRef?.apiGroup ?? undefined) !== undefined;

/** A volume's name may be given once, a class where there is none; a bound claim may change its size and its attributes class. */
function checkFixedFields(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): readonly FieldError[] {
  const isBound = before.status.phase === 'Bound';
  const free = new Set([
    ...((before.spec.volumeName ?? '') === '' ? ['volumeName'] : []),
    ...(takesClassFromAnnotation(claim, before) || takesFirstClass(claim, before) ? ['storageClassName'] : []),
    ...(isBound ? ['volumeAttributesClassName'] : []),
    ...(isBound && claim.spec.resources.requests !== undefined ? ['resources'] : []),
  ]);
  const now = fixedFields(claim.spec, free);
  const then = fixedFields(normalizeDataSources(before.spec, before.spec), free);
  return sameValue(now, then) ? [] : [forbidden('spec', `${IMMUTABLE_SPEC}\n${difference(then, now)}`)];
}

function fixedFields(spec: PersistentVolumeClaimSpec, free: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(spec).filter(([key]) => !free.has(key)));
  if (!free.has('resources')) return fields;
  const { storage: _size, ...requests } = spec.resources.requests ?? {};
  return { ...fields, resources: { limits: spec.resources.limits ?? {}, requests } };
}

/** The class moves from the old annotation into the field, with the same name. */
function takesClassFromAnnotation(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const old = annotationOf(before, BETA_STORAGE_CLASS);
  const now = annotationOf(claim, BETA_STORAGE_CLASS);
  return (
    old !== undefined &&
    before.spec.storageClassName === undefined &&
    claim.spec.storageClassName === old &&
    (now === undefined || now === old)
  );
}

/** A claim without a class may get one later: the default class of a cluster that had none. */
function takesFirstClass(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const old = annotationOf(before, BETA_STORAGE_CLASS);
  return (
    claim.spec.storageClassName !== undefined &&
    before.spec.storageClassName === undefined &&
    (old === undefined || claim.spec.storageClassName === old)
  );
}

function checkClassAnnotation(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): readonly FieldError[] {
  const now = annotationOf(claim, BETA_STORAGE_CLASS) ?? '';
  if (now === (annotationOf(before, BETA_STORAGE_CLASS) ?? '')) return [];
  return [invalid(`metadata.annotations[${BETA_STORAGE_CLASS}]`, now, 'field is immutable')];
}

/** A request may fall back as long as it stays above what the volume already has: recovery from a failed expansion. */
function checkShrink(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): readonly FieldError[] {
  const size = claim.spec.resources.requests?.['storage'] ?? '0';
  const isSmaller = compareQuantities(size, before.spec.resources.requests?.['storage'] ?? '0') < 0;
  if (!isSmaller || compareQuantities(size, before.status.capacity?.['storage'] ?? '0') > 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

function checkAttributesClass(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): readonly FieldError[] {
  const now = claim.spec.volumeAttributesClassName;
  const isApplied = before.status.currentVolumeAttributesClassName !== undefined;
  if (now === before.spec.volumeAttributesClassName || !isApplied || (now !== undefined && now !== '')) return [];
  const to = now === undefined ? 'nil' : 'empty string';
  return [
    forbidden(
      'spec.volumeAttributesClassName',
      `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
}

function checkStatusUpdate(claim: PersistentVolumeClaim): readonly FieldError[] {
  const { capacity = {}, allocatedResourceStatuses = {}, allocatedResources = {} } = claim.status;
  return [
    ...((claim.spec.accessModes ?? []).length === 0 ? [required('Spec.accessModes')] : []),
    ...Object.entries(capacity).flatMap(([name, size]) => checkBasicQuantity(`status.capacity[${name}]`, size)),
    ...Object.entries(allocatedResourceStatuses).flatMap(([name, status]) => checkResizeStatus(name, status)),
    ...Object.entries(allocatedResources).flatMap(([name, size]) => checkAllocated(name, size)),
  ];
}

function checkResizeStatus(name: string, status: string): readonly FieldError[] {
  const path = 'status.allocatedResourceStatuses';
  const isKnown = (RESIZE_STATUSES as readonly string[]).includes(status);
  return [...checkClaimResource(path, name), ...(isKnown ? [] : [notSupported(path, name, RESIZE_STATUSES)])];
}

function checkAllocated(name: string, size: string): readonly FieldError[] {
  const path = 'status.allocatedResources';
  const faults = checkClaimResource(path, name);
  if (faults.length > 0) return faults;
  const basic = checkBasicQuantity(`${path}[${name}]`, size);
  return basic.length > 0 ? basic : checkNonNegativeQuantity(`${path}[${name}]`, size);
}

/** Of Kubernetes' own resources a claim has only storage; others need a domain of their own. */
function checkClaimResource(path: string, name: string): readonly FieldError[] {
  const faults = checkQualifiedName(path, name);
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return faults.length > 0 || !isNative || name === 'storage' ? faults : [notSupported(path, name, ['storage'])];
}
