// Reading kinds whose fields are known by a table only: a value is taken for what the schema made of it, or for nothing.
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { StoredObject } from './generic-call.ts';

export const partOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const optionalPart = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
export const partsOf = (value: unknown): readonly JsonObject[] => listOf(value).map(partOf);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf);

/** The named part of an object: its spec, mostly. */
export const partIn = (object: KubeObject, name = 'spec'): JsonObject => partOf((object as StoredObject)[name]);

export function withPart(object: KubeObject, change: (part: JsonObject) => JsonObject, name = 'spec'): KubeObject {
  return { ...object, [name]: change(partIn(object, name)) };
}

/** A list of parts with each changed, if there is one. */
export const mappedParts = (value: unknown, change: (part: JsonObject) => JsonObject): unknown =>
  Array.isArray(value) ? partsOf(value).map(change) : value;
