// One pass over one DaemonSet. The set and its pods are read from the server and not from a cache: what the last pass did is
// there, so no pass does it again.
import { type Clock, type InstantMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { causeOf, isApiError } from '../../kube/api-error.ts';
import { claimControlled } from '../../kube/controller-claim.ts';
import { orderedJson } from '../../kube/content-hash.ts';
import { foundObject } from '../../kube/found-object.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { nextAvailabilityAfter } from '../../kube/pod-readiness.ts';
import { inSlowStart } from '../../kube/slow-start.ts';
import { ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { type DaemonSet, type DaemonSetStatus, DaemonSets } from '../../kube/resources/daemon-set.ts';
import type { Node } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Outcome, Reconciler, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { newDaemonPod, podsByNode } from './daemon-pods.ts';
import { type DaemonFacts, decideManagement, decideRollout } from './decide-daemons.ts';
import { type Revisions, decideTruncation, syncRevisions } from './revisions.ts';
import { statusOf } from './status.ts';

/** Of the component and of its events. */
export const NAME = 'daemonset-controller';
/** Pods made or deleted in one pass. kubernetes:pkg/controller/daemon/daemon_controller.go */
const BURST_REPLICAS = 250;
/** Between two deletions of pods that ended on one node. kubernetes:cmd/kube-controller-manager/app/apps.go */
const FAILED_BACKOFF_MS = SECOND_MS;
const FAILED_BACKOFF_MS_MAX = 15 * MINUTE_MS;

export interface ReconcilerParts {
  readonly sets: Lister<DaemonSet>;
  readonly nodes: Lister<Node>;
  readonly clock: Clock;
  readonly recorder: Recorder;
}

export class DaemonSetReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = DaemonSets.kind;
  readonly #parts: ReconcilerParts;
  /** When a pod that ended on a node was last deleted, and how long the next one waits, by set and node. */
  readonly #deletions = new Map<string, { readonly at: InstantMs; readonly waitMs: number }>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    if (this.#parts.sets.get(key) === undefined) return { type: 'settled' };
    const set = await foundObject(turn.cluster, DaemonSets, key);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return { type: 'settled' };
    const revisions = await syncRevisions(turn.cluster, set);
    const before = await this.#facts(set, revisions, turn);
    const { create, remove, ended } = decideManagement(before);
    const { due, waitMs } = this.#dueDeletions(set, ended, turn);
    await this.#act(before, { create, remove: [...remove, ...due] }, turn);
    const managed = await this.#facts(set, revisions, turn);
    await this.#act(managed, decideRollout(managed), turn);
    const after = await this.#facts(set, revisions, turn);
    for (const revision of decideTruncation(set, revisions.old, [...after.pods.values()].flat()))
      await turn.cluster.delete(ControllerRevisions, keyOf(revision));
    return this.#report(after, revisions, waitMs, turn);
  }

  async #facts(set: DaemonSet, { hash }: Revisions, { cluster }: Turn): Promise<DaemonFacts> {
    const { namespace = '' } = set.metadata;
    const matcher = labelMatcherOf(set.spec.selector);
    const pods = await claimControlled({
      cluster,
      controller: set,
      controllerResource: DaemonSets,
      resource: Pods,
      objects: (await cluster.list(Pods, { namespace })).items,
      isWanted: ({ metadata }) => !matcher.isEmpty && matcher.matches(metadata.labels),
    });
    return { set, hash, nodes: [...this.#parts.nodes.all()], pods: podsByNode(pods), now: this.#parts.clock.now() };
  }

  /** A pod that ends at once is not made again and again without end. */
  #dueDeletions(
    set: DaemonSet,
    ended: ReadonlyMap<string, Pod>,
    turn: Turn,
  ): { readonly due: readonly Pod[]; readonly waitMs: number | undefined } {
    const now = this.#parts.clock.now();
    const due: Pod[] = [];
    const waits: number[] = [];
    for (const [node, pod] of ended) {
      const key = `${set.metadata.uid}/${set.metadata.generation ?? 0}/${node}`;
      const last = this.#deletions.get(key);
      if (last !== undefined && last.at + last.waitMs > now) {
        waits.push(last.at + last.waitMs - now);
        continue;
      }
      const waitMs = Math.min(last === undefined ? FAILED_BACKOFF_MS : 2 * last.waitMs, FAILED_BACKOFF_MS_MAX);
      this.#deletions.set(key, { at: now, waitMs });
      this.#tellOfEnd(set, pod, node, turn);
      due.push(pod);
    }
    return { due, waitMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  #tellOfEnd(set: DaemonSet, pod: Pod, node: string, { cluster }: Turn): void {
    const recorder = this.#parts.recorder.via(cluster);
    if (pod.status.phase === 'Failed') {
      const text = `Found failed daemon pod ${keyOf(pod)} on node ${node}, will try to kill it`;
      recorder.event(set, 'Warning', 'FailedDaemonPod', text);
      return;
    }
    const text = `Found succeeded daemon pod ${keyOf(pod)} on node ${node}, will try to delete it`;
    recorder.event(set, 'Normal', 'SucceededDaemonPod', text);
  }

  async #act(
    { set, hash }: DaemonFacts,
    { create, remove }: { readonly create: readonly string[]; readonly remove: readonly Pod[] },
    { cluster }: Turn,
  ): Promise<void> {
    const recorder = this.#parts.recorder.via(cluster);
    const { failures } = await inSlowStart(create.slice(0, BURST_REPLICAS), async (node) => {
      try {
        const pod = await cluster.create(Pods, newDaemonPod(set, node, hash));
        recorder.event(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        if (causeOf(error, 'NamespaceTerminating') !== undefined) return;
        recorder.event(set, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
        throw error;
      }
    });
    for (const pod of remove.slice(0, BURST_REPLICAS)) {
      try {
        await cluster.delete(Pods, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
        recorder.event(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #report(
    facts: DaemonFacts,
    { collisionCount }: Revisions,
    waitMs: number | undefined,
    turn: Turn,
  ): Promise<Outcome> {
    const { set } = facts;
    const status = statusOf(facts, collisionCount);
    if (!isSame(status, set.status))
      await turn.cluster.update(DaemonSets, { ...set, status }, { subresource: 'status' });
    const { minReadySeconds = 0 } = set.spec;
    const pods = [...facts.pods.values()].flat();
    const readyMs = minReadySeconds === 0 ? undefined : nextAvailabilityAfter(pods, minReadySeconds, facts.now);
    const waits = [waitMs, readyMs].filter((each) => each !== undefined);
    if (waits.length === 0) return { type: 'settled' };
    return { type: 'requeue', after: Math.min(...waits), waitingFor: 'pods to become available, or to be replaced' };
  }
}

const isSame = (left: DaemonSetStatus, right: DaemonSetStatus): boolean => orderedJson(left) === orderedJson(right);
