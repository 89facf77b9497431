// Makes, changes and deletes the pods of a set, with their claims before them, and tells people about it on the set.
// kubernetes:pkg/controller/statefulset/stateful_pod_control.go
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { type OwnersDecision, decideOwners, isStaleClaim } from './claim-owners.ts';
import type { Replica } from './members.ts';
import type { OwnWrites } from './own-writes.ts';
import {
  type Member,
  claimKeyOf,
  claimsOf,
  hasIdentity,
  hasStorage,
  identityLabels,
  memberOf,
  withStorage,
} from './pod-identity.ts';
import { type Profile, type Verb, capitalised } from './profile.ts';

/** As often as upstream's RetryOnConflict. kubernetes:staging/src/k8s.io/client-go/util/retry */
const OWNER_TRIES_MAX = 5;

export interface PodControlOptions {
  readonly set: StatefulSet;
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly ownWrites: OwnWrites;
  readonly profile: Profile;
}

/** One pass over the pods of one set. */
export class PodControl {
  readonly #options: PodControlOptions;
  readonly #key: ObjectKey;

  constructor(options: PodControlOptions) {
    this.#options = options;
    this.#key = keyOf(options.set);
  }

  /** A member whose claim is about to be deleted with an earlier pod must wait for that. */
  hasStaleClaim({ name, ordinal }: Replica): boolean {
    const member = { name, ordinal, uid: '' };
    const { set, claims } = this.#options;
    return claimsOf(set, ordinal).some((draft) => {
      const claim = claims.get(claimKeyOf(draft));
      return claim !== undefined && isStaleClaim(set, member, claim);
    });
  }

  /** A pod of that name that is there already is an error without an event: the cache will show it. */
  async create({ name, ordinal }: Replica, draft: Draft<Pod>): Promise<void> {
    const member = { name, ordinal, uid: '' };
    const failure = await this.#failureOf('create', name, () => this.#createClaims(member));
    if (failure !== undefined) throw failure.error;
    const refused = await failureOf(() => this.#createPod(draft));
    if (isApiError(refused?.error, 'AlreadyExists')) throw refused?.error;
    const unowned = await this.#failureOf('update', name, () => this.#updateOwners(member));
    if (unowned !== undefined) throw unowned.error;
    this.#tell('create', name, refused);
    if (refused !== undefined) throw refused.error;
  }

  /** NotFound and another pod under the name are as good as done: the one that was meant is gone. */
  async delete(pod: Pod): Promise<void> {
    const { name, uid } = pod.metadata;
    const failure = await failureOf(async () => {
      const left = await this.#options.cluster.delete(Pods, keyOf(pod), { preconditions: { uid } });
      if (left !== undefined) this.#options.ownWrites.wrote(this.#key, 'Pod', left.metadata.resourceVersion);
    });
    const isGone = isApiError(failure?.error, 'NotFound') || isApiError(failure?.error, 'Conflict');
    this.#tell('delete', name, isGone ? undefined : failure);
    if (failure !== undefined && !isGone) throw failure.error;
  }

  /** For a pod that waits: makes the claims that are missing and sets who owns them. */
  async ensureClaims(member: Member): Promise<void> {
    await this.#createClaims(member);
    const failure = await this.#failureOf('update', member.name, () => this.#updateOwners(member));
    if (failure !== undefined) throw failure.error;
  }

  /** Who owns the claims of a pod that is scaled away. */
  async maintainOwners(pod: Pod): Promise<void> {
    if (this.#hasWrongOwners(memberOf(pod))) await this.#updateOwners(memberOf(pod));
  }

  /** Puts identity, volumes and the owners of claims right; mostly they are. */
  async maintain(pod: Pod): Promise<void> {
    const { set } = this.#options;
    const member = memberOf(pod);
    const isRight = hasIdentity(set, pod) && hasStorage(set, pod);
    if (isRight && !this.#hasWrongOwners(member)) return;
    const failure = await this.#failureOf('update', pod.metadata.name, async () => {
      if (!hasStorage(set, pod)) await this.#createClaims(member);
      if (this.#hasWrongOwners(member)) await this.#updateOwners(member);
    });
    if (failure !== undefined) throw failure.error;
    // Upstream writes the pod again even if only its claims were wrong; the server sees no change then.
    const written = await failureOf(() => this.#updatePod(pod, member.ordinal));
    // A conflict is no news: the next pass reads the pod anew.
    if (isApiError(written?.error, 'Conflict')) throw written?.error;
    this.#tell('update', pod.metadata.name, written);
    if (written !== undefined) throw written.error;
  }

  async #createPod(draft: Draft<Pod>): Promise<void> {
    const pod = await this.#options.cluster.create(Pods, draft);
    this.#options.ownWrites.wrote(this.#key, 'Pod', pod.metadata.resourceVersion);
  }

  async #updatePod(pod: Pod, ordinal: number): Promise<void> {
    const { set, cluster, ownWrites, profile } = this.#options;
    const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal, profile) };
    const volumes = hasStorage(set, pod) ? pod.spec.volumes : withStorage(set, ordinal, pod.spec.volumes ?? []);
    const written = await cluster.update(Pods, {
      ...pod,
      metadata: { ...pod.metadata, labels },
      spec: { ...pod.spec, ...(volumes === undefined ? {} : { volumes }) },
    });
    ownWrites.wrote(this.#key, 'Pod', written.metadata.resourceVersion);
  }

  /** All are tried; what failed is told together. */
  async #createClaims({ name, ordinal }: Member): Promise<void> {
    const failures: Error[] = [];
    for (const draft of claimsOf(this.#options.set, ordinal)) {
      const failure = await this.#createClaim(draft, name);
      if (failure !== undefined) failures.push(failure);
    }
    const [first, ...others] = failures;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    throw new Error(`[${failures.map(messageOf).join(', ')}]`, { cause: first });
  }

  async #createClaim(draft: Draft<PersistentVolumeClaim>, podName: string): Promise<Error | undefined> {
    const { cluster, claims, ownWrites } = this.#options;
    const claimName = draft.metadata.name ?? '';
    const there = claims.get(claimKeyOf(draft));
    if (there !== undefined) {
      const isLeaving = there.metadata.deletionTimestamp !== undefined;
      return isLeaving ? new Error(`pvc ${claimName} is being deleted`) : undefined;
    }
    const failure = await failureOf(async () => {
      const claim = await cluster.create(PersistentVolumeClaims, draft);
      ownWrites.wrote(this.#key, 'PersistentVolumeClaim', claim.metadata.resourceVersion);
    });
    if (!isApiError(failure?.error, 'AlreadyExists')) this.#tellOfClaim(claimName, podName, failure);
    if (failure === undefined) return undefined;
    return new Error(`failed to create PVC ${claimName}: ${messageOf(failure.error)}`, { cause: failure.error });
  }

  #claimsThere({ ordinal }: Member): readonly PersistentVolumeClaim[] {
    const { set, claims } = this.#options;
    return claimsOf(set, ordinal).flatMap((draft) => claims.get(claimKeyOf(draft)) ?? []);
  }

  #hasWrongOwners(member: Member): boolean {
    const { set } = this.#options;
    return this.#claimsThere(member).some((claim) => {
      const { add, remove } = decideOwners(set, member, claim);
      return add.length > 0 || remove.length > 0;
    });
  }

  async #updateOwners(member: Member): Promise<void> {
    const { set, recorder } = this.#options;
    for (const claim of this.#claimsThere(member)) {
      const decision = decideOwners(set, member, claim);
      // Upstream's spelling.
      const text = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      if (decision.isConflicting) recorder.event(set, 'Warning', 'ConflictingController', text);
      await this.#writeOwners(claim, decision);
    }
  }

  async #writeOwners(claim: PersistentVolumeClaim, decision: OwnersDecision): Promise<void> {
    if (decision.add.length === 0 && decision.remove.length === 0) return;
    try {
      const written = await this.#updatedOwners(claim, decision);
      this.#options.ownWrites.wrote(this.#key, 'PersistentVolumeClaim', written.metadata.resourceVersion);
    } catch (error) {
      const what = `could not update claim ${claim.metadata.name} for delete policy ownerRefs`;
      throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
    }
  }

  /**
   * Upstream writes the claim as its cache has it, and in a new one the binding writes at the same time: then it has a
   * conflict to tell (FailedUpdate). Here the claim is read and written again before there is anything to tell.
   */
  async #updatedOwners(claim: PersistentVolumeClaim, decision: OwnersDecision): Promise<PersistentVolumeClaim> {
    const { cluster } = this.#options;
    let now = claim;
    for (let tries = 1; ; tries++) {
      const failure = await failureOf(async () => {
        now = await cluster.update(PersistentVolumeClaims, withOwners(now, decision));
      });
      if (failure === undefined) return now;
      if (!isApiError(failure.error, 'Conflict') || tries === OWNER_TRIES_MAX) throw failure.error;
      now = await cluster.get(PersistentVolumeClaims, keyOf(claim));
      if (now.metadata.uid !== claim.metadata.uid) throw failure.error;
    }
  }

  /** Tells of a failure; success is told when the whole step is done. */
  async #failureOf(verb: Verb, podName: string, step: () => Promise<void>): Promise<Failure | undefined> {
    const failure = await failureOf(step);
    if (failure !== undefined) this.#tell(verb, podName, failure);
    return failure;
  }

  #tell(verb: Verb, podName: string, failure: Failure | undefined): void {
    const { set, profile } = this.#options;
    const what = `${profile.verb(verb)} Pod ${podName} in StatefulSet ${set.metadata.name}`;
    this.#event(
      verb,
      failure,
      failure === undefined ? `${what} successful` : `${what} failed error: ${messageOf(failure.error)}`,
    );
  }

  #tellOfClaim(claimName: string, podName: string, failure: Failure | undefined): void {
    const { set, profile } = this.#options;
    const verb = profile.verb('create');
    const where = `Pod ${podName} in StatefulSet ${set.metadata.name}`;
    const text =
      failure === undefined
        ? `${verb} Claim ${claimName} ${where} success`
        : `${verb} Claim ${claimName} for ${where} failed error: ${messageOf(failure.error)}`;
    this.#event('create', failure, text);
  }

  #event(verb: Verb, failure: Failure | undefined, text: string): void {
    const { set, recorder } = this.#options;
    const [type, how] = failure === undefined ? (['Normal', 'Successful'] as const) : (['Warning', 'Failed'] as const);
    recorder.event(set, type, `${how}${capitalised(verb)}`, text);
  }
}

interface Failure {
  readonly error: unknown;
}

async function failureOf(step: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function withOwners(claim: PersistentVolumeClaim, { add, remove }: OwnersDecision): PersistentVolumeClaim {
  const touched = new Set([...remove, ...add.map(({ uid }) => uid)]);
  const others = (claim.metadata.ownerReferences ?? []).filter(({ uid }) => !touched.has(uid));
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: [...others, ...add] } };
}
