// Removes what a schema does not know from an object, as decoding into a Go type would.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, isEmbedded, itemsOf, preserves, propertyOf } from './json-schema.ts';

/** Every object has these, whatever its schema says. */
const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface Walk {
  /** Paths of what was removed: `spec.tags[0].colour`. */
  readonly unknown: string[];
}

/** A whole object without unknown fields; their paths are added to `unknown`. */
export function prunedObject(object: JsonObject, schema: JsonSchema, unknown: string[]): JsonObject {
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  return prune(object, root, '', { unknown }) as JsonObject;
}

function prune(value: unknown, schema: JsonSchema | undefined, path: string, walk: Walk): unknown {
  if (Array.isArray(value)) return pruneList(value as readonly unknown[], schema, path, walk);
  if (!isJsonObject(value)) return value;
  const pruned: Record<string, unknown> = {};
  let isSame = true;
  for (const [name, given] of Object.entries(value)) {
    const kept = pruneField(name, given, { schema, path, walk });
    if (kept !== given) isSame = false;
    if (kept !== undefined) define(pruned, name, kept);
  }
  return isSame ? value : pruned;
}

interface Place {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
  readonly walk: Walk;
}

/** Undefined if the field goes. */
function pruneField(name: string, value: unknown, { schema, path, walk }: Place): unknown {
  const below = path === '' ? name : `${path}.${name}`;
  if (schema !== undefined) {
    if (isEmbedded(schema) && TYPE_AND_METADATA.has(name)) return value;
    const property = propertyOf(schema, name);
    if (property !== undefined) return prune(value, property, below, walk);
    if (allowsOthers(schema)) return prune(value, additionalOf(schema), below, walk);
    if (preserves(schema)) return value;
  }
  if (path !== '' || !TYPE_AND_METADATA.has(name)) walk.unknown.push(below);
  return undefined;
}

const allowsOthers = ({ additionalProperties }: JsonSchema): boolean =>
  additionalProperties !== undefined && additionalProperties !== false;

/** Members of a list that may hold anything are looked at only where the schema names their fields. */
function pruneList(list: readonly unknown[], schema: JsonSchema | undefined, path: string, walk: Walk): unknown {
  const items = schema === undefined ? undefined : itemsOf(schema);
  if (items === undefined && preserves(schema)) return list;
  const lenient = preserves(schema) ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
  const members = list.map((member, index) => prune(member, lenient, `${path}[${index}]`, walk));
  return members.every((member, index) => member === list[index]) ? list : members;
}

/** A client may call a field `__proto__`. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
