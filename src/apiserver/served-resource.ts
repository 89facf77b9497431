// One resource as it is served: the registry of its kind, and the shape in which clients send and get its objects.
import type { ObjectList, WatchEvent, WatchSink } from '../kube/cluster.ts';
import { deepFreeze } from '../kube/deep-freeze.ts';
import type { Patch } from '../kube/cluster.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import { applyPatch, undecodableResult } from '../kube/patch/patch.ts';
import { requirePlain } from './registry/generic-patch.ts';
import type { Call, StoredObject } from './registry/generic-call.ts';
import { type IsServed, decodeObject, decodePatched } from './registry/generic-decode.ts';
import { GenericRegistry, type RegistryServices } from './registry/generic-registry.ts';
import type { KindView } from './registry/generic-view.ts';
import type { Strategy } from './registry/strategy.ts';

export class ServedResource {
  /** As clients name it. */
  readonly resource: Resource<KubeObject>;
  readonly strategy: Strategy;
  readonly registry: GenericRegistry;
  readonly #view: KindView | undefined;
  readonly #isServed: IsServed;
  /** An object looks the same to all readers of a view, so it is converted once. */
  readonly #shown = new WeakMap<KubeObject, KubeObject>();

  constructor(kind: Strategy | KindView, services: RegistryServices, isServed: IsServed) {
    this.#view = 'strategy' in kind ? kind : undefined;
    this.strategy = 'strategy' in kind ? kind.strategy : kind;
    this.resource = kind.resource;
    this.registry = new GenericRegistry(this.strategy, services, this.resource);
    this.#isServed = isServed;
  }

  /** The body of a create or an update, with defaults. */
  decode(raw: unknown, call: Call): StoredObject {
    return this.#stored(decodeObject(this.resource, raw, call, this.#isServed));
  }

  /** The stored object as a patch of what clients see makes it. */
  patched(before: StoredObject, patch: Patch, call: Call): StoredObject {
    requirePlain(patch);
    const result = applyPatch(patch, this.show(before), this.resource.schema);
    const refuse = (fault: string): Error => undecodableResult(patch, result, fault);
    return this.#stored(decodePatched(this.resource, result, call, { isServed: this.#isServed, refuse }));
  }

  #stored(decoded: KubeObject): StoredObject {
    const stored = this.#view === undefined ? decoded : this.#view.toStored(decoded);
    return this.strategy.applyDefaults(stored) as StoredObject;
  }

  /** A stored object as clients see it. */
  show(stored: KubeObject): KubeObject {
    if (this.#view === undefined) return stored;
    const known = this.#shown.get(stored);
    if (known !== undefined) return known;
    const shown = deepFreeze(this.#view.fromStored(stored));
    this.#shown.set(stored, shown);
    return shown;
  }

  showList(list: ObjectList<KubeObject>): ObjectList<KubeObject> {
    return this.#view === undefined ? list : { ...list, items: list.items.map((each) => this.show(each)) };
  }

  showTo(sink: WatchSink<KubeObject>): WatchSink<KubeObject> {
    if (this.#view === undefined) return sink;
    return { event: (event) => sink.event(this.#showEvent(event)), closed: (cause) => sink.closed(cause) };
  }

  #showEvent(event: WatchEvent<KubeObject>): WatchEvent<KubeObject> {
    return 'object' in event ? { ...event, object: this.show(event.object) } : event;
  }
}
