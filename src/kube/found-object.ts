import { isApiError } from './api-error.ts';
import type { Cluster } from './cluster.ts';
import type { KubeObject, ObjectKey, Resource } from './object.ts';

/** Reads an object that may be gone: undefined when the server does not have it. */
export async function foundObject<T extends KubeObject>(
  cluster: Pick<Cluster, 'get'>,
  resource: Resource<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  try {
    return await cluster.get(resource, key);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
