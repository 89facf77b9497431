// The kinds that clients define, as they are served now. What is served follows from the stored definitions alone, so nothing
// is lost by a restart, and a definition that another server of the same storage wrote is served here too.
//
// Upstream has controllers for the life of a definition. Here a write to one is followed, before it is answered, by what those
// would do: names are accepted and the kind is established, or the objects of an ending kind are deleted and it goes.
import type { Clock } from '../../base/clock.ts';
import { timestamp } from '../../base/clock.ts';
import { type KubeObject, type Resource, type ResourceName, apiVersionOf, keyOf } from '../../kube/object.ts';
import {
  type CustomResourceDefinition,
  CustomResourceDefinitions,
} from '../../kube/resources/custom-resource-definition.ts';
import type { User } from '../authorization.ts';
import type { ObjectStore } from '../objectstore/object-store.ts';
import type { Call, StoredObject } from '../registry/generic-call.ts';
import type { KindView } from '../registry/generic-view.ts';
import { sameJson } from '../registry/semantic-equal.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { ServedResource } from '../served-resource.ts';
import { type CustomKind, customKinds } from './custom-kind.ts';
import { CLEANUP_FINALIZER, TERMINATING, decideStatus, isTrue, withCondition } from './definition-conditions.ts';
import type { RuleEngine } from './rule-engine.ts';

/** Names may depend on each other in a row; more definitions than this do not wait for one another. */
const PASSES_MAX = 64;

export interface CustomResourcesOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly rules: RuleEngine | undefined;
  /** In whose name the server itself writes. */
  readonly user: User;
  readonly serve: (view: KindView) => ServedResource;
  /** Ends the watches of a kind that is no longer served, or served otherwise. */
  readonly close: (strategy: Strategy) => void;
}

/** One definition as it is served. */
interface Served {
  readonly definition: CustomResourceDefinition;
  readonly kinds: readonly CustomKind[];
  /** One for each kind. */
  readonly resources: readonly ServedResource[];
  /** Strategies with open watches, older ones of the same kind included. */
  readonly watched: readonly Strategy[];
}

export class CustomResources {
  readonly #options: CustomResourcesOptions;
  /** By name of the definition. */
  #served: ReadonlyMap<string, Served> = new Map();
  /** By plural, version and group, and once by plural and group alone. */
  #byName: ReadonlyMap<string, ServedResource> = new Map();
  #types: ReadonlySet<string> = new Set();
  #isStale = true;
  #isListening = false;
  #revision = 0;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
  }

  /** Changes whenever what is served changes. */
  get revision(): number {
    this.#refresh();
    return this.#revision;
  }

  get kinds(): readonly CustomKind[] {
    this.#refresh();
    return [...this.#served.values()].flatMap(({ kinds }) => kinds);
  }

  find(resource: ResourceName & { readonly version?: string }): ServedResource | undefined {
    this.#refresh();
    return this.#byName.size === 0 ? undefined : this.#byName.get(nameOf(resource));
  }

  isServed(apiVersion: string, kind: string): boolean {
    this.#refresh();
    return this.#types.has(`${apiVersion} ${kind}`);
  }

  /** Does what a write to this resource leads to. */
  afterWrite(resource: ResourceName, definitions: ServedResource): void {
    if (isDefinitions(resource) || this.#isEnding(resource)) this.#settle(definitions);
  }

  #isEnding({ plural, group }: ResourceName): boolean {
    const served = this.#served.get(`${plural}.${group}`);
    return served !== undefined && isTrue(served.definition, 'Terminating');
  }

  #refresh(): void {
    if (!this.#isStale) return;
    this.#listen();
    this.#isStale = false;
    const { store } = this.#options;
    const next = new Map<string, Served>();
    for (const stored of store.all(CustomResourceDefinitions)) {
      const definition = stored as CustomResourceDefinition;
      if (isTrue(definition, 'Established')) next.set(definition.metadata.name, this.#serve(definition));
    }
    for (const [name, { watched }] of this.#served) if (!next.has(name)) watched.forEach(this.#options.close);
    this.#served = next;
    this.#index();
    this.#revision++;
  }

  /** Only once something is asked for: a store is filled before that. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#options.store.subscribe(CustomResourceDefinitions, () => {
      this.#isStale = true;
    });
  }

  #serve(definition: CustomResourceDefinition): Served {
    const { rules, serve, close } = this.#options;
    const known = this.#served.get(definition.metadata.name);
    const isSame = known !== undefined && isServedAlike(known.definition, definition);
    const isEnding = isTrue(definition, 'Terminating');
    if (isSame && isTrue(known.definition, 'Terminating') === isEnding) return { ...known, definition };
    const kinds = customKinds(definition, rules);
    const strategies = kinds.map(({ view }) => view.strategy);
    if (known !== undefined && !isSame) known.watched.forEach(close);
    const watched = isSame ? [...known.watched, ...strategies] : strategies;
    return { definition, kinds, resources: kinds.map(({ view }) => serve(view)), watched };
  }

  #index(): void {
    const byName = new Map<string, ServedResource>();
    const types = new Set<string>();
    for (const { resources } of this.#served.values()) {
      for (const served of resources) {
        const { resource } = served;
        byName.set(nameOf(resource), served);
        types.add(`${apiVersionOf(resource)} ${resource.kind}`);
      }
      const [preferred] = resources;
      if (preferred !== undefined) {
        const { group, plural } = preferred.resource;
        byName.set(nameOf({ group, plural }), preferred);
      }
    }
    this.#byName = byName;
    this.#types = types;
  }

  #settle(definitions: ServedResource): void {
    for (let pass = 0; pass < PASSES_MAX; pass++) if (!this.#settleOnce(definitions)) return;
  }

  /** Whether anything changed. */
  #settleOnce({ registry }: ServedResource): boolean {
    const { store, clock, user } = this.#options;
    const now = timestamp(clock.now());
    let hasChanged = false;
    for (const stored of store.all(CustomResourceDefinitions)) {
      const definition = stored as CustomResourceDefinition;
      if (isWaitingForEnd(definition)) {
        hasChanged = this.#end(definition, registry, now) || hasChanged;
        continue;
      }
      const status = decideStatus(definition, this.#othersOf(definition), now);
      if (status === definition.status) continue;
      hasChanged = true;
      const object = { ...definition, status } as unknown as StoredObject;
      registry.update(definition.metadata.name, { type: 'whole', object }, statusCall(user));
    }
    return hasChanged;
  }

  #othersOf({ spec, metadata }: CustomResourceDefinition): readonly CustomResourceDefinition[] {
    const all = this.#options.store.all(CustomResourceDefinitions) as readonly CustomResourceDefinition[];
    return all.filter((each) => each.spec.group === spec.group && each.metadata.name !== metadata.name);
  }

  /** Deletes the objects of a kind, and the definition once there are none. Those with finalizers are waited for. */
  #end(definition: CustomResourceDefinition, registry: ServedResource['registry'], now: string): boolean {
    const { store, user } = this.#options;
    const { metadata, status } = definition;
    const { name } = metadata;
    const call = statusCall(user);
    const write = (changed: CustomResourceDefinition): void => {
      registry.store(name, changed as unknown as StoredObject, call);
    };
    const inProgress = { ...definition, status: withCondition(status, TERMINATING.inProgress, now) };
    const isEstablished = isTrue(definition, 'Established');
    const left = isEstablished ? this.#deleteObjects(definition, call) : 0;
    if (left > 0) {
      const isTold = sameJson(inProgress.status, status);
      if (!isTold) write(inProgress);
      return !isTold;
    }
    const finalizers = (metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
    const end = isEstablished ? TERMINATING.completed : TERMINATING.neverEstablished;
    write({ ...definition, metadata: { ...metadata, finalizers }, status: withCondition(status, end, now) });
    if (finalizers.length === 0 && store.get(CustomResourceDefinitions, name) !== undefined)
      registry.remove(name, call);
    return true;
  }

  /** How many stay for now. */
  #deleteObjects({ spec }: CustomResourceDefinition, call: Call): number {
    const { store } = this.#options;
    const { group } = spec;
    const { plural } = spec.names;
    const served = this.find({ group, plural });
    const resource = served?.strategy.resource ?? storedAs(group, plural);
    for (const object of store.all(resource)) {
      if (object.metadata.deletionTimestamp === undefined) served?.registry.delete(keyOf(object), {}, call);
    }
    return store.all(resource).length;
  }
}

const storedAs = (group: string, plural: string): Resource<KubeObject> => ({
  group,
  version: '',
  plural,
  kind: '',
  namespaced: true,
});

const nameOf = ({ plural, version, group }: ResourceName & { readonly version?: string }): string =>
  version === undefined ? `${plural}.${group}` : `${plural}.${version}.${group}`;

export const isDefinitions = ({ plural, group }: ResourceName): boolean =>
  plural === CustomResourceDefinitions.plural && group === CustomResourceDefinitions.group;

/** Neither how objects are judged nor what they are called has changed. */
const isServedAlike = (known: CustomResourceDefinition, definition: CustomResourceDefinition): boolean =>
  known.metadata.uid === definition.metadata.uid &&
  sameJson(known.spec, definition.spec) &&
  sameJson(known.status.acceptedNames, definition.status.acceptedNames);

const isWaitingForEnd = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;

const statusCall = (user: User): Call => ({
  user,
  verb: 'update',
  subresource: 'status',
  dryRun: false,
  fieldValidation: 'Ignore',
  fieldManager: 'kube-apiserver',
  warnings: [],
});
