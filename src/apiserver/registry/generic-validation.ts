// The faults of a write: those of its metadata, which all kinds share, and those the strategy finds.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/rest/{create,update}.go
import type { FieldError } from '../../kube/field-error.ts';
import {
  type ObjectMetaRules,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../kube/object-meta-validation.ts';
import type { StoredObject } from './generic-call.ts';
import type { Strategy } from './strategy.ts';

/** The rule that names of every kind keep, because they are parts of paths. */
const anyKind = ({ resource }: Strategy): ObjectMetaRules => ({
  namespaced: resource.namespaced,
  nameRule: 'path-segment',
});
const thisKind = ({ resource, nameRule }: Strategy): ObjectMetaRules => ({ namespaced: resource.namespaced, nameRule });

export function createFaults(strategy: Strategy, object: StoredObject): readonly FieldError[] {
  const own = [...validateObjectMeta(object.metadata, thisKind(strategy)), ...strategy.validate(object)];
  return own.length > 0 ? own : validateObjectMeta(object.metadata, anyKind(strategy));
}

/** Upstream checks the metadata of an update for any kind and again for this kind, and reports what it finds each time. */
export function updateFaults(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject,
  subresource: string | undefined,
): readonly FieldError[] {
  const changed = validateObjectMetaUpdate(object.metadata, before.metadata);
  const faults = [...validateObjectMeta(object.metadata, anyKind(strategy)), ...changed];
  if (subresource === 'status')
    return [...faults, ...changed, ...(strategy.validateStatusUpdate?.(object, before) ?? [])];
  const own = strategy.validateUpdate?.(object, before) ?? strategy.validate(object);
  return [...faults, ...validateObjectMeta(object.metadata, thisKind(strategy)), ...changed, ...own];
}
