// Keeps the pods of StatefulSets: one for each ordinal, in order, with claims of their own. At any moment caches may lag
// and pods may hang in deletion on a dead node; what always holds is that no second pod of an identity is made while the
// object of the first is there. kubernetes:pkg/controller/statefulset/stateful_set.go
import { type Clock, type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { claimControlled, controllerKeysOf, orphansOf } from '../../kube/controller-claim.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type KubeObject, type ObjectKey, type OwnerReference, keyFrom, keyOf } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import { nextAvailabilityAfter } from '../../kube/pod-readiness.ts';
import { type ControllerRevision, ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import {
  type Outcome,
  type Reconciler,
  type Trigger,
  type Turn,
  startController,
  trigger,
} from '../../runtime/controller.ts';
import type { Change, Informer, Lister } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { WaitLog } from '../../runtime/wait-log.ts';
import { OwnWrites } from './own-writes.ts';
import { PodControl } from './pod-control.ts';
import { hasClaimName, hasMemberName, revisionOf } from './pod-identity.ts';
import { type Profile, profileOf } from './profile.ts';
import { RevisionHistory } from './revision-history.ts';
import type { ComputedStatus } from './status.ts';
import { syncSet } from './sync-set.ts';

/** Of the component and of its events. */
const NAME = 'statefulset-controller';
/** kubernetes:pkg/controller/statefulset/config/v1alpha1/defaults.go */
const CONCURRENT_SYNCS = 5;
/** Defaulted by the API server. kubernetes:pkg/apis/apps/v1/defaults.go */
const REVISION_HISTORY_LIMIT = 10;

/** By upstream's flags and gates; what is absent has upstream's default. */
export interface StatefulSetSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--concurrent-statefulset-syncs` */
  readonly concurrentStatefulSetSyncs?: number;
  /** Gate MaxUnavailableStatefulSet: off by default. */
  readonly maxUnavailableStatefulSet?: boolean;
}

export function statefulSetController(settings: StatefulSetSettings = {}): Component {
  return { name: NAME, start: (context) => start(context, settings) };
}

function start(context: ComponentContext, settings: StatefulSetSettings): void {
  const informers = informerSet(context);
  const sets = informers.of(StatefulSets, { namespace: namespaceOf });
  const pods = informers.of(Pods, { controller: controllerKeysOf });
  const claims = informers.of(PersistentVolumeClaims);
  const revisions = informers.of(ControllerRevisions, { controller: controllerKeysOf });
  const ownWrites = new OwnWrites(context.clock, (key) => {
    queue.add(key, { type: 'changed', kind: StatefulSets.kind, key, entry: null });
  });
  context.signal.addEventListener('abort', () => ownWrites.dispose(), { once: true });
  const reconciler = new StatefulSetReconciler({
    sets,
    pods,
    claims,
    revisions,
    ownWrites,
    clock: context.clock,
    recorder: new EventRecorder({ ...context, component: NAME }),
    waits: new WaitLog(context, { actor: NAME, kind: StatefulSets.kind }),
    profile: profileOf(settings.profile),
    honoursMaxUnavailable: settings.maxUnavailableStatefulSet ?? false,
  });
  const { queue } = startController({
    reconciler,
    triggers: [
      trigger(sets, ({ object }) => [keyOf(object)]),
      trigger(pods, (change) => setsOfPod(sets, change)),
      trigger(claims, (change) => setsOfStaleClaim(sets, change)),
      watchFor(ownWrites, sets),
      watchFor(ownWrites, pods),
      watchFor(ownWrites, claims),
    ],
    workers: settings.concurrentStatefulSetSyncs ?? CONCURRENT_SYNCS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

const namespaceOf = ({ metadata }: StatefulSet): readonly string[] => [metadata.namespace ?? ''];

/** Comes after the triggers: a set that was held is woken when its own trigger has seen the change too. */
function watchFor<T extends KubeObject>(ownWrites: OwnWrites, informer: Informer<T>): Trigger {
  return {
    subscribe: () => informer.subscribe(({ object }) => ownWrites.told(object.kind, object.metadata.resourceVersion)),
  };
}

/** The set that controls the pod, before and now; an orphan concerns every set that selects it. */
function* setsOfPod(sets: Lister<StatefulSet>, change: Change<Pod>): Iterable<ObjectKey> {
  const { object } = change;
  const owner = controllerOf(object);
  const before = change.type === 'updated' ? change.before : undefined;
  const ownerBefore = before === undefined ? undefined : controllerOf(before);
  const { namespace } = object.metadata;
  if (ownerBefore !== undefined && ownerBefore.uid !== owner?.uid) yield* setNamedBy(sets, namespace, ownerBefore);
  if (owner !== undefined) {
    yield* setNamedBy(sets, namespace, owner);
    return;
  }
  if (change.type === 'deleted' || object.metadata.deletionTimestamp !== undefined) return;
  for (const set of sets.by('namespace', namespace ?? '')) {
    const matcher = labelMatcherOf(set.spec.selector ?? undefined);
    if (!matcher.isEmpty && matcher.matches(object.metadata.labels)) yield keyOf(set);
  }
}

/**
 * A member may wait for a claim to go with an earlier pod of its name. Upstream watches no claims and would go on at the
 * next event of the set, whenever that is; here the claim's end is that event.
 */
function* setsOfStaleClaim(sets: Lister<StatefulSet>, change: Change<PersistentVolumeClaim>): Iterable<ObjectKey> {
  const { name, namespace, ownerReferences = [] } = change.object.metadata;
  if (change.type !== 'deleted' || !ownerReferences.some(({ kind }) => kind === Pods.kind)) return;
  for (const set of sets.by('namespace', namespace ?? '')) if (hasClaimName(set, name)) yield keyOf(set);
}

/** By name and uid: a set made again under the name has nothing to do with the pod. */
function setNamedBy(
  sets: Lister<StatefulSet>,
  namespace: string | undefined,
  { kind, name, uid }: OwnerReference,
): readonly ObjectKey[] {
  if (kind !== StatefulSets.kind) return [];
  const key = keyFrom(namespace, name);
  return sets.get(key)?.metadata.uid === uid ? [key] : [];
}

interface ReconcilerParts {
  readonly sets: Lister<StatefulSet>;
  readonly pods: Lister<Pod>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly revisions: Lister<ControllerRevision>;
  readonly ownWrites: OwnWrites;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly waits: WaitLog;
  readonly profile: Profile;
  readonly honoursMaxUnavailable: boolean;
}

class StatefulSetReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = StatefulSets.kind;
  readonly #parts: ReconcilerParts;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { sets, ownWrites, waits } = this.#parts;
    const set = sets.get(key);
    if (set === undefined) {
      ownWrites.forget(key);
      waits.ended(key);
      return { type: 'settled' };
    }
    if (!ownWrites.mayGoOn(key)) return { type: 'settled' };
    return this.#sync(set, turn);
  }

  async #sync(set: StatefulSet, turn: Turn): Promise<Outcome> {
    const { revisions, recorder, claims, ownWrites, clock, waits, profile, honoursMaxUnavailable } = this.#parts;
    const { cluster } = turn;
    const history = new RevisionHistory(cluster, set, revisions);
    const inForce = await history.inForce();
    const pods = await this.#podsOf(set, turn);
    const via = recorder.via(cluster);
    const control = new PodControl({ set, cluster, recorder: via, claims, ownWrites, profile });
    const now = clock.now();
    const { status, waitingFor } = await syncSet({
      set,
      pods,
      revisions: inForce,
      now,
      profile,
      honoursMaxUnavailable,
      control,
      cluster,
      recorder: via,
      ownWrites,
    });
    const { current, update, known } = inForce;
    const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
    await history.truncate({ revisions: known, live, limit: set.spec.revisionHistoryLimit ?? REVISION_HISTORY_LIMIT });
    const after = this.#availableAfter(set, pods, status);
    if (after !== undefined) {
      waits.ended(keyOf(set));
      return { type: 'requeue', after, waitingFor: waitingFor ?? 'ready pods to become available' };
    }
    if (waitingFor === undefined) waits.ended(keyOf(set));
    else waits.waits(keyOf(set), waitingFor, turn.reason);
    return { type: 'settled' };
  }

  /** Adopts orphans that bear a member's name, lets go what is no longer selected. */
  #podsOf(set: StatefulSet, { cluster }: Turn): Promise<readonly Pod[]> {
    const { pods } = this.#parts;
    const { uid, namespace } = set.metadata;
    const matcher = labelMatcherOf(set.spec.selector ?? undefined);
    return claimControlled({
      cluster,
      controller: set,
      controllerResource: StatefulSets,
      resource: Pods,
      objects: [...pods.by('controller', uid), ...pods.by('controller', orphansOf(namespace))],
      isWanted: (pod) => matcher.matches(pod.metadata.labels) && hasMemberName(set, pod),
    });
  }

  /** Time makes a ready pod available, and no event tells of it. */
  #availableAfter(set: StatefulSet, pods: readonly Pod[], status: ComputedStatus): DurationMs | undefined {
    const { minReadySeconds = 0 } = set.spec;
    if (minReadySeconds === 0 || status.readyReplicas === status.availableReplicas) return undefined;
    return nextAvailabilityAfter(pods, minReadySeconds, this.#parts.clock.now()) ?? minReadySeconds * SECOND_MS;
  }
}
