// One pass over one ReplicaSet.
import { type Clock, SECOND_MS } from '../../base/clock.ts';
import { claimControlled, orphansOf } from '../../kube/controller-claim.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { controllerOf, isControlledBy } from '../../kube/owner-reference.ts';
import { isPodActive, isPodTerminating, nextAvailabilityAfter } from '../../kube/pod-readiness.ts';
import { inSlowStart } from '../../kube/slow-start.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type ReplicaSet, type ReplicaSetStatus, ReplicaSets } from '../../kube/resources/replica-set.ts';
import type { Outcome, Reconciler, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { decideDeletions } from './deletion-order.ts';
import type { Expectations } from './expectations.ts';
import { PodControl } from './pod-control.ts';
import type { Profile } from './profile.ts';
import type { SetKind } from './set-kind.ts';
import { isNews, statusOf } from './status.ts';

/** Pods made or deleted in one pass. kubernetes:pkg/controller/replicaset/replica_set.go */
const BURST_REPLICAS = 500;

export interface ReconcilerParts {
  readonly sets: Lister<ReplicaSet>;
  readonly pods: Lister<Pod>;
  readonly expectations: Expectations;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly profile: Profile;
  readonly kind: SetKind;
  /** Called when a set has asked for pods or given some up. */
  readonly onExpecting: (key: ObjectKey) => void;
}

interface Failure {
  readonly error: unknown;
}

export class ReplicaSetReconciler implements Reconciler {
  readonly name: string;
  readonly kind: string;
  readonly #parts: ReconcilerParts;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.name = parts.kind.name;
    this.kind = parts.kind.kind;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { sets, expectations } = this.#parts;
    const set = sets.get(key);
    if (set === undefined) {
      expectations.forget(key);
      return { type: 'settled' };
    }
    // Asked before the pods are looked at: what is seen in between is looked at too.
    const mayAct = expectations.areMet(key) && set.metadata.deletionTimestamp === undefined;
    const { active, terminating } = await this.#podsOf(set, turn);
    const failure = mayAct ? await this.#manage(set, active, turn) : undefined;
    const status = await this.#writeStatus({ set, active, terminating, failure }, turn);
    if (failure !== undefined) throw failure.error;
    return this.#nextLook(set, active, status);
  }

  /** Adopts orphans, lets go what is no longer selected. Only active pods are claimed. */
  async #podsOf(
    set: ReplicaSet,
    { cluster }: Turn,
  ): Promise<{ readonly active: readonly Pod[]; readonly terminating: readonly Pod[] | undefined }> {
    const { pods, profile } = this.#parts;
    const { uid, namespace } = set.metadata;
    const matcher = labelMatcherOf(set.spec.selector ?? undefined);
    const all = [...pods.by('controller', uid), ...pods.by('controller', orphansOf(namespace))];
    const isSelected = ({ metadata }: Pod): boolean => matcher.matches(metadata.labels);
    const active = await claimControlled({
      cluster,
      controller: set,
      controllerResource: ReplicaSets,
      resource: Pods,
      objects: all.filter(isPodActive),
      isWanted: isSelected,
    });
    const terminating = all.filter((pod) => isPodTerminating(pod) && isControlledBy(pod, set) && isSelected(pod));
    return { active, terminating: profile.countsTerminating ? terminating : undefined };
  }

  /** Makes or deletes what is missing or too much; a failure is told in the status and then tried again. */
  async #manage(set: ReplicaSet, active: readonly Pod[], turn: Turn): Promise<Failure | undefined> {
    const difference = active.length - (set.spec.replicas ?? 1);
    const control = new PodControl(set, turn.cluster, this.#parts.recorder.via(turn.cluster));
    if (difference < 0) return this.#create(set, Math.min(-difference, BURST_REPLICAS), control);
    if (difference > 0) return this.#delete(set, active, Math.min(difference, BURST_REPLICAS), control);
    return undefined;
  }

  async #create(set: ReplicaSet, count: number, control: PodControl): Promise<Failure | undefined> {
    const { expectations, onExpecting } = this.#parts;
    const key = keyOf(set);
    expectations.expectCreations(key, count);
    onExpecting(key);
    const { succeeded, failures } = await inSlowStart(Array.from({ length: count }), () => control.create());
    for (let skipped = count - succeeded; skipped > 0; skipped--) expectations.creationObserved(key);
    return failures.length === 0 ? undefined : { error: failures[0] };
  }

  async #delete(
    set: ReplicaSet,
    active: readonly Pod[],
    count: number,
    control: PodControl,
  ): Promise<Failure | undefined> {
    const { expectations, onExpecting, clock } = this.#parts;
    const key = keyOf(set);
    const pods = decideDeletions({ pods: active, related: this.#relatedPods(set), count, now: clock.now() });
    expectations.expectDeletions(key, pods.map(keyOf));
    onExpecting(key);
    const settled = await Promise.allSettled(
      pods.map(async (pod) => {
        if (!(await control.delete(pod))) expectations.deletionObserved(key, keyOf(pod));
      }),
    );
    const failures = settled.flatMap((each, index): Failure[] => {
      if (each.status === 'fulfilled') return [];
      const pod = pods[index];
      if (pod !== undefined) expectations.deletionObserved(key, keyOf(pod));
      return [{ error: each.reason }];
    });
    return failures[0];
  }

  /** The pods of all sets that the same owner controls: the old and new ones of a Deployment. */
  *#relatedPods(set: ReplicaSet): Iterable<Pod> {
    const { sets, pods } = this.#parts;
    const owner = controllerOf(set);
    if (owner === undefined) return;
    for (const { metadata } of sets.by('controller', owner.uid)) yield* pods.by('controller', metadata.uid);
  }

  async #writeStatus(
    facts: {
      readonly set: ReplicaSet;
      readonly active: readonly Pod[];
      readonly terminating: readonly Pod[] | undefined;
      readonly failure: Failure | undefined;
    },
    turn: Turn,
  ): Promise<ReplicaSetStatus> {
    const { set, active, terminating, failure } = facts;
    const text = failure === undefined ? undefined : messageOf(failure.error);
    const status = statusOf({ set, active, terminating, failure: text, now: this.#parts.clock.now() });
    if (isNews(set, status)) {
      await turn.cluster.update(ReplicaSets, { ...set, status }, { subresource: 'status' });
    }
    return status;
  }

  /** Time makes a ready pod available, and no event tells of it. */
  #nextLook(set: ReplicaSet, active: readonly Pod[], status: ReplicaSetStatus): Outcome {
    const { minReadySeconds = 0 } = set.spec;
    if (minReadySeconds === 0 || status.readyReplicas === status.availableReplicas) return { type: 'settled' };
    const after =
      nextAvailabilityAfter(active, minReadySeconds, this.#parts.clock.now()) ?? minReadySeconds * SECOND_MS;
    return { type: 'requeue', after, waitingFor: 'ready pods to become available' };
  }
}
