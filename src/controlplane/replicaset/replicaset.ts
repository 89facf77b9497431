// Keeps as many active pods of each ReplicaSet as it asks for. A pod that is being deleted counts no more from that very
// moment, whether or not its node ever answers: its replacement is made at once. What may happen at any moment: the cache
// does not show yet what the last pass did. Expectations keep a second pass from doing it again.
// kubernetes:pkg/controller/replicaset/replica_set.go
import type { Timer } from '../../base/clock.ts';
import { controllerKeysOf } from '../../kube/controller-claim.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type ObjectKey, type OwnerReference, keyFrom, keyOf } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type ReplicaSet, ReplicaSets } from '../../kube/resources/replica-set.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import type { Change, Lister } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { EXPECTATIONS_TIMEOUT_MS, Expectations } from './expectations.ts';
import { profileOf } from './profile.ts';
import { REPLICATION_CONTROLLERS, REPLICA_SETS, type SetKind } from './set-kind.ts';
import { ReplicaSetReconciler } from './sync-replicas.ts';

/** kubernetes:pkg/controller/replicaset/config/v1alpha1/defaults.go */
const CONCURRENT_SYNCS = 5;

/** By upstream's flags; what is absent has upstream's default. */
export interface ReplicaSetSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--concurrent-replicaset-syncs` */
  readonly concurrentReplicaSetSyncs?: number;
}

export const replicaSetController = (settings: ReplicaSetSettings = {}): Component =>
  componentOf(REPLICA_SETS, settings);

/** The server must have the kind. */
export const replicationController = (settings: ReplicaSetSettings = {}): Component =>
  componentOf(REPLICATION_CONTROLLERS, settings);

function componentOf(kind: SetKind, settings: ReplicaSetSettings): Component {
  const { name, view } = kind;
  return { name, start: (context) => start({ ...context, cluster: view(context.cluster) }, settings, kind) };
}

function start(context: ComponentContext, settings: ReplicaSetSettings, kind: SetKind): void {
  const { countsTerminating } = profileOf(settings.profile);
  const informers = informerSet(context);
  const sets = informers.of(ReplicaSets, { controller: controllerKeysOf, namespace: namespaceOf });
  const pods = informers.of(Pods, { controller: controllerKeysOf });
  const expectations = new Expectations(context.clock);
  const observer = new PodObserver(sets, expectations, kind);
  const lookAgain = afterTimeout(context, (key) => {
    if (expectations.areOpen(key)) queue.add(key, { type: 'deadline', entry: null });
  });
  const reconciler = new ReplicaSetReconciler({
    sets,
    pods,
    expectations,
    clock: context.clock,
    recorder: new EventRecorder({ ...context, component: kind.name }),
    kind,
    profile: { countsTerminating: countsTerminating && kind.mayCountTerminating },
    onExpecting: lookAgain,
  });
  const { queue } = startController({
    reconciler,
    triggers: [
      trigger(sets, (change) => {
        // What a set of the same name expected before concerns nobody any more.
        const isOther = change.type === 'updated' && change.before.metadata.uid !== change.object.metadata.uid;
        if (isOther || change.type === 'deleted') expectations.forget(keyOf(change.object));
        return [keyOf(change.object)];
      }),
      trigger(pods, (change) => observer.observe(change)),
    ],
    workers: settings.concurrentReplicaSetSyncs ?? CONCURRENT_SYNCS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

const namespaceOf = ({ metadata }: ReplicaSet): readonly string[] => [metadata.namespace ?? ''];

/**
 * A pod that was made and is gone again between two looks at the server is never observed. Upstream's set would sleep on
 * until something else happens to it; this one looks again when its expectations are too old to count.
 */
function afterTimeout({ clock, signal }: ComponentContext, look: (key: ObjectKey) => void): (key: ObjectKey) => void {
  const timers = new Map<ObjectKey, Timer>();
  signal.addEventListener('abort', () => timers.forEach((timer) => timer.cancel()), { once: true });
  return (key) => {
    timers.get(key)?.cancel();
    const wake = (): void => {
      timers.delete(key);
      look(key);
    };
    timers.set(key, clock.after(EXPECTATIONS_TIMEOUT_MS + 1, wake, { background: true }));
  };
}

/** Tells the expectations what becomes of pods, and which sets that concerns. */
class PodObserver {
  readonly #sets: Lister<ReplicaSet>;
  readonly #expectations: Expectations;
  readonly #kind: SetKind;

  constructor(sets: Lister<ReplicaSet>, expectations: Expectations, kind: SetKind) {
    this.#sets = sets;
    this.#expectations = expectations;
    this.#kind = kind;
  }

  *observe(change: Change<Pod>): Iterable<ObjectKey> {
    const { object } = change;
    const before = change.type === 'updated' ? change.before : undefined;
    const owner = controllerOf(object);
    if (change.type === 'deleted' || object.metadata.deletionTimestamp !== undefined) {
      yield* this.#goes(object, owner);
      return;
    }
    const ownerBefore = before === undefined ? undefined : controllerOf(before);
    if (ownerBefore !== undefined && ownerBefore.uid !== owner?.uid) yield* this.#setOf(object, ownerBefore);
    if (owner === undefined) {
      yield* this.#selecting(object);
      return;
    }
    for (const set of this.#setOf(object, owner)) {
      if (change.type === 'added') this.#expectations.creationObserved(set);
      yield set;
    }
  }

  /** A deletion that is asked for is as good as done: the replacement must not wait for the node. */
  *#goes(pod: Pod, owner: OwnerReference | undefined): Iterable<ObjectKey> {
    if (owner === undefined) return;
    for (const set of this.#setOf(pod, owner)) {
      this.#expectations.deletionObserved(set, keyOf(pod));
      yield set;
    }
  }

  /** By name and uid: a set made again under the name has nothing to do with the pod. */
  #setOf({ metadata }: Pod, { kind, name, uid }: OwnerReference): readonly ObjectKey[] {
    if (kind !== this.#kind.kind) return [];
    const key = keyFrom(metadata.namespace, name);
    return this.#sets.get(key)?.metadata.uid === uid ? [key] : [];
  }

  /** The sets that may adopt an orphan. */
  *#selecting({ metadata }: Pod): Iterable<ObjectKey> {
    for (const set of this.#sets.by('namespace', metadata.namespace ?? '')) {
      const matcher = labelMatcherOf(set.spec.selector ?? undefined);
      if (!matcher.isEmpty && matcher.matches(metadata.labels)) yield keyOf(set);
    }
  }
}
