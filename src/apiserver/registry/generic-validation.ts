// The faults of a write: those of its metadata, which all kinds share, and those the strategy finds.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/rest/{create,update}.go
import type { FieldError } from '../../kube/field-error.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../kube/object-meta-validation.ts';
import type { StoredObject } from './generic-call.ts';
import { rulesOf } from './generic-preparation.ts';
import type { Strategy } from './strategy.ts';

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

/** Upstream checks the metadata of an update for any kind and again for this kind, and reports what it finds each time. */
function metadataFaults(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  isStatus: boolean,
): readonly FieldError[] {
  const { nameRule } = strategy;
  const { namespaced } = strategy.resource;
  const rules = { isCustom: isCustom(strategy) };
  const changed = validateObjectMetaUpdate(object.metadata, before.metadata, 'metadata', rules);
  const ofKind = validateObjectMeta(object.metadata, { namespaced, nameRule, ...rules });
  if (changed.length === 0 && ofKind.length === 0) return [];
  const ofAnyKind = validateObjectMeta(object.metadata, { namespaced, nameRule: 'path-segment', ...rules });
  return [...ofAnyKind, ...changed, ...(isStatus ? [] : ofKind), ...changed];
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
