// One pass over one set: replicas first, then the condemned, then the update, each only if what comes before lets it.
// The status is written whatever happened. kubernetes:pkg/controller/statefulset/stateful_set_control.go
import { unreachable } from '../../base/assert.ts';
import type { InstantMs } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf } from '../../kube/object.ts';
import { inSlowStart } from '../../kube/slow-start.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import {
  type MemberFacts,
  decideCondemned,
  decideReplica,
  decideUpdate,
  isParallel,
  unavailableMaxOf,
} from './decide-member.ts';
import { type Members, type Replica, firstUnavailable, membersOf } from './members.ts';
import type { OwnWrites } from './own-writes.ts';
import type { PodControl } from './pod-control.ts';
import { memberOf, revisionOf } from './pod-identity.ts';
import type { Profile } from './profile.ts';
import { templateOf } from './revision.ts';
import type { RevisionsInForce } from './revision-history.ts';
import { type ComputedStatus, completed, isNews, statusOf } from './status.ts';

/** Requests at once for a Parallel set. kubernetes:pkg/controller/statefulset/stateful_set_control.go */
const BATCH_SIZE_MAX = 500;

export interface SetPass {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly revisions: RevisionsInForce;
  readonly now: InstantMs;
  readonly profile: Profile;
  /** Gate MaxUnavailableStatefulSet. */
  readonly honoursMaxUnavailable: boolean;
  readonly control: PodControl;
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly ownWrites: OwnWrites;
}

export interface SetResult {
  readonly status: ComputedStatus;
  readonly waitingFor?: string;
}

/** What one step over one member came to: a set in order ends its pass here, or goes on. */
type Step = { readonly ends: false } | { readonly ends: true; readonly waitingFor?: string };
const GO_ON: Step = { ends: false };

export async function syncSet(pass: SetPass): Promise<SetResult> {
  const { current, update } = pass.revisions;
  const revisions = {
    current: { name: current.metadata.name, template: templateOf(current) },
    update: { name: update.metadata.name, template: templateOf(update) },
  };
  const members = membersOf(pass.set, pass.pods, revisions, pass.profile);
  const steps = new MemberSteps(pass, members);
  const outcome = await steps.run();
  const status = await writeStatus(pass, members, steps.updated);
  if (outcome.failure !== undefined) throw outcome.failure.error;
  return outcome.waitingFor === undefined ? { status } : { status, waitingFor: outcome.waitingFor };
}

interface Ran {
  readonly waitingFor?: string;
  readonly failure?: { readonly error: unknown };
}

class MemberSteps {
  readonly #pass: SetPass;
  readonly #members: Members;
  readonly #facts: MemberFacts;
  /** Pods that were deleted for the update; the status of this pass no longer counts them as current. */
  readonly updated: Pod[] = [];
  /** What the first member of this pass waits for. */
  #waitingFor: string | undefined;

  constructor(pass: SetPass, members: Members) {
    const { set, now, profile } = pass;
    this.#pass = pass;
    this.#members = members;
    this.#facts = { set, now, profile, firstUnavailable: firstUnavailable(set, members, now) };
  }

  async run(): Promise<Ran> {
    try {
      await this.#runAll();
      return this.#waitingFor === undefined ? {} : { waitingFor: this.#waitingFor };
    } catch (error) {
      return { failure: { error } };
    }
  }

  async #runAll(): Promise<void> {
    const { set, control } = this.#pass;
    const { replicas, condemned } = this.#members;
    if (set.metadata.deletionTimestamp !== undefined) return;
    if (await this.#overAll(replicas, (replica) => this.#replica(replica))) return;
    const fixed = await this.#overAll(condemned, async (pod) => {
      await control.maintainOwners(pod);
      return GO_ON;
    });
    if (fixed) return;
    if (await this.#overAll(condemned, (pod) => this.#condemned(pod))) return;
    await this.#update();
  }

  /** True if the pass ends here. A Parallel set looks at all members, whatever one of them waits for. */
  async #overAll<T>(items: readonly T[], step: (item: T) => Promise<Step>): Promise<boolean> {
    if (isParallel(this.#pass.set)) {
      const { failures } = await inSlowStart(items, async (item) => this.#note(await step(item)), BATCH_SIZE_MAX);
      if (failures.length > 0) throw failures[0];
      return false;
    }
    for (const item of items) {
      const ended = await step(item);
      this.#note(ended);
      if (ended.ends) return true;
    }
    return false;
  }

  #note(step: Step): void {
    if (step.ends) this.#waitingFor ??= step.waitingFor;
  }

  async #replica(replica: Replica): Promise<Step> {
    const { control } = this.#pass;
    const decision = decideReplica(replica, this.#facts);
    switch (decision.type) {
      case 'delete':
        this.#announce(decision.pod);
        await control.delete(decision.pod);
        return { ends: true, waitingFor: `pod ${replica.name} to be gone` };
      case 'create':
        return this.#create(replica);
      case 'wait':
        if (decision.ensuresClaims && replica.made) await control.ensureClaims(memberOf(replica.pod));
        return { ends: true, waitingFor: decision.for };
      case 'maintain':
        if (decision.ensuresClaims) await control.ensureClaims(memberOf(decision.pod));
        await control.maintain(decision.pod);
        return GO_ON;
      default:
        return unreachable(decision);
    }
  }

  async #create(replica: Replica): Promise<Step> {
    const { control } = this.#pass;
    if (replica.made) return GO_ON;
    if (control.hasStaleClaim(replica)) {
      return { ends: true, waitingFor: `claims of an earlier pod ${replica.name} to be gone` };
    }
    await control.create(replica, replica.draft);
    return { ends: true };
  }

  async #condemned(pod: Pod): Promise<Step> {
    const decision = decideCondemned(pod, this.#facts);
    switch (decision.type) {
      case 'delete':
        await this.#pass.control.delete(pod);
        return { ends: true };
      case 'wait':
        return { ends: true, waitingFor: decision.for };
      case 'pass':
        return GO_ON;
      default:
        return unreachable(decision);
    }
  }

  async #update(): Promise<void> {
    const { set, now, revisions, honoursMaxUnavailable, control } = this.#pass;
    const { pods, waitingFor } = decideUpdate(this.#members, {
      set,
      now,
      updateRevision: revisions.update.metadata.name,
      unavailableMax: honoursMaxUnavailable ? unavailableMaxOf(set) : 1,
    });
    this.#waitingFor ??= waitingFor;
    for (const pod of pods) {
      await control.delete(pod);
      this.updated.push(pod);
    }
  }

  /** Older versions say so before they delete a pod that ended. */
  #announce({ metadata, status }: Pod): void {
    const { set, profile, recorder } = this.#pass;
    const text = (how: string): string => `StatefulSet ${keyOf(set)} is recreating ${how} Pod ${metadata.name}`;
    if (status.phase === 'Failed' && profile.announcesFailed) {
      recorder.event(set, 'Warning', 'RecreatingFailedPod', text('failed'));
    }
    if (status.phase === 'Succeeded' && profile.announcesSucceeded) {
      recorder.event(set, 'Normal', 'RecreatingTerminatedPod', text('terminated'));
    }
  }
}

/** A set that is being deleted counts every pod it manages, others only members. */
async function writeStatus(pass: SetPass, members: Members, updated: readonly Pod[]): Promise<ComputedStatus> {
  const { set, revisions, now, cluster, ownWrites } = pass;
  const currentRevision = revisions.current.metadata.name;
  const isLeaving = set.metadata.deletionTimestamp !== undefined;
  const made = members.replicas.flatMap((each) => (each.made ? [each.pod] : []));
  const counted = statusOf({
    set,
    pods: isLeaving ? pass.pods : [...made, ...members.condemned],
    currentRevision,
    updateRevision: revisions.update.metadata.name,
    collisionCount: revisions.collisionCount,
    now,
  });
  // Upstream subtracts every such pod, also one of a revision in between, and then has a count below zero refused.
  const leaving = updated.filter((pod) => revisionOf(pod) === currentRevision).length;
  const status = completed(set, { ...counted, currentReplicas: counted.currentReplicas - leaving });
  if (!isNews(set, status)) return status;
  // What this controller does not count (conditions) is not kept, as upstream.
  const written = await cluster.update(StatefulSets, { ...set, status }, { subresource: 'status' });
  ownWrites.wrote(keyOf(set), 'StatefulSet', written.metadata.resourceVersion);
  return status;
}
