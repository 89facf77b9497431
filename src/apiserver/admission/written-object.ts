import { forbidden } from '../../kube/api-error.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { AdmissionRequest } from './admission.ts';

const isOf = <T extends KubeObject>(object: KubeObject | undefined, resource: Resource<T>): object is T =>
  object !== undefined && object.kind === resource.kind && object.apiVersion === apiVersionOf(resource);

/** The object of a write to this resource itself; undefined for other resources, for subresources and for deletions. */
export function writtenObject<T extends KubeObject>(request: AdmissionRequest, resource: Resource<T>): T | undefined {
  const { resource: written, subresource, object } = request;
  const isMeant = written.group === resource.group && written.plural === resource.plural && subresource === undefined;
  return isMeant && isOf(object, resource) ? object : undefined;
}

/** The stored object that such a write would replace. */
export function replacedObject<T extends KubeObject>(request: AdmissionRequest, resource: Resource<T>): T | undefined {
  return isOf(request.before, resource) ? request.before : undefined;
}

/** A refusal names the object; one that the server has yet to name goes by what its name will begin with. */
export function refusal(request: AdmissionRequest, message: string): Error {
  const name = request.name === '' ? (request.object?.metadata.generateName ?? 'Unknown') : request.name;
  return forbidden(request.resource, name, message);
}
