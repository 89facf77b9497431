// Deletes what no living object owns any more. At any moment watches may lag: an owner that the graph does not know is
// looked up live before anything is deleted for its sake, and every delete and patch names the uid it means.
import { unreachable } from '../../base/assert.ts';
import { SETTLED } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { foundObject } from '../../kube/found-object.ts';
import { type KubeObject, type OwnerReference, type Resource, apiVersionOf, keyOf } from '../../kube/object.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Trigger, type Turn, startController } from '../../runtime/controller.ts';
import type { Change } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import {
  type Collection,
  FINALIZER_FOREGROUND,
  FINALIZER_ORPHAN,
  type OwnerFact,
  decideDeleting,
  decideOwned,
  hasSameFate,
  isWaiting,
} from './decide-collection.ts';
import { DependencyGraph, type GraphNode, describe, keyOfOwner } from './dependency-graph.ts';

/** kubernetes:pkg/controller/garbagecollector/config/v1alpha1/defaults.go (`--concurrent-gc-syncs`) */
const WORKERS = 20;

export interface GarbageCollectorSettings {
  /** The kinds to watch: all that can be deleted, without Events. */
  readonly resources: readonly Resource<KubeObject>[];
}

export function garbageCollector(settings: GarbageCollectorSettings): Component {
  return { name: 'garbage-collector-controller', start: (context) => new GarbageCollector(context, settings).start() };
}

class GarbageCollector {
  readonly #context: ComponentContext;
  readonly #settings: GarbageCollectorSettings;
  readonly #graph = new DependencyGraph();
  readonly #informers: InformerFactory;
  readonly #recorder: Recorder;
  /** Owner references that were already complained about, as dependent uid and owner uid. */
  readonly #complained = new Set<string>();

  constructor(context: ComponentContext, settings: GarbageCollectorSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#informers = new InformerFactory(context);
    this.#recorder = new EventRecorder({ ...context, component: 'garbage-collector-controller' });
  }

  start(): void {
    const triggers = this.#settings.resources.map((resource) => this.#follow(resource));
    startController({
      reconciler: { name: 'garbage-collector-controller', reconcile: (uid, turn) => this.#reconcile(uid, turn) },
      triggers,
      workers: WORKERS,
      context: this.#context,
      waitFor: [this.#informers],
    });
    this.#informers.start();
  }

  #follow(resource: Resource<KubeObject>): Trigger {
    const informer = this.#informers.of(resource);
    return {
      subscribe: (enqueue) =>
        informer.subscribe((change, reason) => {
          let isSettled = true;
          for (const uid of this.#observe(resource, change)) {
            isSettled = false;
            enqueue(uid, reason);
          }
          return isSettled ? SETTLED : undefined;
        }),
    };
  }

  /** Takes the change into the graph and names the uids whose fate it may change. */
  *#observe(resource: Resource<KubeObject>, change: Change<KubeObject>): IterableIterator<string> {
    const { object } = change;
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    if (change.type === 'deleted') {
      for (const dependent of this.#graph.dependentsOf(uid)) yield dependent.object.metadata.uid;
      this.#graph.remove(uid);
      for (const owner of ownerReferences) yield owner.uid;
      return;
    }
    this.#graph.put(resource, object);
    if (change.type === 'updated' && hasSameFate(change.before, object)) return;
    if (ownerReferences.length > 0 || deletionTimestamp !== undefined) yield uid;
    if (isWaiting(object)) for (const dependent of this.#graph.dependentsOf(uid)) yield dependent.object.metadata.uid;
    // A dependent that no longer blocks, or no longer names its owner, may be the last one that the owner waited for.
    const named = change.type === 'updated' ? (change.before.metadata.ownerReferences ?? []) : [];
    for (const owner of [...named, ...ownerReferences]) if (this.#isWaitingOwner(owner)) yield owner.uid;
  }

  #isWaitingOwner({ uid }: OwnerReference): boolean {
    const owner = this.#graph.get(uid);
    return owner !== undefined && isWaiting(owner.object);
  }

  async #reconcile(uid: string, turn: Turn): Promise<Outcome> {
    const node = this.#graph.get(uid);
    if (node === undefined) return { type: 'settled' };
    const dependents = [...this.#graph.dependentsOf(uid)].map(({ object }) => object);
    const decision =
      decideDeleting(node.object, dependents) ?? decideOwned(node.object, await this.#ownersOf(node, turn), dependents);
    return this.#act(node, decision, turn);
  }

  async #ownersOf({ object }: GraphNode, turn: Turn): Promise<readonly OwnerFact[]> {
    const facts: OwnerFact[] = [];
    for (const reference of object.metadata.ownerReferences ?? []) {
      facts.push({ reference, state: await this.#stateOf(object, reference, turn) });
    }
    return facts;
  }

  async #stateOf(dependent: KubeObject, reference: OwnerReference, turn: Turn): Promise<OwnerFact['state']> {
    const known = this.#graph.get(reference.uid);
    const isForeign = known !== undefined && this.#isForeign(dependent, known.object);
    if (isForeign) this.#complain(dependent, reference, turn.cluster);
    if (known !== undefined && !isForeign && isNamedBy(reference, known)) return stateOfOwner(known.object);
    const resource = this.#settings.resources.find(
      (each) => each.kind === reference.kind && apiVersionOf(each) === reference.apiVersion,
    );
    if (resource === undefined || (resource.namespaced && dependent.metadata.namespace === undefined))
      return 'unjudged';
    const live = await foundObject(turn.cluster, resource, keyOfOwner(dependent, reference, resource));
    return live?.metadata.uid === reference.uid ? stateOfOwner(live) : 'absent';
  }

  /** An owner in another namespace is none. */
  #isForeign(dependent: KubeObject, owner: KubeObject): boolean {
    return owner.metadata.namespace !== undefined && owner.metadata.namespace !== dependent.metadata.namespace;
  }

  #complain(dependent: KubeObject, reference: OwnerReference, cluster: Cluster): void {
    const key = `${dependent.metadata.uid} ${reference.uid}`;
    if (this.#complained.has(key)) return;
    this.#complained.add(key);
    const namespace = dependent.metadata.namespace ?? '';
    const text = `ownerRef [${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}] does not exist in namespace "${namespace}"`;
    this.#recorder.via(cluster).event(dependent, 'Warning', 'OwnerRefInvalidNamespace', text);
  }

  async #act(node: GraphNode, decision: Collection, turn: Turn): Promise<Outcome> {
    switch (decision.type) {
      case 'keep':
        return { type: 'settled' };
      case 'orphan':
        return this.#orphan(node, turn);
      case 'wait-for-dependents':
        return { type: 'settled' };
      case 'remove-foreground-finalizer':
        return this.#removeFinalizer(node, FINALIZER_FOREGROUND, turn);
      case 'drop-references':
        return this.#dropReferences(node, decision.uids, turn);
      case 'unblock-owners-and-delete':
        await this.#unblockOwners(node, turn);
        return this.#delete(node, 'Foreground', turn);
      case 'delete':
        return this.#delete(node, decision.propagationPolicy, turn);
      default:
        return unreachable(decision);
    }
  }

  async #orphan(node: GraphNode, turn: Turn): Promise<Outcome> {
    for (const dependent of this.#graph.dependentsOf(node.object.metadata.uid)) {
      await this.#dropReferences(dependent, [node.object.metadata.uid], turn);
    }
    return this.#removeFinalizer(node, FINALIZER_ORPHAN, turn);
  }

  #removeFinalizer({ resource, object }: GraphNode, finalizer: string, turn: Turn): Promise<Outcome> {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    const { uid, resourceVersion } = object.metadata;
    return this.#patch(resource, object, { metadata: { uid, resourceVersion, finalizers } }, turn);
  }

  #dropReferences({ resource, object }: GraphNode, uids: readonly string[], turn: Turn): Promise<Outcome> {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
    const { uid, resourceVersion } = object.metadata;
    return this.#patch(resource, object, { metadata: { uid, resourceVersion, ownerReferences } }, turn);
  }

  #unblockOwners({ resource, object }: GraphNode, turn: Turn): Promise<Outcome> {
    const { uid, resourceVersion, ownerReferences = [] } = object.metadata;
    const unblocked = ownerReferences.map((each) =>
      each.blockOwnerDeletion === true ? { ...each, blockOwnerDeletion: false } : each,
    );
    return this.#patch(resource, object, { metadata: { uid, resourceVersion, ownerReferences: unblocked } }, turn);
  }

  /** The patch names the version it was made from: a conflict fails the pass, and the next one reads anew. */
  async #patch(resource: Resource<KubeObject>, object: KubeObject, body: object, turn: Turn): Promise<Outcome> {
    try {
      await turn.cluster.patch(resource, keyOf(object), { type: 'merge', body });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return { type: 'settled' };
  }

  async #delete(
    node: GraphNode,
    propagationPolicy: 'Orphan' | 'Foreground' | 'Background',
    turn: Turn,
  ): Promise<Outcome> {
    const { uid } = node.object.metadata;
    try {
      await turn.cluster.delete(node.resource, keyOf(node.object), { propagationPolicy, preconditions: { uid } });
      this.#context.log.write('info', `collected ${describe(node)}`, { uid });
    } catch (error) {
      // Another object has the name by now, or nobody: either way this one is gone.
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
    }
    return { type: 'settled' };
  }
}

/** A uid with another name or kind beside it is looked up by those, as if it were unknown. */
const isNamedBy = (reference: OwnerReference, { resource, object }: GraphNode): boolean =>
  reference.name === object.metadata.name &&
  reference.kind === resource.kind &&
  reference.apiVersion === apiVersionOf(resource);

const stateOfOwner = (owner: KubeObject): OwnerFact['state'] => (isWaiting(owner) ? 'waiting' : 'solid');
