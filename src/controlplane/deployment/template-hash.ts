// The name of a pod template within its Deployment: FNV-1a over the template and the collision count, in the alphabet of
// generated names. Upstream hashes the template as Go prints its structs; here it is the JSON with ordered keys. Names
// need only be stable: a ReplicaSet is recognised by its template, never by its name.
// kubernetes:pkg/controller/controller_utils.go#ComputeHash
import { safeEncoded } from '../../kube/generated-name.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { isSemanticallyEqual } from './semantic-equal.ts';

export const TEMPLATE_HASH_LABEL = 'pod-template-hash';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const NAME_LENGTH_MAX = 253;

export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const text = `${JSON.stringify(sorted(template))}${collisionCount ?? ''}`;
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return safeEncoded(String(hash >>> 0));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

export const replicaSetName = (deploymentName: string, hash: string): string =>
  `${deploymentName.slice(0, NAME_LENGTH_MAX - hash.length - 1)}-${hash}`;

/** A ReplicaSet bears the hash as a label, its Deployment does not. */
export function isSameTemplate(left: PodTemplateSpec, right: PodTemplateSpec): boolean {
  return isSemanticallyEqual(withoutHash(left), withoutHash(right));
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH_LABEL]: _hash, ...labels } = template.metadata.labels ?? {};
  const { labels: _labels, ...metadata } = template.metadata;
  const isBare = Object.keys(labels).length === 0;
  return { ...template, metadata: isBare ? metadata : { ...metadata, labels } };
}
