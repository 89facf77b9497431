// One resource as it is served: the registry of its kind, and the shape in which clients send and get its objects.
import type { ObjectList, Patch, WatchEvent, WatchSink } from '../kube/cluster.ts';
import { deepFreeze } from '../kube/deep-freeze.ts';
import { ShapeError, shapeObject } from '../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../kube/json.ts';
import { type KubeObject, type ObjectKey, type Resource, apiVersionOf } from '../kube/object.ts';
import { type PlainPatch, applyPatch, undecodableResult } from '../kube/patch/patch.ts';
import { type MapApply, applyTypeOf } from './managedfields/apply-type.ts';
import { FieldManager, type FieldWrite, type KindVersion } from './managedfields/field-manager.ts';
import { requireManager, undecodableApply } from './registry/generic-patch.ts';
import type { Call, StoredObject } from './registry/generic-call.ts';
import {
  type IsServed,
  type Refuse,
  decodeObject,
  decodePatched,
  judgeAppliedText,
  unhandled,
} from './registry/generic-decode.ts';
import { GenericRegistry, type ManagedObject, type RegistryServices } from './registry/generic-registry.ts';
import { KIND_VIEWS, type KindView } from './registry/generic-view.ts';
import type { Strategy } from './registry/strategy.ts';

type ApplyPatch = Extract<Patch, { readonly type: 'apply' }>;

export class ServedResource {
  /** As clients name it. */
  readonly resource: Resource<KubeObject>;
  readonly strategy: Strategy;
  readonly registry: GenericRegistry;
  readonly #view: KindView | undefined;
  readonly #isServed: IsServed;
  readonly #fields: FieldManager;
  /** An object looks the same to all readers of a view, so it is converted once. */
  readonly #shown = new WeakMap<KubeObject, KubeObject>();

  constructor(kind: Strategy | KindView, services: RegistryServices, isServed: IsServed) {
    this.#view = 'strategy' in kind ? kind : undefined;
    this.strategy = 'strategy' in kind ? kind.strategy : kind;
    this.resource = kind.resource;
    this.#fields = fieldManagerOf(this.strategy, this.#view);
    this.registry = new GenericRegistry(this.strategy, services, { named: this.resource, fields: this.#fields });
    this.#isServed = isServed;
  }

  /** The body of a create or an update, with defaults. */
  decode(raw: unknown, call: Call): StoredObject {
    this.#view?.requireType?.(raw);
    return this.#stored(decodeObject(this.resource, raw, call, this.#isServed), this.#refuse);
  }

  /** The shortest way of an update, for objects as they are stored. */
  renew(key: ObjectKey, sent: unknown, call: Call): StoredObject | undefined {
    const isPlain = this.#view === undefined && call.subresource === undefined && call.textFaults === undefined;
    return isPlain && isJsonObject(sent) ? this.registry.renew(key, sent, call) : undefined;
  }

  /** The stored object as a patch of what clients see makes it. */
  patched(before: StoredObject, patch: PlainPatch, call: Call): StoredObject {
    const result = applyPatch(patch, this.show(before), this.resource.schema);
    const refuse = (fault: string, restoring?: string): Error => undecodableResult(patch, result, fault, restoring);
    return this.#stored(decodePatched(this.resource, result, call, { isServed: this.#isServed, refuse }), refuse);
  }

  /** The stored object with a configuration applied to it, or the one that it makes of nothing. */
  applied(before: StoredObject | undefined, patch: ApplyPatch, write: FieldWrite, call: Call): ManagedObject {
    requireManager(call);
    const { object, entries } = this.#fields.applied(before, patch.body, patch.force, write);
    judgeAppliedText(call);
    const { textFaults: _judged, ...rest } = call;
    const refuse = (fault: string): Error => undecodableApply(this.resource, patch.body, fault);
    const decoded = decodePatched(this.resource, object, rest, { isServed: this.#isServed, refuse });
    return { object: this.#stored(decoded, refuse), entries };
  }

  readonly #refuse: Refuse = (fault) => unhandled(this.resource, fault);

  /** What a declaration does not reach may be found to be of another type only here: schemas in schemas. */
  #stored(decoded: KubeObject, refuse: Refuse): StoredObject {
    const stored = this.#view === undefined ? decoded : this.#view.toStored(decoded);
    try {
      return this.strategy.applyDefaults(stored) as StoredObject;
    } catch (error) {
      if (error instanceof ShapeError) throw refuse(error.message, error.restoring);
      throw error;
    }
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

/** Kinds that Kubernetes itself declares have names of its own. */
const isCustom = ({ schema }: Resource<KubeObject>): boolean => schema?.name.startsWith('io.k8s.') !== true;

function fieldManagerOf(strategy: Strategy, view: KindView | undefined): FieldManager {
  const { resource, hasStatus } = strategy;
  const stored = versionOf(resource, (object) => object);
  const views = KIND_VIEWS.filter((each) => each.strategy.resource === resource);
  const versions =
    view?.siblings === undefined
      ? [stored, ...views.map(versionOfView)]
      : [versionOfView(view), ...view.siblings.map(versionOfView)];
  const own = versions.find(({ apiVersion }) => view !== undefined && apiVersion === apiVersionOf(view.resource));
  return new FieldManager({
    kind: { resource, hasStatus, isCustom: isCustom(resource) },
    own: own ?? stored,
    others: versions.filter((each) => each !== (own ?? stored)),
  });
}

const versionOfView = (view: KindView): KindVersion =>
  versionOf(view.resource, (object) => view.fromStored(object), view.applyType);

function versionOf(
  resource: Resource<KubeObject>,
  show: (stored: KubeObject) => KubeObject,
  type: MapApply = applyTypeOf(resource.schema),
): KindVersion {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    type,
    zero: shapeObject(resource, {}) as unknown as JsonObject,
    show: (stored) => show(stored) as unknown as JsonObject,
  };
}
