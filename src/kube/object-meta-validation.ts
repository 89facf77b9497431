// Validation of metadata, the same for all kinds. Faults come in upstream's order.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go, pkg/apis/core/validation/validation.go
import { type FieldError, forbidden, invalid, required, tooLong } from './field-error.ts';
import { goQuote } from './go-text.ts';
import {
  type NameRule,
  byteLength,
  faultsOfLabel,
  faultsOfLabelValue,
  faultsOfName,
  faultsOfQualifiedName,
} from './names.ts';
import type { ManagedFields, ObjectMeta, OwnerReference } from './object.ts';

const ANNOTATIONS_BYTES_MAX = 256 * 1024;
const MANAGER_BYTES_MAX = 128;
const SUBRESOURCE_BYTES_MAX = 256;
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Metadata of a request: what the server has not filled in yet may be missing. */
export type RequestMeta = Partial<ObjectMeta>;

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** A kind that clients define: its finalizers need no domain. */
  readonly isCustom?: boolean;
}

/** For creation, after a generateName has become a name. */
export function validateObjectMeta(
  meta: RequestMeta,
  rules: ObjectMetaRules,
  path = 'metadata',
): readonly FieldError[] {
  return [
    ...validateNames(meta, rules.nameRule, path),
    ...validateNamespace(meta.namespace ?? '', rules.namespaced, path),
    ...validateGeneration(meta.generation ?? 0, path),
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateFinalizers(meta.finalizers ?? [], `${path}.finalizers`),
    ...validateManagedFields(meta.managedFields ?? [], `${path}.managedFields`),
    ...(rules.isCustom === true ? [] : validateFinalizerQualification(meta.finalizers ?? [], `${path}.finalizers`)),
  ];
}

export function validateObjectMetaUpdate(
  meta: RequestMeta,
  before: RequestMeta,
  path = 'metadata',
  { isCustom = false }: Pick<ObjectMetaRules, 'isCustom'> = {},
): readonly FieldError[] {
  return [
    ...(before.deletionTimestamp === undefined ? [] : validateNoNewFinalizers(meta, before, path)),
    ...((meta.resourceVersion ?? '') === ''
      ? [invalid(`${path}.resourceVersion`, '', 'must be specified for an update')]
      : []),
    ...((meta.generation ?? 0) < (before.generation ?? 0)
      ? [invalid(`${path}.generation`, meta.generation ?? 0, 'must not be decremented')]
      : []),
    ...validateImmutable(meta.name ?? '', before.name ?? '', `${path}.name`),
    ...validateImmutable(meta.namespace ?? '', before.namespace ?? '', `${path}.namespace`),
    ...validateImmutable(meta.uid ?? '', before.uid ?? '', `${path}.uid`),
    ...validateImmutable(meta.creationTimestamp, before.creationTimestamp, `${path}.creationTimestamp`),
    ...validateImmutable(meta.deletionTimestamp, before.deletionTimestamp, `${path}.deletionTimestamp`),
    ...validateImmutable(
      meta.deletionGracePeriodSeconds,
      before.deletionGracePeriodSeconds,
      `${path}.deletionGracePeriodSeconds`,
    ),
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateManagedFields(meta.managedFields ?? [], `${path}.managedFields`),
    ...(isCustom ? [] : validateFinalizerQualification(meta.finalizers ?? [], `${path}.finalizers`)),
  ];
}

export const validateLabels = (
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
): readonly FieldError[] =>
  Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...faultsOfQualifiedName(key).map((fault) => invalid(path, key, fault)),
    ...faultsOfLabelValue(value).map((fault) => invalid(path, value, fault)),
  ]);

/** Keys are qualified names in any case of letters; all together are limited in size. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): readonly FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const faults = entries.flatMap(([key]) =>
    faultsOfQualifiedName(key.toLowerCase()).map((fault) => invalid(path, key, fault)),
  );
  const characters = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  // A character is at most three bytes for each of its UTF-16 units, so small sets need no counting.
  if (characters * 3 <= ANNOTATIONS_BYTES_MAX) return faults;
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return bytes > ANNOTATIONS_BYTES_MAX ? [...faults, tooLong(path, ANNOTATIONS_BYTES_MAX)] : faults;
}

function validateNames(meta: RequestMeta, rule: NameRule, path: string): readonly FieldError[] {
  const { generateName = '', name = '' } = meta;
  const prefix = generateName === '' ? [] : faultsOfName(rule, generateName, true);
  const prefixErrors = prefix.map((fault) => invalid(`${path}.generateName`, generateName, fault));
  if (name === '') return [...prefixErrors, required(`${path}.name`, 'name or generateName is required')];
  return [...prefixErrors, ...faultsOfName(rule, name).map((fault) => invalid(`${path}.name`, name, fault))];
}

function validateNamespace(namespace: string, namespaced: boolean, path: string): readonly FieldError[] {
  const field = `${path}.namespace`;
  if (!namespaced) return namespace === '' ? [] : [forbidden(field, 'not allowed on this type')];
  if (namespace === '') return [required(field)];
  return faultsOfLabel(namespace).map((fault) => invalid(field, namespace, fault));
}

const validateGeneration = (generation: number, path: string): readonly FieldError[] =>
  generation < 0 ? [invalid(`${path}.generation`, generation, 'must be greater than or equal to 0')] : [];

function validateImmutable(value: string | number | undefined, before: string | number | undefined, field: string) {
  return value === before ? [] : [invalid(field, value, 'field is immutable')];
}

function validateOwnerReferences(references: readonly OwnerReference[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) controller = name;
    else errors.push(invalid(path, references, twoControllers(controller, name)));
  }
  return errors;
}

const twoControllers = (first: string, second: string): string =>
  `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;

function validateOwnerReference(reference: OwnerReference, path: string): readonly FieldError[] {
  const { apiVersion, kind, name, uid } = reference;
  const parts = apiVersion.split('/');
  const version = parts.length > 2 ? '' : parts.at(-1);
  return [
    ...(version === '' ? [invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty')] : []),
    ...(kind === '' ? [invalid(`${path}.kind`, kind, 'must not be empty')] : []),
    ...(name === '' ? [invalid(`${path}.name`, name, 'must not be empty')] : []),
    ...(uid === '' ? [invalid(`${path}.uid`, uid, 'must not be empty')] : []),
    ...(apiVersion === 'v1' && kind === 'Event'
      ? [invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner')]
      : []),
  ];
}

function validateFinalizers(finalizers: readonly string[], path: string): readonly FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    faultsOfQualifiedName(finalizer).map((fault) => invalid(path, finalizer, fault)),
  );
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return errors;
  return [...errors, invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')];
}

/** Finalizers of built-in kinds name a domain, or are of the few that need none. */
function validateFinalizerQualification(finalizers: readonly string[], path: string): readonly FieldError[] {
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return [];
    const sentence = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalid(`${path}[${index}]`, finalizer, sentence)];
  });
}

function validateNoNewFinalizers(meta: RequestMeta, before: RequestMeta, path: string): readonly FieldError[] {
  const known = new Set(before.finalizers);
  const added = [...new Set(meta.finalizers)].filter((finalizer) => !known.has(finalizer)).toSorted();
  if (added.length === 0) return [];
  const list = added.map(goQuote).join(', ');
  const sentence = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden(`${path}.finalizers`, sentence)];
}

function validateManagedFields(entries: readonly Partial<ManagedFields>[], path: string): readonly FieldError[] {
  if (entries.every(isPlainEntry)) return [];
  return entries.flatMap((entry, index) => {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const field = `${path}[${index}]`;
    return [
      ...(operation === 'Apply' || operation === 'Update'
        ? []
        : [invalid(`${field}.operation`, operation, 'must be `Apply` or `Update`')]),
      ...(fieldsType === '' || fieldsType === 'FieldsV1'
        ? []
        : [invalid(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
      ...validateFieldManager(manager, `${field}.manager`),
      ...(byteLength(subresource) > SUBRESOURCE_BYTES_MAX
        ? [tooLong(`${field}.subresource`, SUBRESOURCE_BYTES_MAX)]
        : []),
    ];
  });
}

/** As the server itself writes them. This runs on every write. */
const isPlainEntry = ({ operation, fieldsType, manager = '', subresource = '' }: Partial<ManagedFields>): boolean =>
  (operation === 'Update' || operation === 'Apply') &&
  fieldsType === 'FieldsV1' &&
  isPlainManager(manager) &&
  subresource.length * 3 <= SUBRESOURCE_BYTES_MAX;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const PRINTABLE_ASCII = /^[ -~]*$/;

const isPlainManager = (manager: string): boolean =>
  manager.length <= MANAGER_BYTES_MAX && PRINTABLE_ASCII.test(manager);

/** Also for the `fieldManager` of a request. */
export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  if (isPlainManager(manager)) return [];
  const errors = byteLength(manager) > MANAGER_BYTES_MAX ? [tooLong(path, MANAGER_BYTES_MAX)] : [];
  let position = 0;
  for (const character of manager) {
    if (!PRINTABLE.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}
