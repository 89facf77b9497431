// What becomes of a pod that got no node: back into the queue, an Event, and the reason in its condition.
// kubernetes:pkg/scheduler/schedule_one.go#handleSchedulingFailure
import { timestamp } from '../../base/clock.ts';
import type { Reason } from '../../kube/reason.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { SeriesRecorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { Reader } from './cluster-snapshot.ts';
import type { Nominator } from './nominations.ts';
import type { PluginName } from './plugin.ts';
import { type StatusChange, statusPatch } from './pod-condition.ts';
import { failedScheduling } from './reasons.ts';
import type { QueuedPod, SchedulingQueue } from './scheduling-queue.ts';

export interface FailedAttempt {
  readonly message: string;
  /** Refused by the state of the cluster; otherwise the attempt itself broke. */
  readonly isRefused: boolean;
  readonly rejectedBy?: ReadonlySet<PluginName>;
  /** Empty takes an earlier nomination back, undefined leaves it. */
  readonly nominatedNodeName?: string;
}

export interface FailureHandlerOptions {
  readonly context: ComponentContext;
  readonly pods: Reader<Pod>;
  readonly queue: SchedulingQueue;
  readonly nominator: Nominator;
  readonly recorder: SeriesRecorder;
}

const NO_PLUGINS: ReadonlySet<PluginName> = new Set();

export class FailureHandler {
  readonly #options: FailureHandlerOptions;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  /** The pod is in the queue again before anything is awaited: no change that may help it is missed. */
  async fail(queued: QueuedPod, attempt: FailedAttempt): Promise<void> {
    const { pods, queue, nominator } = this.#options;
    const shown = pods.get(queued.key);
    if (shown !== undefined && shown.metadata.uid !== queued.pod.metadata.uid) return;
    const isWaiting = shown !== undefined && (shown.spec.nodeName ?? '') === '';
    const pod = isWaiting ? shown : queued.pod;
    if (isWaiting) queue.returnFailed(queued.key, pod, { rejectedBy: attempt.rejectedBy ?? NO_PLUGINS });
    else queue.done(queued.key);
    if (isWaiting && attempt.nominatedNodeName !== undefined) nominator.set(pod, attempt.nominatedNodeName);
    this.#record(pod, attempt.message, queued.reason);
    await this.patchStatus(pod, queued.reason, {
      condition: {
        type: 'PodScheduled',
        status: 'False',
        reason: attempt.isRefused ? 'Unschedulable' : 'SchedulerError',
        message: attempt.message,
      },
      ...(attempt.nominatedNodeName === undefined ? {} : { nominatedNodeName: attempt.nominatedNodeName }),
    });
  }

  skipDeleting({ pod, key, reason }: QueuedPod): void {
    this.#record(pod, `skip schedule deleting pod: ${key}`, reason);
  }

  /** A status that cannot be written is only logged: it says nothing that the next attempt would not say again. */
  async patchStatus(pod: Pod, reason: Reason, change: StatusChange): Promise<void> {
    const { context } = this.#options;
    const key: ObjectKey = keyOf(pod);
    const patch = statusPatch(pod, change, timestamp(context.clock.now()));
    if (patch === undefined) return;
    try {
      await context.cluster.because(reason).patch(Pods, key, patch, { subresource: 'status' });
    } catch (error) {
      context.log.write('warn', `status of pod ${key} not updated: ${messageOf(error)}`, { key, error });
    }
  }

  #record(pod: Pod, message: string, reason: Reason): void {
    const { recorder, context } = this.#options;
    recorder.via(context.cluster.because(reason)).event(pod, failedScheduling(message));
  }
}
