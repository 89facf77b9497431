// What is the matter with a patch, apart from what it does to the object.
import { type StatusError, invalid, unclassified } from '../../kube/api-error.ts';
import { required } from '../../kube/field-error.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { Call } from './generic-call.ts';

/** Who applies must say under which name. */
export function requireManager({ fieldManager = '' }: Call): void {
  if (fieldManager !== '') return;
  const fault = required('fieldManager', 'is required for apply patch');
  throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [fault]);
}

/** The configuration fits the schema, but its result is none of the kind: a quantity that does not parse. */
export function undecodableApply(resource: Resource<KubeObject>, config: object, fault: string): StatusError {
  const { metadata } = config as JsonObject;
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {};
  const group = resource.group === '' ? '/' : '';
  const kind = `${group}${apiVersionOf(resource)}, Kind=${resource.kind}`;
  return unclassified(
    `failed to convert new object (${String(namespace)}/${String(name)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${fault}`,
  );
}
