// Strategic merge patch: a merge patch that knows from the schema which lists merge by a key (containers by name) or as
// sets (finalizers), and that carries directives: `$patch`, `$retainKeys`, `$setElementOrder/F`,
// `$deleteFromPrimitiveList/F`. Faults of format are 400, a list of lists is 422, and what upstream never classified is a
// 500 without reason. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
import { badRequest, unclassified } from '../api-error.ts';
import { goPrint, goQuote } from '../go-text.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import type { FieldType, MessageSchema } from '../schema.ts';
import {
  type ListMerge,
  checkElementOrder,
  inElementOrder,
  mergeLists,
  orderWithReusedSlots,
} from './strategic-list.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const WRONG_RETAIN_KEYS = 'invalid patch format of retainKeys';

export function applyStrategicMergePatch(object: JsonObject, patch: unknown, schema: MessageSchema): JsonObject {
  if (!isJsonObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return mergeObjects(object, patch, { type: 'message', message: schema });
}

function mergeObjects(original: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return byDirective(patch);
  const members = retainedMembers(original, patch);
  const done = new Set([RETAIN_KEYS]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    done.add(key).add(mergeOrderedList(members, patch, key, type));
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!done.has(key)) mergeMember(members, key, value, type);
  }
  return sharedWith(original, members);
}

/** The original itself if nothing differs from it. */
function sharedWith(original: JsonObject, members: ReadonlyMap<string, unknown>): JsonObject {
  const keys = Object.keys(original);
  const isSame =
    keys.length === members.size && keys.every((key) => members.has(key) && members.get(key) === original[key]);
  return isSame ? original : Object.fromEntries(members);
}

function byDirective({ [DIRECTIVE]: directive, ...rest }: JsonObject): JsonObject {
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unclassified(
    `unknown patch type: ${goPrint(directive)} in map: ${goPrint({ [DIRECTIVE]: directive, ...rest })}`,
  );
}

/** Without the keys that a `$retainKeys` does not name. Such a list must name all that the patch sets. */
function retainedMembers(original: JsonObject, patch: JsonObject): Map<string, unknown> {
  const members = new Map(Object.entries(original));
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return members;
  const retained = patch[RETAIN_KEYS];
  if (!Array.isArray(retained)) throw badRequest(WRONG_RETAIN_KEYS);
  const isSet = ([key, value]: [string, unknown]): boolean =>
    value !== null && key !== RETAIN_KEYS && !key.startsWith(DELETE_FROM_LIST) && !key.startsWith(ELEMENT_ORDER);
  if (
    !Object.entries(patch)
      .filter(isSet)
      .every(([key]) => retained.includes(key))
  )
    throw badRequest(WRONG_RETAIN_KEYS);
  return new Map([...members].filter(([key]) => retained.includes(key)));
}

function mergeMember(members: Map<string, unknown>, patchKey: string, value: unknown, type: FieldType): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST);
  const key = isDeletion ? keyBehind(DELETE_FROM_LIST, patchKey, 'invalid patch format of primitive list') : patchKey;
  const before = members.get(key);
  if (value === null) {
    members.delete(key);
  } else if (Array.isArray(before) && Array.isArray(value)) {
    members.set(key, mergedList(before, value, { ...listAt(type, key), isDeletion }));
  } else if (isDeletion) {
    // There is nothing to delete from.
  } else if (isJsonObject(before) && isJsonObject(value)) {
    members.set(key, mergeObjects(before, value, typeAt(type, key)));
  } else {
    const fresh = withoutDirectives(withoutNulls(value));
    if (fresh === undefined) members.delete(key);
    else members.set(key, fresh);
  }
}

/** A list that does not merge is replaced by the patch's as it stands. */
function mergedList(before: readonly unknown[], patch: readonly unknown[], list: ListMerge & { isDeletion: boolean }) {
  return list.merges || list.isDeletion ? mergeLists(before, patch, { ...list, mergeObjects }) : patch;
}

/** Merges a list under the order that a directive gives, and answers the key of the list. */
function mergeOrderedList(
  members: Map<string, unknown>,
  patch: JsonObject,
  directive: string,
  type: FieldType,
): string {
  const order = patch[directive];
  if (!Array.isArray(order)) throw wrongArgument(order);
  const key = keyBehind(ELEMENT_ORDER, directive, 'invalid patch format of setElementOrder list');
  const before = members.get(key) ?? undefined;
  const given = Object.hasOwn(patch, key) ? patch[key] : undefined;
  if (before !== undefined && !Array.isArray(before)) throw wrongArgument(before);
  if (given !== undefined && !Array.isArray(given)) throw wrongArgument(given);
  const list = listAt(type, key);
  checkElementOrder(given ?? [], order, list.key);
  if (before === undefined && given === undefined) return key;
  if ((before ?? []).length + (given ?? []).length === 0) throw unclassified('no elements in any of the given slices');
  const merged = mergedOrFresh(before, given, list);
  const serverOrder = before === undefined ? [] : orderWithReusedSlots(before, given ?? [], merged, list.key);
  members.set(key, inElementOrder(merged, { patchOrder: order, serverOrder, key: list.key }));
  return key;
}

function mergedOrFresh(before: readonly unknown[] | undefined, given: readonly unknown[] | undefined, list: ListMerge) {
  if (given === undefined) return before ?? [];
  if (before !== undefined) return mergedList(before, given, { ...list, isDeletion: false });
  return given.map(withoutDirectives).filter((item) => item !== undefined);
}

const wrongArgument = (value: unknown): Error =>
  unclassified(
    `expected a []interface {}, but received a ${isJsonObject(value) ? 'map[string]interface {}' : typeof value}`,
  );

function keyBehind(prefix: string, key: string, fault: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badRequest(fault);
  return key.slice(prefix.length + 1);
}

function typeAt(type: FieldType, key: string): FieldType {
  if (type.type !== 'message') {
    throw unclassified(`merging an object in json but data type is not struct, instead is: ${type.type}`);
  }
  const { name, fields } = type.message;
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field !== undefined) return field.of;
  const struct = name.slice(name.lastIndexOf('.') + 1);
  throw unclassified(`unable to find api field in struct ${struct} for the json field ${goQuote(key)}`);
}

function listAt(type: FieldType, key: string): ListMerge {
  const list = typeAt(type, key);
  if (list.type !== 'list') throw unclassified('expected slice or array type, but got: struct');
  return { element: list.of, merges: list.list.merge !== undefined, key: list.list.merge?.key };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]));
}

/** A new value has nothing to direct: objects with a directive go, undefined if the value is one. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const entries = Object.entries(value).map(([key, child]) => [key, withoutDirectives(child)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}
