// One pass over one Deployment. It holds the newest that is known of the Deployment and its sets: what one step writes
// the next one builds on. kubernetes:pkg/controller/deployment/{sync,rolling,recreate,progress}.go
import type { InstantMs } from '../../base/clock.ts';
import { annotationOf, withAnnotation } from '../../kube/annotations.ts';
import { causeOf, isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyFrom, keyOf } from '../../kube/object.ts';
import { isControlledBy } from '../../kube/owner-reference.ts';
import { hasPodEnded } from '../../kube/pod-readiness.ts';
import { type Deployment, Deployments } from '../../kube/resources/deployment.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type ReplicaSet, ReplicaSets } from '../../kube/resources/replica-set.ts';
import type { Outcome } from '../../runtime/controller.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { PROGRESSING, type Saying, conditionOf, withSaying } from './conditions.ts';
import { decideCleanup } from './decide-cleanup.ts';
import { type Resize, decideNewSize, decideOldSizes, decideScale, isScalingEvent } from './decide-sizes.ts';
import { newReplicaSet } from './new-replica-set.ts';
import type { Profile } from './profile.ts';
import {
  newSetCreated,
  newSetFailed,
  newSetFound,
  nextProgressCheckAfter,
  pauseSaying,
  progressDeadlineMs,
  withProgress,
} from './progress.ts';
import { type ReplicaSetsOf, activeSets, allSets, sum, tellApart } from './replica-sets.ts';
import { replicasOf } from './rollout-limits.ts';
import {
  REVISION,
  hasReplicasAnnotations,
  maxRevision,
  newSetAnnotations,
  replicasAnnotations,
} from './set-annotations.ts';
import { type ComputedStatus, isComplete, isNews, statusOf } from './status.ts';
import { isSameTemplate } from './template-hash.ts';

export interface PassOptions {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  readonly podsOf: (set: ReplicaSet) => Iterable<Pod>;
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly now: InstantMs;
  readonly profile: Profile;
}

const SETTLED: Outcome = { type: 'settled' };

export class DeploymentPass {
  readonly #options: PassOptions;
  #deployment: Deployment;
  #newSet: ReplicaSet | undefined;
  /** From the oldest to the newest. */
  #oldSets: readonly ReplicaSet[];

  constructor(options: PassOptions) {
    this.#options = options;
    this.#deployment = options.deployment;
    const { newSet, oldSets } = tellApart(options.deployment, options.sets);
    this.#newSet = newSet;
    this.#oldSets = oldSets;
  }

  async run(): Promise<Outcome> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined) {
      await this.#syncRevision();
      return this.#writeStatus();
    }
    const saying = pauseSaying(this.#deployment);
    if (saying !== undefined) await this.#say(saying);
    await this.#syncRevision();
    const isPaused = this.#deployment.spec.paused === true;
    if (isPaused || isScalingEvent(this.#deployment, allSets(this.#sets))) return this.#scale(isPaused);
    return this.#rollOut();
  }

  get #sets(): ReplicaSetsOf {
    return { newSet: this.#newSet, oldSets: this.#oldSets };
  }

  async #scale(isPaused: boolean): Promise<Outcome> {
    for (const resize of decideScale(this.#deployment, this.#sets)) await this.#resize(resize);
    if (isPaused) await this.#cleanUp();
    return this.#writeStatus();
  }

  #rollOut(): Promise<Outcome> {
    const { type } = this.#deployment.spec.strategy;
    if (type === 'RollingUpdate') return this.#rollOutRolling();
    if (type === 'Recreate') return this.#rollOutRecreate();
    throw new Error(`unexpected deployment strategy type: ${type ?? ''}`);
  }

  async #rollOutRolling(): Promise<Outcome> {
    const newSet = this.#newSet ?? (await this.#createNewSet());
    const size = decideNewSize(this.#deployment, this.#oldSets, replicasOf(newSet));
    if (await this.#resize({ name: newSet.metadata.name, replicas: size })) return this.#writeProgress();
    const resizes = decideOldSizes(this.#deployment, newSet, this.#oldSets);
    for (const resize of resizes) await this.#resize(resize);
    if (resizes.length === 0 && isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    return this.#writeProgress();
  }

  /** Nothing new is made before everything old is gone. */
  async #rollOutRecreate(): Promise<Outcome> {
    const active = activeSets(this.#oldSets);
    for (const { metadata } of active) await this.#resize({ name: metadata.name, replicas: 0 });
    if (active.length > 0 || this.#hasOldPods()) return this.#writeProgress();
    const newSet = this.#newSet ?? (await this.#createNewSet());
    await this.#resize({ name: newSet.metadata.name, replicas: replicasOf(this.#deployment) });
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    return this.#writeProgress();
  }

  /** A pod that is being deleted runs until its object is gone; one that has ended does not. */
  #hasOldPods(): boolean {
    if (sum(this.#oldSets, ({ status }) => status.replicas) > 0) return true;
    return this.#oldSets.some((set) => [...this.#options.podsOf(set)].some((pod) => !hasPodEnded(pod)));
  }

  /** The new set has a revision above all others, which is the Deployment's too. */
  async #syncRevision(): Promise<void> {
    if (this.#newSet === undefined) return;
    const newSet = await this.#annotated(this.#newSet);
    this.#newSet = newSet;
    const revised = withAnnotation(this.#deployment, REVISION, annotationOf(newSet, REVISION) ?? '');
    const isUnheardOf =
      progressDeadlineMs(revised) !== undefined && conditionOf(revised.status.conditions, PROGRESSING) === undefined;
    if (isUnheardOf) await this.#say(newSetFound(newSet.metadata.name), revised);
    else if (revised !== this.#deployment) await this.#update(revised);
  }

  async #annotated(set: ReplicaSet): Promise<ReplicaSet> {
    const before = set.metadata.annotations ?? {};
    const annotations = newSetAnnotations(this.#deployment, before, maxRevision(this.#oldSets) + 1n);
    const { minReadySeconds = 0 } = this.#deployment.spec;
    const isSame = Object.entries(annotations).every(([key, value]) => before[key] === value);
    if (isSame && (set.spec.minReadySeconds ?? 0) === minReadySeconds) return set;
    const { minReadySeconds: _before, ...spec } = set.spec;
    return this.#options.cluster.update(ReplicaSets, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...spec, minReadySeconds },
    });
  }

  async #createNewSet(): Promise<ReplicaSet> {
    const { cluster, recorder, profile } = this.#options;
    const draft = newReplicaSet(this.#deployment, this.#oldSets);
    const { name } = draft.metadata;
    const { replicas } = draft.spec;
    let created: ReplicaSet;
    try {
      created = await cluster.create(ReplicaSets, draft);
    } catch (error) {
      const known = await this.#afterRefusal(name, error);
      this.#newSet = known;
      return known;
    }
    this.#newSet = created;
    if (replicas > 0) {
      const text = profile.scaled('up', created.metadata.name, { from: undefined, to: replicas });
      recorder.event(this.#deployment, 'Normal', 'ScalingReplicaSet', text);
    }
    const revised = withAnnotation(this.#deployment, REVISION, annotationOf(created, REVISION) ?? '');
    if (progressDeadlineMs(revised) !== undefined) await this.#say(newSetCreated(created.metadata.name), revised);
    else if (revised !== this.#deployment) await this.#update(revised);
    return created;
  }

  /** The set that was meant, if the cache did not show it yet; otherwise throws, having said why. */
  async #afterRefusal(name: string, error: unknown): Promise<ReplicaSet> {
    const { cluster, recorder } = this.#options;
    if (isApiError(error, 'AlreadyExists')) {
      const there = await cluster.get(ReplicaSets, keyFrom(this.#deployment.metadata.namespace, name));
      const isOurs = isControlledBy(there, this.#deployment);
      if (isOurs && isSameTemplate(there.spec.template, this.#deployment.spec.template)) return there;
      // Another template has the same hash: the next pass makes another name of it.
      const collisionCount = (this.#deployment.status.collisionCount ?? 0) + 1;
      await this.#update({ ...this.#deployment, status: { ...this.#deployment.status, collisionCount } });
      throw error;
    }
    if (causeOf(error, 'NamespaceTerminating') !== undefined) throw error;
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    const saying = newSetFailed(message);
    if (progressDeadlineMs(this.#deployment) !== undefined) await this.#say(saying);
    recorder.event(this.#deployment, 'Warning', saying.reason, message);
    throw error;
  }

  /** True if the size changed. */
  async #resize({ name, replicas, marks = false }: Resize): Promise<boolean> {
    const { cluster, recorder, profile } = this.#options;
    const set = allSets(this.#sets).find(({ metadata }) => metadata.name === name);
    if (set === undefined) return false;
    const from = replicasOf(set);
    const needsMarks = marks && !hasReplicasAnnotations(set, this.#deployment);
    if (from === replicas && !needsMarks) return false;
    const annotations = { ...set.metadata.annotations, ...replicasAnnotations(this.#deployment) };
    const resized = await cluster.update(ReplicaSets, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, replicas },
    });
    this.#replace(resized);
    if (from === replicas) return false;
    const text = profile.scaled(from < replicas ? 'up' : 'down', name, { from, to: replicas });
    recorder.event(this.#deployment, 'Normal', 'ScalingReplicaSet', text);
    return true;
  }

  #replace(set: ReplicaSet): void {
    const isSame = ({ metadata }: ReplicaSet): boolean => metadata.name === set.metadata.name;
    if (this.#newSet !== undefined && isSame(this.#newSet)) this.#newSet = set;
    this.#oldSets = this.#oldSets.map((each) => (isSame(each) ? set : each));
  }

  async #cleanUp(): Promise<void> {
    for (const set of decideCleanup(this.#deployment, this.#oldSets)) {
      try {
        await this.#options.cluster.delete(ReplicaSets, keyOf(set));
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
  }

  async #say(saying: Saying, deployment: Deployment = this.#deployment): Promise<void> {
    const conditions = withSaying(deployment.status.conditions ?? [], saying, this.#options.now);
    await this.#update({ ...deployment, status: { ...deployment.status, conditions } });
  }

  /** A write of the status also writes the annotations: upstream keeps the revision that way. */
  async #update(deployment: Deployment): Promise<void> {
    this.#deployment = await this.#options.cluster.update(Deployments, deployment, { subresource: 'status' });
  }

  #computed(): ComputedStatus {
    const { profile, now } = this.#options;
    return statusOf(this.#deployment, this.#sets, profile, now);
  }

  async #writeStatus(): Promise<Outcome> {
    const status = this.#computed();
    if (isNews(this.#deployment, status)) await this.#update({ ...this.#deployment, status });
    return SETTLED;
  }

  async #writeProgress(): Promise<Outcome> {
    const { now } = this.#options;
    const status = withProgress(this.#deployment, this.#computed(), this.#sets, now);
    if (isNews(this.#deployment, status)) {
      // The change brings the Deployment back, and then there is nothing new.
      await this.#update({ ...this.#deployment, status });
      return SETTLED;
    }
    const after = nextProgressCheckAfter(this.#deployment, status, now);
    if (after === undefined) return SETTLED;
    return { type: 'requeue', after, waitingFor: 'the rollout to make progress' };
  }
}
