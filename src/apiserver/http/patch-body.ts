// Patches, from the body of a PATCH: what its media type says it is, and what strict decoding has to say about its text.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go
import { type StatusError, badRequest, entityTooLarge } from '../../kube/api-error.ts';
import type { JsonPatchOp, Patch } from '../../kube/cluster.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { SentWriteOptions } from '../api-request.ts';
import type { TextFault } from '../registry/generic-call.ts';
import type { HttpRequest } from './http-exchange.ts';
import { bareType } from './media-type.ts';
import { flag, patchOptionsOf } from './query-options.ts';
import { type Body, MalformedBody, readJson, readYaml } from './request-body.ts';

const JSON_PATCH_OPERATIONS_MAX = 10_000;
/** Other fields of an operation are unknown. */
const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

export const PATCH_TYPES: ReadonlyMap<string, Patch['type']> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/** The media type is known to be one of a patch. */
export async function readPatch(
  http: HttpRequest,
): Promise<{ readonly patch: Patch; readonly options: SentWriteOptions }> {
  const type = PATCH_TYPES.get(bareType(http.header('content-type'))) ?? 'merge';
  const bytes = await http.body();
  const options = patchOptionsOf(http.query, http.header('user-agent'), { isApply: type === 'apply' });
  const force = flag(http.query, 'force') === true;
  const body = parsed(bytes, type);
  return { patch: patchOf(type, body.value, force), options: { ...options, textFaults: faultsOf(type, body) } };
}

function parsed(bytes: Uint8Array, type: Patch['type']): Body {
  try {
    return type === 'apply' ? readYaml(bytes) : readJson(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    throw undecodable(type, type === 'apply' ? `error converting YAML to JSON: ${error.why}` : error.why);
  }
}

/** A strategic patch is refused with the bare words of the decoder. */
function undecodable(type: Patch['type'], why: string): StatusError {
  if (type === 'apply') return badRequest(`error decoding YAML: ${why}`);
  return badRequest(type === 'strategic' ? why : `error decoding patch: ${why}`);
}

function patchOf(type: Patch['type'], value: unknown, force: boolean): Patch {
  switch (type) {
    case 'json':
      return { type, ops: operationsOf(value) };
    case 'apply':
      return { type, body: bodyOf(type, value), force };
    case 'merge':
      if (value === null) throw badRequest('Invalid JSON Patch');
      return { type, body: bodyOf(type, value) };
    case 'strategic':
      return { type, body: bodyOf(type, value ?? {}) };
  }
}

function bodyOf(type: Patch['type'], value: unknown): object {
  if (isJsonObject(value)) return value;
  throw undecodable(type, 'json: cannot unmarshal into Go value of type map[string]interface {}');
}

function operationsOf(value: unknown): readonly JsonPatchOp[] {
  const operations = value ?? [];
  if (!Array.isArray(operations))
    throw undecodable('json', 'json: cannot unmarshal into Go value of type []handlers.jsonPatchOp');
  if (operations.length > JSON_PATCH_OPERATIONS_MAX) {
    const found = `The allowed maximum operations in a JSON patch is ${JSON_PATCH_OPERATIONS_MAX}, got ${operations.length}`;
    throw entityTooLarge(found);
  }
  return operations as readonly JsonPatchOp[];
}

/** As the decoder of YAML has it, one for each line. */
export const yamlFault = (says: string): TextFault => ({ path: '', says, heading: 'yaml: unmarshal errors:\n  ' });

function faultsOf(type: Patch['type'], { value, duplicates, lines = [] }: Body): readonly TextFault[] {
  if (type === 'apply') return lines.map(yamlFault);
  const prefix = type === 'json' ? 'json patch ' : '';
  const twice = duplicates.map((path) => `${prefix}duplicate field ${JSON.stringify(path)}`);
  const unknown =
    type === 'json' ? unknownFields(value).map((path) => `${prefix}unknown field ${JSON.stringify(path)}`) : [];
  return [...twice, ...unknown].map((says) => ({ path: '', says }));
}

function unknownFields(operations: unknown): readonly string[] {
  if (!Array.isArray(operations)) return [];
  return operations.flatMap((operation: unknown, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((key) => !OPERATION_FIELDS.has(key))
          .map((key) => `[${index}].${key}`)
      : [],
  );
}
