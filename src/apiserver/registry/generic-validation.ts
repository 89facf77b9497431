// The faults of a write: those of its metadata, which all kinds share, and those the strategy finds.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/rest/{create,update}.go
import type { FieldError } from '../../kube/field-error.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../kube/object-meta-validation.ts';
import type { StoredObject } from './generic-call.ts';
import { rulesOf } from './generic-preparation.ts';
import type { MetadataCheck, Strategy } from './strategy.ts';

export function createFaults(strategy: Strategy, object: StoredObject): readonly FieldError[] {
  const { nameRule, resource } = strategy;
  const { namespaced } = resource;
  const faults = validateObjectMeta(object.metadata, { nameRule, namespaced, isCustom: isCustom(strategy) });
  const own = strategy.validate(object);
  return faults.length === 0 ? own : [...faults, ...own];
}

export function updateFaults(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  subresource: string | undefined,
): readonly FieldError[] {
  const isStatus = subresource === 'status';
  const faults = isUntouched(object.metadata, before.metadata)
    ? []
    : metadataFaults(strategy, object, before, isStatus);
  const own = ownFaults(strategy, object, before, subresource);
  return faults.length === 0 ? own : [...faults, ...own];
}

/** A scale is written as the object itself is; other paths below it tell nothing. */
export function updateWarnings(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  subresource: string | undefined,
): readonly string[] {
  if (subresource === 'status') return strategy.statusWarnings?.(object) ?? [];
  return subresource === undefined || subresource === 'scale' ? (strategy.warnings?.(object, before) ?? []) : [];
}

function ownFaults(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  subresource: string | undefined,
): readonly FieldError[] {
  if (subresource === 'status') return strategy.validateStatusUpdate?.(object, before) ?? [];
  const below = rulesOf(strategy, subresource);
  if (below !== undefined) return below.validateUpdate(object, before);
  return strategy.validateUpdate?.(object, before) ?? strategy.validate(object);
}

/** Kinds that clients define are only warned of odd finalizers. */
const isCustom = ({ resource }: Strategy): boolean => resource.shape !== undefined;

const CHECKS_OF_UPDATE: readonly MetadataCheck[] = ['update', 'object'];
const CHECKS_OF_STATUS: readonly MetadataCheck[] = ['update'];
const CHECKS_OF_CUSTOM: readonly MetadataCheck[] = ['update-unqualified'];

/** Upstream checks the metadata of an update for any kind and again for this kind, and reports what it finds each time. */
function metadataFaults(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  isStatus: boolean,
): readonly FieldError[] {
  const { metadata } = object;
  const { nameRule, resource } = strategy;
  const unqualified = { namespaced: resource.namespaced, isCustom: true };
  const rules = { ...unqualified, nameRule, isCustom: isCustom(strategy) };
  const ofAnyKind = validateObjectMeta(metadata, { ...unqualified, nameRule: 'path-segment' });
  const asChange = validateObjectMetaUpdate(metadata, before.metadata, 'metadata', rules);
  // The rule of its own that a kind has for names need not be asked: the name is the stored one, or a change is told.
  if (ofAnyKind.length === 0 && asChange.length === 0) return [];
  const changed = validateObjectMetaUpdate(metadata, before.metadata, 'metadata', unqualified);
  const faultsOf: Readonly<Record<MetadataCheck, () => readonly FieldError[]>> = {
    object: () => validateObjectMeta(metadata, rules),
    update: () => asChange,
    'object-unqualified': () => validateObjectMeta(metadata, { ...rules, isCustom: true }),
    'update-unqualified': () => changed,
  };
  return [...ofAnyKind, ...changed, ...checksOf(strategy, isStatus).flatMap((check) => faultsOf[check]())];
}

function checksOf(strategy: Strategy, isStatus: boolean): readonly MetadataCheck[] {
  if (isCustom(strategy)) return CHECKS_OF_CUSTOM;
  const { metadataChecks } = strategy;
  return isStatus ? (metadataChecks?.status ?? CHECKS_OF_STATUS) : (metadataChecks?.update ?? CHECKS_OF_UPDATE);
}

/** Every part of the metadata that has rules is the one that is stored, and therefore keeps them. */
function isUntouched(metadata: ObjectMeta, before: ObjectMeta): boolean {
  return (
    metadata.labels === before.labels &&
    metadata.annotations === before.annotations &&
    metadata.finalizers === before.finalizers &&
    metadata.ownerReferences === before.ownerReferences &&
    metadata.name === before.name &&
    metadata.generateName === before.generateName &&
    metadata.uid === before.uid &&
    metadata.namespace === before.namespace &&
    metadata.deletionTimestamp === before.deletionTimestamp &&
    metadata.deletionGracePeriodSeconds === before.deletionGracePeriodSeconds &&
    (metadata.generation ?? 0) >= (before.generation ?? 0)
  );
}
