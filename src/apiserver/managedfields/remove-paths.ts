// An object without some of its paths.
// structured-merge-diff:typed/remove.go
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type ApplyType, type ListApply, type MapApply, deduced } from './apply-type.ts';
import { type FieldSet, isEmptySet, isInSet } from './field-set.ts';
import { stepTo } from './list-member.ts';
import { fieldElement } from './path-element.ts';

export function removePaths(type: MapApply, object: JsonObject, paths: FieldSet): JsonObject {
  const rest = isEmptySet(paths) ? object : withoutFields(type, object, paths);
  return isJsonObject(rest) ? rest : {};
}

/** What is left of a value that loses something below it; null if nothing is. */
function without(type: ApplyType, value: unknown, paths: FieldSet): unknown {
  const plain = deduced(type, value);
  switch (plain.type) {
    case 'scalar':
      return value;
    case 'list':
      return Array.isArray(value) && plain.relation !== 'atomic' ? withoutMembers(plain, value, paths) : null;
    case 'map':
      return isJsonObject(value) && !plain.isAtomic ? withoutFields(plain, value, paths) : null;
  }
}

function withoutMembers(type: ListApply, list: readonly unknown[], paths: FieldSet): unknown {
  const rest: unknown[] = [];
  for (const member of list) {
    const node = paths[stepTo(type, member)];
    if (node === undefined) rest.push(member);
    else if (!isInSet(node)) rest.push(without(type.of, member, node));
  }
  return rest.length === 0 ? null : rest;
}

function withoutFields(type: MapApply, map: JsonObject, paths: FieldSet): unknown {
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(map)) {
    const field = type.fields.get(key);
    const of = field?.of ?? type.others;
    const node = paths[field?.step ?? fieldElement(key)];
    if (node === undefined || of === undefined) rest.push([key, value]);
    else if (!isInSet(node)) rest.push([key, without(of, value, node)]);
  }
  return rest.length === 0 ? null : Object.fromEntries(rest);
}
