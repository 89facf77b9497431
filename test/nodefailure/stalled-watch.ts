// A view of the cluster on which the watch of one kind can be held up: its events come when it is let go.
import type { Cluster, WatchSink } from '../../src/kube/cluster.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import type { Component } from '../../src/runtime/component.ts';

export class StalledWatch {
  readonly #plural: string;
  readonly #held: (() => void)[] = [];
  #stalled = false;

  constructor(resource: Resource<KubeObject>) {
    this.#plural = resource.plural;
  }

  stall(): void {
    this.#stalled = true;
  }

  letGo(): void {
    this.#stalled = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  around(component: Component): Component {
    return {
      name: component.name,
      start: (context) => component.start({ ...context, cluster: this.#wrap(context.cluster) }),
    };
  }

  #wrap(cluster: Cluster): Cluster {
    const held = <T>(sink: WatchSink<T>): WatchSink<T> => ({
      event: (event) => (this.#stalled ? void this.#held.push(() => sink.event(event)) : sink.event(event)),
      closed: (cause) => sink.closed(cause),
    });
    return {
      get: (resource, key) => cluster.get(resource, key),
      list: (resource, options) => cluster.list(resource, options),
      watch: (resource, options, sink) =>
        cluster.watch(resource, options, resource.plural === this.#plural ? held(sink) : sink),
      create: (resource, draft, options) => cluster.create(resource, draft, options),
      update: (resource, object, options) => cluster.update(resource, object, options),
      patch: (resource, key, patch, options) => cluster.patch(resource, key, patch, options),
      post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
      delete: (resource, key, options) => cluster.delete(resource, key, options),
      deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
      because: (reason) => this.#wrap(cluster.because(reason)),
    };
  }
}
