// Patches of all media types but server-side apply, on objects that are shared and frozen. What comes out is JSON that has
// not been decoded yet: the caller gives it its shape.
import { type StatusError, invalid } from '../api-error.ts';
import type { Patch } from '../cluster.ts';
import { invalid as invalidField } from '../field-error.ts';
import { goPrint } from '../go-text.ts';
import { type JsonObject, inOrderOfKeys, isJsonObject } from '../json.ts';
import type { MessageSchema } from '../schema.ts';
import { unreachable } from '../../base/assert.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** Server-side apply needs to know who owns which field, so it is not a function of object and patch alone. */
export type PlainPatch = Exclude<Patch, { readonly type: 'apply' }>;

const NO_SCHEMA: MessageSchema = { name: '', fields: {} };

/** Throws the StatusError that answers a patch which is malformed or does not fit. */
export function applyPatch(patch: PlainPatch, object: object, schema: MessageSchema = NO_SCHEMA): unknown {
  const before: JsonObject = isJsonObject(object) ? object : {};
  switch (patch.type) {
    case 'json':
      return applyJsonPatch(before, patch.ops);
    case 'merge':
      return applyMergePatch(before, patch.body);
    case 'strategic':
      return applyStrategicMergePatch(before, patch.body, schema);
    default:
      return unreachable(patch);
  }
}

/**
 * The answer when a patch applies but its result cannot be decoded; `fault` is the decoder's sentence, `restoring` that of who puts
 * together what a strategic merge left.
 */
export function undecodableResult(patch: PlainPatch, result: unknown, fault: string, restoring = fault): StatusError {
  const told =
    patch.type === 'strategic'
      ? invalidField('patch', goPrint(patch.body), restoring)
      : // What a patch touches is a map to upstream; the whole always is.
        invalidField('patch', JSON.stringify(isJsonObject(result) ? inOrderOfKeys(result) : result), fault);
  return invalid({ group: '', kind: '' }, '', [told]);
}
