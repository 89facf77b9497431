// Which form an answer takes and which forms a body may have. A request passes two gates, as upstream: the route knows only
// bare media types, then the kind looks at weights and at what the object shall be converted to.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go and
// emicklei/go-restful:route.go
import { StatusError, notAcceptable } from '../../kube/api-error.ts';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
/** As refusals name them. */
export const MEDIA_TYPES: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const STREAM_TYPES: readonly string[] = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];
/** In the order in which a range with a star finds them. Protobuf is read but not written. */
const WRITTEN: readonly OutputType[] = [JSON_TYPE, YAML_TYPE];
const STREAMED: readonly OutputType[] = [JSON_TYPE];

type OutputType = typeof JSON_TYPE | typeof YAML_TYPE;

/** What the object is shown as instead of itself. */
export interface Conversion {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of meta.k8s.io. */
  readonly version: 'v1' | 'v1beta1';
}

export interface OutputForm {
  readonly mediaType: OutputType;
  readonly isPretty: boolean;
  readonly as: Conversion | undefined;
}

export const PLAIN_JSON: OutputForm = { mediaType: JSON_TYPE, isPretty: false, as: undefined };

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, the wanted first. Clauses of equal weight keep their order, but stars come last. */
export function parseAccept(header: string): readonly Clause[] {
  const clauses = header.split(',').flatMap((text) => parseClause(text) ?? []);
  const stars = ({ type, subtype }: Clause): number => Number(type === '*') + Number(subtype === '*');
  return clauses.toSorted((left, right) => right.quality - left.quality || stars(left) - stars(right));
}

function parseClause(text: string): Clause | undefined {
  const [range = '', ...given] = text.split(';');
  const [type = '', subtype, ...more] = range.split('/').map((part) => part.trim());
  if (more.length > 0 || (subtype === undefined && type !== '*')) return undefined;
  const parameters = new Map<string, string>();
  for (const each of given) {
    const [key = '', value, ...rest] = each.split('=');
    if (value !== undefined && rest.length === 0) parameters.set(key.trim(), value.trim());
  }
  const quality = Number(parameters.get('q') ?? 1);
  parameters.delete('q');
  return { type, subtype: subtype ?? '*', quality: Number.isNaN(quality) ? 0 : quality, parameters };
}

/** Whether the route's own gate lets the header pass: `*\/*` or one of its media types to the letter. */
export function requireRouteAccepts(accept: string, produced: readonly string[]): void {
  if (produced.includes(accept)) return;
  const ranges = accept.split(',').map((range) => (range.split(';')[0] ?? '').trim());
  if (ranges.some((range) => range === '*/*' || produced.includes(range))) return;
  throw new StatusError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`,
    details: {},
  });
}

/** What a route for objects, or for lists that can be watched, says it produces. */
export const producedBy = (isList: boolean): readonly string[] => (isList ? LIST_TYPES : MEDIA_TYPES);
const LIST_TYPES: readonly string[] = [...MEDIA_TYPES, ...STREAM_TYPES];

export interface Negotiation {
  readonly accept: string;
  readonly isPretty: boolean;
  readonly isStream: boolean;
  /** Errors and documents about the server are never converted. */
  readonly mayConvert: boolean;
  /** What is posted and never listed has no table; everything else has one. */
  readonly hasTable?: boolean;
}

/** Throws NotAcceptable. */
export function negotiate({ accept, isPretty, isStream, mayConvert, hasTable = true }: Negotiation): OutputForm {
  // By far the most requests come from programs that say just this.
  if (accept === '' || accept === JSON_TYPE) return isPretty ? { ...PLAIN_JSON, isPretty } : PLAIN_JSON;
  for (const clause of parseAccept(accept)) {
    const mediaType = (isStream ? STREAMED : WRITTEN).find((each) => fits(clause, each));
    if (mediaType === undefined) continue;
    const form = formOf(clause, mediaType, { isPretty, mayConvert });
    if (form?.as?.kind === 'Table' && !hasTable) continue;
    if (form !== undefined) return form;
  }
  throw notAcceptable(isStream ? STREAM_TYPES : MEDIA_TYPES);
}

function fits({ type, subtype }: Clause, mediaType: OutputType): boolean {
  if (type === '*') return subtype === '*';
  const [ownType, ownSubtype] = mediaType.split('/');
  return type === ownType && (subtype === '*' || subtype === ownSubtype);
}

function formOf(
  { parameters }: Clause,
  mediaType: OutputType,
  { isPretty, mayConvert }: Pick<Negotiation, 'isPretty' | 'mayConvert'>,
): OutputForm | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || !STREAMED.includes(mediaType))) return undefined;
  const form = { mediaType, isPretty: isPretty || parameters.get('pretty') === '1', as: undefined };
  if (!['as', 'g', 'v'].some((key) => parameters.has(key))) return form;
  if (!mayConvert || parameters.get('g') !== 'meta.k8s.io') return undefined;
  const as = conversionOf(parameters.get('as') ?? '', parameters.get('v') ?? '');
  return as === undefined ? undefined : { ...form, as };
}

function conversionOf(kind: string, version: string): Conversion | undefined {
  const isKind = kind === 'Table' || kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList';
  const isVersion = version === 'v1' || version === 'v1beta1';
  return isKind && isVersion ? { kind, version } : undefined;
}

/** Asked for by the query, or known from the name of a program that people look at. */
export function wantsPretty(query: URLSearchParams, userAgent: string): boolean {
  const asked = query.get('pretty') ?? '';
  if (asked !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** `application/json; charset=utf-8` without its parameters. */
export const bareType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim();

/** The route's own refusal of a patch that is of no patch type at all. */
export const unsupportedByRoute = (): StatusError =>
  new StatusError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} });
