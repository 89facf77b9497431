// The name of a ReplicaSet within its Deployment, by the hash of its template. A ReplicaSet is recognised by its template,
// never by its name.
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { isSemanticallyEqual } from './semantic-equal.ts';

export const TEMPLATE_HASH_LABEL = 'pod-template-hash';
const NAME_LENGTH_MAX = 253;

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
