// The fields that a path never writes, whatever it is sent: nobody comes to manage them through it.
// kubernetes:pkg/registry/*/*/strategy.go (GetResetFields)
import type { ResourceName } from '../../kube/object.ts';
import { type FieldSet, NO_FIELDS, recursiveDifference, setOf, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';

export interface SplitKind {
  readonly resource: ResourceName;
  readonly hasStatus: boolean;
  /** Declared by clients: its status path writes nothing of the metadata. */
  readonly isCustom: boolean;
}

const path = (...names: readonly [string, ...string[]]): FieldSet => {
  const [first, ...rest] = names;
  return setOf(fieldElement(first), ...rest.map(fieldElement));
};

const STATUS = path('status');
const SPEC = path('spec');
const SPEC_AND_METADATA = union(SPEC, path('metadata'));

/** Paths `/status` of kinds that keep more than their spec from it. */
const KEPT_FROM_STATUS: Readonly<Record<string, FieldSet>> = {
  pods: [path('metadata', 'deletionTimestamp'), path('metadata', 'ownerReferences')].reduce(union, SPEC),
  'deployments.apps': union(SPEC, path('metadata', 'labels')),
  'volumeattachments.storage.k8s.io': SPEC_AND_METADATA,
};

/** Everything but the ephemeral containers, which is said by what stays. */
function onlyEphemeralContainers(fields: FieldSet): FieldSet {
  const spec = fields[fieldElement('spec')];
  const step = fieldElement('ephemeralContainers');
  const containers = spec?.[step];
  if (spec === undefined) return NO_FIELDS;
  if (containers !== undefined) return Object.freeze({ [fieldElement('spec')]: Object.freeze({ [step]: containers }) });
  return NO_FIELDS;
}

/** Leaves out of a set what a write to this path of the kind cannot have written. */
export function settableFields(kind: SplitKind, subresource: string | undefined): (fields: FieldSet) => FieldSet {
  const { group, plural } = kind.resource;
  if (subresource === 'ephemeralcontainers') return onlyEphemeralContainers;
  // Upstream declares what this path writes and never asks it: whoever sends a field manages it.
  if (subresource === 'resize') return (fields) => fields;
  if (subresource === 'status') {
    const named = KEPT_FROM_STATUS[group === '' ? plural : `${plural}.${group}`];
    const kept = named ?? (kind.isCustom ? SPEC_AND_METADATA : SPEC);
    return (fields) => recursiveDifference(fields, kept);
  }
  return kind.hasStatus ? (fields) => recursiveDifference(fields, STATUS) : (fields) => fields;
}
