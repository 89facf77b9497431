// Bodies: from bytes to JSON values, whatever they are written in. What is wrong with the value is for others to say.
import { LineCounter, type Node, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { type StatusError, badRequest, unsupportedMediaType } from '../../kube/api-error.ts';
import { duplicateFields, fieldPlaces } from '../../kube/duplicate-fields.ts';
import { unhandled } from '../registry/generic-decode.ts';
import { JSON_TYPE, MEDIA_TYPES, PROTOBUF_TYPE, YAML_TYPE, bareType } from './media-type.ts';

export interface Body {
  readonly value: unknown;
  /** Paths of fields that stand in the text more than once; the last one counts. */
  readonly duplicates: readonly string[];
  /** Where all fields stand in the text, if it is known and there are duplicates. */
  readonly places?: ReadonlyMap<string, number>;
  /** YAML: the same in the words of its decoder, which names lines. */
  readonly lines?: readonly string[];
}

/** Reads Kubernetes protobuf: the value as JSON, with its kind and apiVersion. Throws a MalformedBody. */
export type ProtobufReader = (bytes: Uint8Array) => unknown;

/** The bytes are not what their media type says. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  /** The decoder's own words. */
  readonly why: string;
  /** What the body says it is, if that much could be read. */
  readonly names: { readonly apiVersion: string; readonly kind: string } | undefined;

  constructor(why: string, prefix = '', names?: MalformedBody['names']) {
    super(`${prefix}${why}`);
    this.why = why;
    this.names = names;
  }
}

/** Throws UnsupportedMediaType, or MalformedBody. A body without a media type is JSON. */
export function readBody(bytes: Uint8Array, contentType: string, protobuf: ProtobufReader | undefined): Body {
  switch (contentType === '' ? JSON_TYPE : bareType(contentType).toLowerCase()) {
    case JSON_TYPE:
      return readJson(bytes);
    case YAML_TYPE:
      return readYaml(bytes);
    case PROTOBUF_TYPE:
      if (protobuf !== undefined) return { value: protobuf(bytes), duplicates: [] };
      throw unsupportedMediaType(MEDIA_TYPES);
    default:
      throw unsupportedMediaType(MEDIA_TYPES);
  }
}

export function readJson(bytes: Uint8Array): Body {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  requireDepth(text);
  const value = parsedJson(text);
  const duplicates = duplicateFields(text, value);
  return duplicates.length === 0 ? { value, duplicates } : { value, duplicates, places: fieldPlaces(text) };
}

/** What is nested deeper is nobody's object, and everything that walks objects relies on an end. Go's decoder allows 10,000. */
const DEPTH_MAX = 1000;

function requireDepth(text: string): void {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isInText = !isInText;
    else if (isInText) at += character === BACKSLASH ? 1 : 0;
    else if (character === OPENING_BRACKET || character === OPENING_BRACE) depth++;
    else if (character === CLOSING_BRACKET || character === CLOSING_BRACE) depth--;
    if (depth > DEPTH_MAX) throw new MalformedBody('exceeded max depth', 'json parse error: ');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new MalformedBody(goSyntaxError(text, String(error)), 'json parse error: ');
  }
}

/** As Go words it: where the text ends too soon, or which character is wrong. */
function goSyntaxError(text: string, told: string): string {
  const position = /position (\d+)/.exec(told)?.[1];
  const character = position === undefined ? /token '(.)'/u.exec(told)?.[1] : text.charAt(Number(position));
  if (character === undefined || character === '') return 'unexpected end of JSON input';
  return `invalid character '${character}' looking for beginning of value`;
}

/** YAML as Kubernetes reads it: words of YAML 1.1 such as `yes`, but dates stay texts. JSON is YAML too. */
export function readYaml(bytes: Uint8Array): Body {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return parsedYaml(text);
  } catch (error) {
    if (error instanceof MalformedBody) throw error;
    // Aliases that name nothing or too much are found late, and nesting without end breaks the parser itself.
    const why = error instanceof RangeError ? 'exceeded max depth' : error instanceof Error ? error.message : '';
    throw new MalformedBody(`yaml: ${why.split('\n')[0] ?? ''}`);
  }
}

function parsedYaml(text: string): Body {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    customTags: (tags) =>
      tags.filter((tag) => tag !== 'timestamp' && (typeof tag === 'string' || !tag.tag.endsWith(':timestamp'))),
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
  });
  const [fault] = document.errors;
  if (fault !== undefined) throw new MalformedBody(`yaml: ${fault.message.split('\n')[0] ?? ''}`);
  const found: Duplicates = { paths: new Set(), lines: [], lineOf: (offset) => lines.linePos(offset).line };
  collectDuplicates(document.contents, '', found);
  const value = document.toJS({ maxAliasCount: 100 }) as unknown;
  // What can be written as JSON of a bounded depth can be walked by everything else.
  requireDepth(JSON.stringify(value ?? null));
  return { value, duplicates: [...found.paths], lines: found.lines };
}

interface Duplicates {
  readonly paths: Set<string>;
  readonly lines: string[];
  readonly lineOf: (offset: number) => number;
}

function collectDuplicates(node: Node | null, path: string, found: Duplicates): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries())
      collectDuplicates(item as Node | null, `${path}[${index}]`, found);
  }
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const member = path === '' ? name : `${path}.${name}`;
    const held = value as Node | null;
    if (seen.has(name)) {
      found.paths.add(member);
      const at = found.lineOf(((held ?? key) as Node).range?.[0] ?? 0);
      found.lines.push(`line ${at}: key ${JSON.stringify(isScalar(key) ? key.value : name)} already set in map`);
    }
    seen.add(name);
    collectDuplicates(held, member, found);
  }
}

/** What a create or an update is refused with when its body cannot be read. */
export function unrecognized(kind: string, { message, names }: MalformedBody): StatusError {
  if (names === undefined)
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${message}`,
    );
  const version = names.apiVersion.slice(names.apiVersion.indexOf('/') + 1);
  return unhandled({ kind, version }, message, names.kind);
}
