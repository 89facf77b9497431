// A component whose creations fail as told, without the server hearing of them.
import type { Cluster } from '../../src/kube/cluster.ts';
import { StatusError } from '../../src/kube/api-error.ts';
import type { Component } from '../../src/runtime/component.ts';

/** Why the next creation fails; undefined if it does not. */
type Refusal = () => Error | undefined;

export function refusing(component: Component, refusal: Refusal): Component {
  return {
    name: component.name,
    start: (context) => component.start({ ...context, cluster: withRefusal(context.cluster, refusal) }),
  };
}

function withRefusal(cluster: Cluster, refusal: Refusal): Cluster {
  return {
    get: (resource, key) => cluster.get(resource, key),
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options, sink) => cluster.watch(resource, options, sink),
    create: async (resource, draft, options) => {
      const error = refusal();
      if (error !== undefined) throw error;
      return await cluster.create(resource, draft, options);
    },
    update: (resource, object, options) => cluster.update(resource, object, options),
    patch: (resource, key, patch, options) => cluster.patch(resource, key, patch, options),
    post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
    delete: (resource, key, options) => cluster.delete(resource, key, options),
    deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
    because: (reason) => withRefusal(cluster.because(reason), refusal),
  };
}

/** What the server says to a creation in a namespace that is being deleted. */
export const NAMESPACE_TERMINATING = new StatusError({
  code: 403,
  reason: 'Forbidden',
  message: 'unable to create new content in namespace shop because it is being terminated',
  details: { causes: [{ reason: 'NamespaceTerminating', message: 'it goes', field: 'metadata.namespace' }] },
});
