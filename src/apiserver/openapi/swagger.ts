// The older form (OpenAPI v2) of the same documents, for clients that want everything in one.
import { isJsonObject } from '../../kube/json.ts';

type Json = Readonly<Record<string, unknown>>;

interface Contents {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Json };
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

export function swaggerOf(info: Json, parts: readonly Contents[]): Json {
  const definitions = Object.fromEntries(parts.flatMap(({ components }) => Object.entries(components.schemas)));
  const paths = parts.flatMap((part) => Object.entries(part.paths));
  return {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, itemOf(item)])),
    definitions: pointed(definitions),
  };
}

/** References to schemas stand elsewhere in this form. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (!isJsonObject(value)) return value;
  const { allOf } = value;
  // A reference may not have anything beside it in the newer form; in the older one it may.
  if (Array.isArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0]) && typeof allOf[0]['$ref'] === 'string') {
    const { allOf: _only, default: _default, ...rest } = value;
    return { ...rest, $ref: moved(allOf[0]['$ref']) };
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === '$ref' && typeof each === 'string' ? moved(each) : pointed(each),
    ]),
  );
}

const moved = (reference: string): string => reference.replace('#/components/schemas/', '#/definitions/');

function itemOf(item: Json): Json {
  const shown: Record<string, unknown> = { parameters: parametersOf(item['parameters']) };
  for (const method of METHODS) {
    const operation = item[method];
    if (isJsonObject(operation)) shown[method] = operationOf(operation);
  }
  return shown;
}

function operationOf(operation: Json): Json {
  const body = schemaIn(operation['requestBody']);
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  const answer = schemaIn(responses['200']);
  const inBody = body === undefined ? [] : [{ name: 'body', in: 'body', required: true, schema: pointed(body) }];
  return {
    consumes: ['*/*'],
    produces: ['application/json'],
    parameters: [...inBody, ...parametersOf(operation['parameters'])],
    responses: { '200': { description: 'OK', ...(answer === undefined ? {} : { schema: pointed(answer) }) } },
    'x-kubernetes-action': operation['x-kubernetes-action'],
    'x-kubernetes-group-version-kind': operation['x-kubernetes-group-version-kind'],
  };
}

/** The schema of the first media type. */
function schemaIn(holder: unknown): unknown {
  const content = isJsonObject(holder) ? holder['content'] : undefined;
  const [first] = isJsonObject(content) ? Object.values(content) : [];
  return isJsonObject(first) ? first['schema'] : undefined;
}

const parametersOf = (parameters: unknown): readonly Json[] =>
  Array.isArray(parameters)
    ? parameters
        .filter(isJsonObject)
        .map(({ schema, ...rest }) => ({ ...rest, ...(isJsonObject(schema) ? schema : {}) }))
    : [];
