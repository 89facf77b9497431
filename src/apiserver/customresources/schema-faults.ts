// What is wrong with a value by its schema, in the sentences of upstream's validator, which checks everything that applies to
// a value and does not stop at the first fault. In an update a value that did not change is not blamed.
// kube-openapi:pkg/validation/validate, kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../kube/field-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import { type Old, oldField, oldMember } from './correlation.ts';
import { isKnownFormat, textFormat } from './formats.ts';
import { goPattern } from './go-pattern.ts';
import { additionalOf, itemsOf, propertiesOf, propertyOf } from './json-schema.ts';
import { numberFaults } from './number-faults.ts';

/** How upstream prints the path of nothing. */
const NOWHERE = '<nil>';

interface Place {
  readonly path: string;
  readonly old: Old;
  /** Where faults are told that have no field of their own. */
  readonly root: string;
}

/** Faults, and how many checks came before them: of several schemas that all fail, the nearest is told. */
interface Result {
  readonly faults: readonly FieldError[];
  readonly matches: number;
}

/** All faults of a value. `path` is where the value stands in its object, empty for a whole one. */
export function schemaFaults(
  schema: JsonSchema,
  value: unknown,
  { path = '', old }: { readonly path?: string; readonly old?: Old } = {},
): readonly FieldError[] {
  const place = { path: '', old, root: path === '' ? NOWHERE : path };
  const { faults } = ratcheted(schema, value, place);
  return path === '' ? faults : faults.map((fault) => below(fault, path));
}

/** A status is judged alone: its faults are told below its own path, its sentences without it. */
function below(fault: FieldError, path: string): FieldError {
  if (fault.field === path) return fault;
  return { ...fault, field: fault.field === '' ? path : `${path}.${fault.field}` };
}

/** What was there before, and was accepted then, is no fault now. */
function ratcheted(schema: JsonSchema, value: unknown, place: Place): Result {
  const result = check(schema, value, place);
  if (result.faults.length === 0 || place.old === undefined || !sameValue(place.old.value, value)) return result;
  return { faults: [], matches: result.matches };
}

function check(schema: JsonSchema, value: unknown, place: Place): Result {
  const isNull = value === null;
  const checks = isNull
    ? [typeFaults(schema, value, place), enumFaults(schema, value, place)]
    : [
        typeFaults(schema, value, place),
        alternativeFaults(schema, value, place),
        textFaults(schema, value, place),
        numberFaults(schema, value, place),
        listFaults(schema, value, place),
        enumFaults(schema, value, place),
        objectFaults(schema, value, place),
      ];
  const faults = unique(checks.flat());
  return { faults, matches: checks.filter((each) => each.length === 0).length };
}

/** The same sentence is told once. */
function unique(faults: readonly FieldError[]): readonly FieldError[] {
  if (faults.length < 2) return faults;
  const told = new Map(faults.map((fault) => [`${fault.field}: ${fault.text}`, fault]));
  return [...told.values()];
}

const typesOf = (schema: JsonSchema): readonly string[] => {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}

function typeFaults(schema: JsonSchema, value: unknown, { path }: Place): readonly FieldError[] {
  const types = typesOf(schema);
  const type = typeOf(value);
  if (types.length === 0 || types.includes(type)) return [];
  if (value === null && schema.nullable === true) return [];
  if (type === 'integer' && types.includes('number')) return [];
  const { format = '' } = schema;
  const isNumeric = types.includes('integer') || types.includes('number');
  if (!isNumeric && (type === 'string' || type === 'array') && isKnownFormat(types[0] ?? '', format)) return [];
  return [typeInvalid(path, type, `${path} in body must be of type ${types.join(',')}: ${goQuote(type)}`)];
}

function textFaults(schema: JsonSchema, value: unknown, { path }: Place): readonly FieldError[] {
  if (typeof value !== 'string') return [];
  const fault = lengthFault(schema, value, path);
  const { format = '' } = schema;
  const isFormatted = textFormat(isKnownFormat(typesOf(schema)[0] ?? '', format) ? format : '');
  if (isFormatted === undefined || isFormatted(value)) return fault;
  return [...fault, typeInvalid(path, value, `${path} in body must be of type ${format}: ${goQuote(value)}`)];
}

/** Of a text only the first fault is told. */
function lengthFault(
  { maxLength, minLength, pattern = '' }: JsonSchema,
  value: string,
  path: string,
): readonly FieldError[] {
  const characters = maxLength === undefined && minLength === undefined ? 0 : Array.from(value).length;
  if (maxLength !== undefined && characters > maxLength) return [tooLong(path, maxLength)];
  if (minLength !== undefined && characters < minLength)
    return [invalid(path, value, `${path} in body should be at least ${minLength} chars long`)];
  if (pattern === '' || goPattern(pattern)?.test(value) === true) return [];
  return [invalid(path, value, `${path} in body should match '${pattern}'`)];
}

function enumFaults({ enum: values }: JsonSchema, value: unknown, { path }: Place): readonly FieldError[] {
  if (values === undefined || values.length === 0 || values.some((each) => sameValue(each, value))) return [];
  const names = values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return [notSupported(path, value, names)];
}

function listFaults(schema: JsonSchema, value: unknown, { path, old, root }: Place): readonly FieldError[] {
  if (!Array.isArray(value)) return [];
  const list = value as readonly unknown[];
  const { minItems, maxItems } = schema;
  const items = itemsOf(schema);
  const faults: FieldError[] = [];
  for (const [index, member] of items === undefined ? [] : list.entries()) {
    const place = { path: `${path}[${index}]`, old: oldMember(old, member, schema), root };
    if (items !== undefined) faults.push(...ratcheted(items, member, place).faults);
  }
  if (minItems !== undefined && list.length < minItems)
    faults.push(invalid(path, list.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && list.length > maxItems) faults.push(tooMany(path, list.length, maxItems));
  return faults;
}

function objectFaults(schema: JsonSchema, value: unknown, place: Place): readonly FieldError[] {
  if (!isJsonObject(value)) return [];
  const { path } = place;
  const { minProperties, maxProperties, required: needed = [] } = schema;
  const count = Object.keys(value).length;
  const faults: FieldError[] = [];
  if (minProperties !== undefined && count < minProperties)
    faults.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties) faults.push(tooMany(path, count, maxProperties));
  faults.push(...fieldFaults(schema, value, place));
  for (const name of needed) if (!Object.hasOwn(value, name)) faults.push(required(joined(path, name)));
  return faults;
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function fieldFaults(schema: JsonSchema, object: JsonObject, { path, old, root }: Place): readonly FieldError[] {
  const faults: FieldError[] = [];
  const additional = additionalOf(schema);
  const judge = (name: string, of: JsonSchema): void => {
    const place = { path: joined(path, name), old: oldField(old, name, schema), root };
    faults.push(...ratcheted(of, object[name], place).faults);
  };
  if (additional !== undefined)
    for (const name of Object.keys(object)) if (propertyOf(schema, name) === undefined) judge(name, additional);
  for (const [name, property] of propertiesOf(schema)) if (Object.hasOwn(object, name)) judge(name, property);
  return faults;
}

function alternativeFaults(schema: JsonSchema, value: unknown, place: Place): readonly FieldError[] {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const faults: FieldError[] = [];
  if (anyOf.length > 0) faults.push(...anyOfFaults(anyOf, value, place));
  if (oneOf.length > 0) faults.push(...oneOfFaults(oneOf, value, place));
  if (allOf.length > 0) faults.push(...allOfFaults(allOf, value, place));
  if (not !== undefined && check(not, value, place).faults.length === 0)
    faults.push(composite(place, 'must not validate the schema (not)'));
  return faults;
}

const composite = ({ path, root }: Place, says: string): FieldError => invalid(root, '', `${goQuote(path)} ${says}`);

function anyOfFaults(schemas: readonly JsonSchema[], value: unknown, place: Place): readonly FieldError[] {
  const results = schemas.map((each) => check(each, value, place));
  if (results.some(({ faults }) => faults.length === 0)) return [];
  return [composite(place, 'must validate at least one schema (anyOf)'), ...nearest(results)];
}

function oneOfFaults(schemas: readonly JsonSchema[], value: unknown, place: Place): readonly FieldError[] {
  const results = schemas.map((each) => check(each, value, place));
  const valid = results.filter(({ faults }) => faults.length === 0).length;
  if (valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const fault = composite(place, `must validate one and only one schema (oneOf). ${found}`);
  return valid === 0 ? [fault, ...nearest(results)] : [fault];
}

function allOfFaults(schemas: readonly JsonSchema[], value: unknown, place: Place): readonly FieldError[] {
  const results = schemas.map((each) => check(each, value, place));
  const valid = results.filter(({ faults }) => faults.length === 0).length;
  if (valid === schemas.length) return [];
  const none = valid === 0 ? '. None validated' : '';
  return [...results.flatMap(({ faults }) => faults), composite(place, `must validate all the schemas (allOf)${none}`)];
}

/** The faults of the schema that most checks agreed with, the first of equals. */
function nearest(results: readonly Result[]): readonly FieldError[] {
  let best: Result | undefined;
  for (const result of results) if (best === undefined || result.matches > best.matches) best = result;
  return best?.faults ?? [];
}
