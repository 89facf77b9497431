// A ReplicationController is a ReplicaSet by an older name, with a plain map for a selector. Its controller is that of
// ReplicaSets, with a view of the server in which it finds its own kind in their place.
// kubernetes:pkg/controller/replication
import type { Cluster, WatchEvent } from '../../kube/cluster.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';

/** What the sets of a controller are. */
export interface SetKind {
  /** Of the component and of its events. */
  readonly name: string;
  readonly kind: string;
  /** False where the status has no place for pods that are being deleted. */
  readonly mayCountTerminating: boolean;
  /** The server as the controller of these sets is to see it. */
  readonly view: (cluster: Cluster) => Cluster;
}

export const REPLICA_SETS: SetKind = {
  name: 'replicaset-controller',
  kind: ReplicaSets.kind,
  mayCountTerminating: true,
  view: (cluster) => cluster,
};

export const REPLICATION_CONTROLLERS: SetKind = {
  name: 'replication-controller',
  kind: 'ReplicationController',
  mayCountTerminating: false,
  view: withReplicationControllers,
};

function withReplicationControllers(cluster: Cluster): Cluster {
  return {
    get: async (resource, key) => asSet(await cluster.get(stored(resource), key)),
    list: async (resource, options) => {
      const list = await cluster.list(stored(resource), options);
      return { ...list, items: list.items.map(asSet) };
    },
    watch: (resource, options, sink) =>
      cluster.watch(stored(resource), options, {
        event: (event) => sink.event(asSetIn(event)),
        closed: (cause) => sink.closed(cause),
      }),
    create: (resource, draft, options) => cluster.create(resource, draft, options),
    update: async (resource, object, options) =>
      asSet(await cluster.update(stored(resource), asStored(object), options)),
    patch: (resource, key, patch, options) => cluster.patch(resource, key, patch, options),
    post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
    delete: (resource, key, options) => cluster.delete(resource, key, options),
    deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
    because: (reason) => withReplicationControllers(cluster.because(reason)),
  };
}

/** Asked for ReplicaSets, the server gives what bears the other name. */
function stored<T extends KubeObject>(resource: Resource<T>): Resource<T> {
  if (resource.plural !== ReplicaSets.plural) return resource;
  const { kind } = REPLICATION_CONTROLLERS;
  return { group: '', version: 'v1', plural: 'replicationcontrollers', kind, namespaced: true };
}

interface WithSelector {
  readonly spec: { readonly selector?: unknown };
}

/** The server has checked its parts. */
const isStored = <T extends KubeObject>(object: T): object is T & WithSelector =>
  object.kind === REPLICATION_CONTROLLERS.kind;

/** The kind stays as it is stored: owner references and events name it. */
function asSet<T extends KubeObject>(object: T): T {
  if (!isStored(object)) return object;
  const { spec } = object;
  return { ...object, spec: { ...spec, selector: { matchLabels: spec.selector ?? {} } } };
}

function asStored<T extends KubeObject>(object: T): T {
  if (!isStored(object)) return object;
  const { spec } = object;
  const selector = isJsonObject(spec.selector) ? spec.selector['matchLabels'] : {};
  return { ...object, spec: { ...spec, selector } };
}

const asSetIn = <T extends KubeObject>(event: WatchEvent<T>): WatchEvent<T> =>
  'object' in event ? { ...event, object: asSet(event.object) } : event;
