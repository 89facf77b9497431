// The annotation in which `kubectl apply` without server-side apply remembers what it applied. When kubectl turns to
// server-side apply, what it applied in the old way is its own: that is no conflict. The annotation is kept up to date, so
// that it can turn back.
// apimachinery:pkg/util/managedfields/internal/{lastapplied,lastappliedmanager,lastappliedupdater}.go
import { goJson } from '../../kube/go-text.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { byteLength } from '../../kube/names.ts';
import type { MapApply } from './apply-type.ts';
import { compareObjects } from './comparison.ts';
import { fieldSetOf } from './field-set-of.ts';
import { type FieldSet, NO_FIELDS, difference } from './field-set.ts';
import { compareTexts } from './path-element.ts';
import { typedFaults } from './typed-faults.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go */
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** The only manager for which the annotation counts. */
export const KUBECTL = 'kubectl';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { metadata } = object;
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

function lastAppliedOf(object: JsonObject): string {
  const text = annotationsOf(object)?.[ANNOTATION];
  return typeof text === 'string' ? text : '';
}

/** What was applied in the old way and still is as it was applied. */
export function ownedByLastApplied(type: MapApply, live: JsonObject, apiVersion: string): FieldSet {
  const applied = parsed(lastAppliedOf(live));
  if (applied?.['apiVersion'] !== apiVersion) return NO_FIELDS;
  if (typedFaults(type, applied).length > 0 || typedFaults(type, live).length > 0) return NO_FIELDS;
  const { modified, added, removed } = compareObjects(type, applied, live);
  return [modified, added, removed].reduce(difference, fieldSetOf(type, applied));
}

function parsed(text: string): JsonObject | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with what was just applied in its annotation, where it has one. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (annotations === undefined || lastAppliedOf(object) === '') return object;
  const { [ANNOTATION]: _before, ...others } = annotations;
  const renewed = { ...others, [ANNOTATION]: `${sortedJson(withoutAnnotation(config))}\n` };
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return {
    ...object,
    metadata: { ...metadata, annotations: bytesOf(renewed) > ANNOTATIONS_BYTES_MAX ? others : renewed },
  };
}

/** Annotations are texts: null is the empty one, and what is no map of texts is left out. */
function withoutAnnotation(config: JsonObject): JsonObject {
  if (!isJsonObject(config['metadata'])) return config;
  const { annotations, ...metadata } = config['metadata'];
  if (!isJsonObject(annotations)) return { ...config, metadata };
  const others = Object.entries(annotations)
    .filter(([key]) => key !== ANNOTATION)
    .map(([key, value]) => [key, value ?? ''] as const);
  return { ...config, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

const bytesOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(String(value)), 0);

/** As Go writes maps: keys in order. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isJsonObject(value)) return goJson(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => compareTexts(left, right));
  return `{${entries.map(([key, each]) => `${goJson(key)}:${sortedJson(each)}`).join(',')}}`;
}
