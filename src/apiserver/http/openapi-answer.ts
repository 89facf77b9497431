// `/openapi/…` over HTTP. A document that is asked for by the hash of its contents may be kept for good.
// kube-openapi:pkg/handler3/handler.go
import { HOUR_MS, type InstantMs } from '../../base/clock.ts';
import { builtInSchema } from '../../kube/schema-table-messages.ts';
import { type OpenApi, type OpenApiDocument } from '../openapi/openapi.ts';
import type { PublishedKind } from '../openapi/published-kind.ts';
import { type HttpRequest, type WholeAnswer, pageNotFound, wholeAnswer } from './http-exchange.ts';
import { JSON_TYPE, parseAccept } from './media-type.ts';
import { OPENAPI_PROTOBUF_TYPE, openApiProtobuf } from './openapi-protobuf.ts';
import type { ServedApi } from './served-apis.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const YEAR_MS = 365 * 24 * HOUR_MS;
/** As newer and older clients write it. */
const PROTOBUF_NAMES = ['proto-openapi.spec.v2@v1.0+protobuf', 'proto-openapi.spec.v2.v1.0+protobuf'];
const UNCACHED = { 'cache-control': 'no-cache, private' };

/** A kind as its documents tell of it. */
export function publishedKind(api: ServedApi): PublishedKind {
  const { resource, isCustom, defined, ...facts } = api;
  const listKind = defined?.listKind ?? `${api.kind}List`;
  if (defined !== undefined) return { ...facts, listKind, schema: { type: 'defined', schema: defined.schema } };
  const message = resource?.schema ?? (isCustom ? undefined : builtInSchema(api));
  return { ...facts, listKind, schema: message === undefined ? { type: 'open' } : { type: 'declared', message } };
}

/** `words` are the path without its first one. */
export function openApiAnswer(
  openApi: OpenApi,
  [version, ...words]: readonly string[],
  request: HttpRequest,
  now: InstantMs,
): WholeAnswer {
  if (version === 'v2' && words.length === 0) return swaggerAnswer(openApi, request);
  if (version !== 'v3') return pageNotFound();
  if (words.length === 0) return wholeAnswer(200, PLAIN_TEXT, openApi.index(), UNCACHED);
  const path = words.join('/');
  const document = openApi.document(path);
  if (document === undefined) return wholeAnswer(404, '', '');
  if (!acceptsJson(request)) return wholeAnswer(406, '', '');
  const asked = request.query.get('hash') ?? '';
  if (asked !== '' && asked !== document.hash)
    return wholeAnswer(301, '', '', { location: `/openapi/v3/${path}?hash=${document.hash}` });
  const lasting = { 'cache-control': 'public, immutable', expires: new Date(now + YEAR_MS).toUTCString() };
  return documentAnswer(document, request, asked === '' ? UNCACHED : lasting);
}

function swaggerAnswer(openApi: OpenApi, request: HttpRequest): WholeAnswer {
  if (acceptsJson(request)) return documentAnswer(openApi.swagger(), request, UNCACHED);
  if (!PROTOBUF_NAMES.some((name) => request.header('accept').includes(name))) return wholeAnswer(406, '', '');
  const document = openApi.swagger();
  const headers = { ...UNCACHED, etag: `"${document.hash}"`, vary: 'Accept' };
  if (request.header('if-none-match') === headers.etag) return wholeAnswer(304, '', '', headers);
  return wholeAnswer(200, OPENAPI_PROTOBUF_TYPE, protobufOf(document), headers);
}

/** Written once for each document. */
const WRITTEN = new WeakMap<OpenApiDocument, Buffer>();

function protobufOf(document: OpenApiDocument): Buffer {
  const bytes = WRITTEN.get(document) ?? openApiProtobuf(document.text);
  WRITTEN.set(document, bytes);
  return bytes;
}

function documentAnswer(document: OpenApiDocument, request: HttpRequest, caching: Record<string, string>): WholeAnswer {
  const etag = `"${document.hash}"`;
  const headers = { ...caching, etag, vary: 'Accept' };
  if (request.header('if-none-match') === etag) return wholeAnswer(304, '', '', headers);
  return wholeAnswer(200, JSON_TYPE, document.text, headers);
}

function acceptsJson(request: HttpRequest): boolean {
  const accept = request.header('accept');
  if (accept === '') return true;
  return parseAccept(accept).some(
    ({ type, subtype }) => (type === '*' || type === 'application') && (subtype === '*' || subtype === 'json'),
  );
}
