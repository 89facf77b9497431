// For tests of plugins.
import { isApiError } from '../../kube/api-error.ts';
import { type KubeObject, type ObjectKey, type Resource, apiVersionOf, keyOf } from '../../kube/object.ts';
import { shapeObject } from '../../kube/go-shape.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';

export function made<T extends KubeObject>(resource: Resource<T>, typed: object): T {
  const metadata = { name: 'a', ...(resource.namespaced ? { namespace: 'n' } : {}) };
  return shapeObject(resource, { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, ...typed });
}

/** A store that holds these objects. */
export function readerOf(...objects: readonly KubeObject[]): AdmissionReader {
  function* held<T extends KubeObject>(resource: Resource<T>): Iterable<T> {
    for (const object of objects) if (isOf(resource, object)) yield object;
  }
  return {
    get: <T extends KubeObject>(resource: Resource<T>, key: ObjectKey) =>
      [...held(resource)].find((object) => keyOf(object) === key),
    all: <T extends KubeObject>(resource: Resource<T>, namespace?: string) =>
      [...held(resource)].filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  };
}

const isOf = <T extends KubeObject>(resource: Resource<T>, object: KubeObject): object is T =>
  object.kind === resource.kind;

type Change = Partial<Pick<AdmissionRequest, 'operation' | 'subresource' | 'before' | 'dryRun'>>;

/** A create of the object, unless the change says otherwise. */
export function requestOf<T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  change: Change = {},
): AdmissionRequest {
  const operation = change.operation ?? (change.before === undefined ? 'CREATE' : 'UPDATE');
  return {
    operation,
    resource,
    subresource: change.subresource,
    namespace: object.metadata.namespace,
    name: object.metadata.name,
    object: operation === 'DELETE' ? undefined : object,
    before: change.before,
    user: 'tester',
    groups: [],
    dryRun: change.dryRun ?? false,
  };
}

/** What the plugin makes of the request: the object that goes on, or the refusal's code and sentence. */
export function outcome(
  plugin: AdmissionPlugin,
  request: AdmissionRequest,
  reader: AdmissionReader,
): KubeObject | string | undefined {
  try {
    const admitted = plugin.admit?.(request, reader) ?? request.object;
    plugin.review?.({ ...request, object: admitted }, reader);
    return admitted;
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}
