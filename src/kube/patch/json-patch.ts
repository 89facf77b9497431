// JSON patch (RFC 6902) with the habits of the library that upstream uses (evanphx/json-patch v4): negative indices
// count from the end, `replace` may set a new key of an object, a missing key copies as null and tests equal to null.
// Objects are never changed: each operation copies the path it touches.
import { badRequest, entityTooLarge, unprocessable } from '../api-error.ts';
import type { JsonPatchOp } from '../cluster.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go */
const OPERATIONS_MAX = 10_000;
/** What `copy` may add in all. kubernetes:staging/src/k8s.io/apiserver/pkg/server/config.go */
const COPIED_CHARACTERS_MAX = 3 * 1024 * 1024;

type Container = JsonObject | readonly unknown[];
/** How the container at the end of a path changes. */
type Edit = (container: Container, key: string) => Container;

/** Throws 400 for what is no patch, 413 for too many operations and 422 for an operation that does not fit the document. */
export function applyJsonPatch(document: unknown, ops: readonly JsonPatchOp[]): unknown {
  assertDecodes(ops);
  if (ops.length > OPERATIONS_MAX) {
    throw entityTooLarge(`The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${ops.length}`);
  }
  let current = document;
  let copied = 0;
  for (const op of ops) {
    if (op?.op === 'copy') copied += JSON.stringify(sourceOf(current, op.from)).length;
    if (copied > COPIED_CHARACTERS_MAX) throw unprocessable();
    current = applied(current, op);
  }
  return current;
}

/** Operations come from a request as often as from our own code, so their types are a hope. */
function assertDecodes(ops: unknown): void {
  if (!Array.isArray(ops)) throw undecodable(ops, 'value', '[]handlers.jsonPatchOp');
  for (const op of ops) {
    if (op === null) continue;
    if (!isJsonObject(op)) throw undecodable(op, 'value', 'handlers.jsonPatchOp');
    for (const name of ['op', 'path', 'from']) {
      const value = op[name] ?? '';
      if (typeof value !== 'string') throw undecodable(value, `struct field jsonPatchOp.${name}`, 'string');
    }
  }
}

function undecodable(value: unknown, place: string, goType: string): Error {
  const found = Array.isArray(value) ? 'array' : typeof value;
  return badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go ${place} of type ${goType}`);
}

function applied(document: unknown, op: JsonPatchOp): unknown {
  const tokens = typeof op?.path === 'string' ? tokensOf(op.path) : undefined;
  if (tokens === undefined) throw unprocessable();
  switch (op.op) {
    case 'add':
      return edited(document, tokens, adding(op.value ?? null));
    case 'remove':
      return edited(document, tokens, removing);
    case 'replace':
      if (tokens.length === 0 && isContainer(op.value)) return op.value;
      return edited(document, tokens, replacing(op.value ?? null));
    case 'move':
      return edited(edited(document, tokensOf(op.from), removing), tokens, adding(sourceOf(document, op.from)));
    case 'copy':
      return edited(document, tokens, adding(sourceOf(document, op.from)));
    case 'test':
      if (!isEqual(valueAt(document, tokens) ?? null, op.value ?? null)) throw unprocessable();
      return document;
    default:
      throw unprocessable();
  }
}

/** What stands before the first slash is ignored. */
function tokensOf(pointer: unknown): readonly string[] {
  if (typeof pointer !== 'string') throw unprocessable();
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')));
}

/** What is moved or copied: never the document itself. */
function sourceOf(document: unknown, from: string): unknown {
  const tokens = tokensOf(from);
  if (tokens.length === 0) throw unprocessable();
  return valueAt(document, tokens) ?? null;
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
const isList = (container: Container): container is readonly unknown[] => Array.isArray(container);

/** Undefined for a key that an object lacks; an index that a list lacks, or a way through what is no container, is a fault. */
function valueAt(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) {
    if (!isContainer(value)) throw unprocessable();
    value = memberOf(value, token);
  }
  return value;
}

function memberOf(container: Container, key: string): unknown {
  if (isList(container)) return container[indexIn(container.length, key)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function edited(node: unknown, [token, ...rest]: readonly string[], edit: Edit): unknown {
  if (token === undefined || !isContainer(node)) throw unprocessable();
  if (rest.length === 0) return edit(node, token);
  return replacing(edited(memberOf(node, token), rest, edit))(node, token);
}

const adding =
  (value: unknown): Edit =>
  (container, key) => {
    if (!isList(container)) return withKey(container, key, value);
    const index = key === '-' ? container.length : indexIn(container.length + 1, key);
    return container.toSpliced(index, 0, value);
  };

const replacing =
  (value: unknown): Edit =>
  (container, key) => {
    if (!isList(container)) return withKey(container, key, value);
    return container.with(indexIn(container.length, key), value);
  };

const removing: Edit = (container, key) => {
  if (isList(container)) return container.toSpliced(indexIn(container.length, key), 1);
  if (!Object.hasOwn(container, key)) throw unprocessable();
  return Object.fromEntries(Object.entries(container).filter(([name]) => name !== key));
};

/** A computed key of a literal is always an own property, whatever its name. */
const withKey = (object: JsonObject, key: string, value: unknown): JsonObject => ({ ...object, [key]: value });

function indexIn(length: number, key: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  if (!(fromStart >= 0 && fromStart < length)) throw unprocessable();
  return fromStart;
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right) || isList(left) !== isList(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(memberOf(left, key), memberOf(right, key)))
  );
}
