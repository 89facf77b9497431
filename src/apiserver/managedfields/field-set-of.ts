// The paths that an applied object sets: its scalars and atomic values, the members of its lists and the keys of its maps.
// structured-merge-diff:typed/tofieldset.go
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type ApplyType, type ListApply, type MapApply, deduced } from './apply-type.ts';
import { type FieldSet, MEMBER, NO_FIELDS, isEmptySet, nodeOf } from './field-set.ts';
import { stepTo } from './list-member.ts';
import { compareElements, fieldElement } from './path-element.ts';

export const fieldSetOf = (type: MapApply, object: JsonObject): FieldSet => fieldsBelow(type, object);

/** What is below a place, and whether the place itself is set by what stands there. */
interface Found {
  readonly isMember: boolean;
  readonly below: FieldSet;
}
const LEAF: Found = { isMember: true, below: NO_FIELDS };
const NONE: Found = { isMember: false, below: NO_FIELDS };

function found(type: ApplyType, value: unknown): Found {
  const plain = deduced(type, value);
  switch (plain.type) {
    case 'scalar':
      return LEAF;
    case 'list':
      if (plain.relation === 'atomic') return LEAF;
      return Array.isArray(value) ? { isMember: false, below: membersBelow(plain, value) } : NONE;
    case 'map':
      if (plain.isAtomic) return LEAF;
      return isJsonObject(value) ? { isMember: false, below: fieldsBelow(plain, value) } : NONE;
  }
}

/** Keys of maps are set by standing there, fields of messages only by what they hold, be it null or an empty object. */
function fieldsBelow(type: MapApply, map: JsonObject): FieldSet {
  const nodes: [string, FieldSet][] = [];
  for (const [key, value] of Object.entries(map)) {
    const field = type.fields.get(key);
    const of = field?.of ?? type.others;
    if (of === undefined || value === undefined) continue;
    const { isMember, below } = found(of, value);
    const isSet = isMember || field === undefined || value === null || isEmptyObject(value);
    const node = nodeOf(isSet, below);
    if (node !== undefined) nodes.push([field?.step ?? fieldElement(key), node]);
  }
  return inOrder(nodes);
}

const isEmptyObject = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** A member stands for itself; several of one name are one path with nothing below. */
function membersBelow(type: ListApply, list: readonly unknown[]): FieldSet {
  const nodes = new Map<string, FieldSet>();
  for (const member of list) {
    const step = stepTo(type, member);
    nodes.set(step, nodes.has(step) ? MEMBER : (nodeOf(true, found(type.of, member).below) ?? MEMBER));
  }
  return inOrder([...nodes]);
}

function inOrder(nodes: readonly (readonly [string, FieldSet])[]): FieldSet {
  const set = Object.fromEntries(nodes.toSorted(([left], [right]) => compareElements(left, right)));
  return isEmptySet(set) ? NO_FIELDS : Object.freeze(set);
}
