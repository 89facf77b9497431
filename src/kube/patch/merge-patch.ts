// Merge patch (RFC 7386). Whatever the patch does not touch is shared with the original, and a patch that changes nothing
// answers the original itself.
import { badRequest } from '../api-error.ts';
import { type JsonObject, isJsonObject } from '../json.ts';

/** Null deletes a key, objects merge, all else replaces. Throws 400 for a patch that is no object. */
export function applyMergePatch(object: JsonObject, patch: unknown): JsonObject {
  if (!isJsonObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch;
    const sentence = `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding patch: ${sentence}`);
  }
  return merged(object, patch);
}

function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const members = new Map(Object.entries(object));
  let isChanged = false;
  for (const [key, value] of Object.entries(patch)) {
    const before = members.get(key);
    if (value === null) {
      isChanged = members.delete(key) || isChanged;
      continue;
    }
    const after = isJsonObject(before) ? mergedInto(before, value) : withoutNulls(value);
    if (after === before && members.has(key)) continue;
    members.set(key, after);
    isChanged = true;
  }
  return isChanged ? Object.fromEntries(members) : object;
}

const mergedInto = (before: JsonObject, value: unknown): unknown =>
  isJsonObject(value) ? merged(before, value) : value;

/** A new value has nothing that its nulls could delete. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]));
}

/** The smallest merge patch that turns one object into the other. Nulls inside of them are beyond its means. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const patch: [string, unknown][] = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key) => [key, null]);
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isJsonObject(old) && isJsonObject(value)) {
      const inner = mergePatchBetween(old, value);
      if (Object.keys(inner).length > 0) patch.push([key, inner]);
    } else if (JSON.stringify(old) !== JSON.stringify(value)) {
      patch.push([key, value]);
    }
  }
  return Object.fromEntries(patch);
}
