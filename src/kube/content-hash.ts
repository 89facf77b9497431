// A short name for content: FNV-1a over its JSON with ordered keys and a collision count, in the alphabet of generated names.
// Upstream hashes pod templates as Go prints its structs. Names need only be stable: what bears one is recognised by its
// content, never by its name. kubernetes:pkg/controller/controller_utils.go#ComputeHash
import { safeEncoded } from './generated-name.ts';
import { isJsonObject } from './json.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function contentHash(content: unknown, collisionCount: number | undefined): string {
  const text = `${orderedJson(content)}${collisionCount ?? ''}`;
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return safeEncoded(String(hash >>> 0));
}

/** Equal content gives equal text, whatever the order of its keys. */
export const orderedJson = (content: unknown): string => JSON.stringify(ordered(content));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, ordered(value[key])]));
}
