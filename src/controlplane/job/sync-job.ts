// One pass over one Job. The Job and its pods are read from the server and not from a cache: what the last pass did is there,
// so no pass does it again.
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { causeOf, isApiError } from '../../kube/api-error.ts';
import { orderedJson } from '../../kube/content-hash.ts';
import { foundObject } from '../../kube/found-object.ts';
import { type ObjectKey, keyOf, splitKey } from '../../kube/object.ts';
import { controllerOf, isControlledBy } from '../../kube/owner-reference.ts';
import { inSlowStart } from '../../kube/slow-start.ts';
import { type Job, type JobStatus, Jobs } from '../../kube/resources/job.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Outcome, Reconciler, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { type JobDecision, type JobEnd, deadlineAfter, decideJob, isFinished } from './decide-job.ts';
import { TRACKING_FINALIZER, hasFailed, hasSucceeded, isTracked, newJobPod, tallyOf } from './job-pods.ts';
import { countedStatus, notedStatus, suspensionChange } from './status.ts';

/** Of the component and of its events. */
export const NAME = 'job-controller';
/** Jobs that say so are for another controller. kubernetes:staging/src/k8s.io/api/batch/v1/types.go */
const OWN_NAME = 'kubernetes.io/job-controller';

export interface ReconcilerParts {
  /** Found by the key of the Job that controls them (`job`). */
  readonly pods: Lister<Pod>;
  readonly clock: Clock;
  readonly recorder: Recorder;
}

interface Failure {
  readonly error: unknown;
}

export class JobReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = Jobs.kind;
  readonly #parts: ReconcilerParts;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const job = await foundObject(turn.cluster, Jobs, key);
    const isOurs = job !== undefined && (job.spec.managedBy ?? OWN_NAME) === OWN_NAME;
    if (job === undefined || (isOurs && isFinished(job))) await this.#releaseLeftOvers(key, job, turn);
    if (!isOurs || isFinished(job)) return { type: 'settled' };
    if (job.metadata.deletionTimestamp !== undefined) {
      await this.#release((await podsOf(job, turn)).filter(isTracked), turn);
      return { type: 'settled' };
    }
    return this.#sync(job, turn);
  }

  async #sync(job: Job, turn: Turn): Promise<Outcome> {
    const { clock } = this.#parts;
    const before = await podsOf(job, turn);
    const facts = { job, pods: before, tally: tallyOf(job, before), now: clock.now() };
    const decision = decideJob(facts);
    const failure = await this.#act(job, decision, facts.tally.active, turn);
    const end = decision.type === 'end' ? decision.end : undefined;
    await this.#count(job, end, turn);
    if (failure !== undefined) throw failure.error;
    const waits = [decision.type === 'wait' ? decision.after : undefined, deadlineAfter(job, clock.now())];
    const known = waits.filter((each) => each !== undefined).filter((each) => each > 0);
    if (end !== undefined || known.length === 0) return { type: 'settled' };
    return { type: 'requeue', after: Math.min(...known), waitingFor: 'the next try, or the deadline of the job' };
  }

  async #act(job: Job, decision: JobDecision, active: readonly Pod[], turn: Turn): Promise<Failure | undefined> {
    switch (decision.type) {
      case 'wait':
        return undefined;
      case 'create':
        return this.#create(job, decision.indexes, turn);
      case 'remove':
        // Uncounted: that they end was not their fault.
        await this.#release(decision.pods.filter(isTracked), turn);
        return this.#delete(job, decision.pods, turn);
      case 'end':
        return this.#delete(job, active, turn);
      default:
        return unreachable(decision);
    }
  }

  /** Answers what went wrong, to be tried again when the rest is told. */
  async #create(job: Job, indexes: readonly (number | undefined)[], { cluster }: Turn): Promise<Failure | undefined> {
    const recorder = this.#parts.recorder.via(cluster);
    const { failures } = await inSlowStart(indexes, async (index) => {
      try {
        const pod = await cluster.create(Pods, newJobPod(job, index));
        recorder.event(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        if (causeOf(error, 'NamespaceTerminating') !== undefined) return;
        recorder.event(job, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
        throw error;
      }
    });
    return failures.length === 0 ? undefined : { error: failures[0] };
  }

  async #delete(job: Job, pods: readonly Pod[], { cluster }: Turn): Promise<Failure | undefined> {
    const recorder = this.#parts.recorder.via(cluster);
    for (const pod of pods) {
      try {
        await cluster.delete(Pods, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
        recorder.event(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (!isGone(error)) return { error };
      }
    }
    return undefined;
  }

  /** Notes ended pods, takes their finalizers off, counts them. */
  async #count(job: Job, end: JobEnd | undefined, turn: Turn): Promise<void> {
    const now = this.#parts.clock.now();
    const pods = await podsOf(job, turn);
    const tally = tallyOf(job, pods);
    const noted = await this.#write(job, notedStatus({ job, pods, tally, end, now }), turn);
    const change = suspensionChange(job.status.conditions, noted.status.conditions);
    if (change !== undefined)
      this.#parts.recorder.via(turn.cluster).event(job, 'Normal', change, `Job ${change.toLowerCase()}`);
    const released = pods.filter(
      (pod) => isTracked(pod) && (end !== undefined || hasSucceeded(pod) || hasFailed(pod, job)),
    );
    await this.#release(released, turn);
    const tracked = new Set(
      pods.filter((pod) => isTracked(pod) && !released.includes(pod)).map(({ metadata }) => metadata.uid),
    );
    const counted = await this.#write(noted, countedStatus(noted.status, tracked, end, now), turn);
    if (isFinished(counted) && end !== undefined) this.#tellOfEnd(counted, end, turn);
  }

  #tellOfEnd(job: Job, { type, reason, message }: JobEnd, { cluster }: Turn): void {
    const recorder = this.#parts.recorder.via(cluster);
    if (type === 'Complete') recorder.event(job, 'Normal', 'Completed', 'Job completed');
    else recorder.event(job, 'Warning', reason, message);
  }

  async #write(job: Job, status: JobStatus, { cluster }: Turn): Promise<Job> {
    if (orderedJson(status) === orderedJson(job.status)) return job;
    return cluster.update(Jobs, { ...job, status }, { subresource: 'status' });
  }

  /** Pods of a Job that is gone, or has ended without them, would wait for ever to be counted. */
  async #releaseLeftOvers(key: ObjectKey, job: Job | undefined, turn: Turn): Promise<void> {
    const left = [...this.#parts.pods.by('job', key)].filter(isTracked);
    await this.#release(
      left.filter((pod) => job === undefined || isControlledBy(pod, job)),
      turn,
    );
  }

  async #release(pods: readonly Pod[], { cluster }: Turn): Promise<void> {
    for (const { metadata } of pods) {
      const body = { metadata: { uid: metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };
      try {
        await cluster.patch(Pods, keyOf({ metadata }), { type: 'strategic', body });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  }
}

/** The name belongs to nobody, or to another object by now. */
const isGone = (error: unknown): boolean => isApiError(error, 'NotFound') || isApiError(error, 'Conflict');

async function podsOf(job: Job, { cluster }: Turn): Promise<readonly Pod[]> {
  const { namespace = '' } = job.metadata;
  const { items } = await cluster.list(Pods, { namespace });
  return items.filter((pod) => isControlledBy(pod, job));
}

/** Index function: the key of the Job that controls a pod. */
export function jobKeysOf(pod: Pod): readonly ObjectKey[] {
  const owner = controllerOf(pod);
  const { namespace } = splitKey(keyOf(pod));
  return owner?.kind === Jobs.kind ? [`${namespace ?? ''}/${owner.name}`] : [];
}
