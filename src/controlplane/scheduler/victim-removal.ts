// kubernetes:pkg/scheduler/framework/preemption/executor.go
import { timestamp } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { SeriesRecorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { statusPatch } from './pod-condition.ts';
import type { Candidate } from './preemption.ts';
import { preempted } from './reasons.ts';

export interface VictimRemovalOptions {
  readonly context: ComponentContext;
  readonly recorder: SeriesRecorder;
  readonly schedulerName: string;
}

export class VictimRemoval {
  readonly #options: VictimRemovalOptions;

  constructor(options: VictimRemovalOptions) {
    this.#options = options;
  }

  /** Every victim is tried; one that cannot be removed is found again by the next attempt of the preemptor. */
  async remove(preemptor: Pod, { node, victims }: Candidate, reason: Reason): Promise<void> {
    const { context, recorder } = this.#options;
    const cluster = context.cluster.because(reason);
    for (const victim of victims) {
      try {
        await this.#removeOne(victim, reason);
        recorder.via(cluster).event(victim, preempted(preemptor, node));
      } catch (error) {
        if (isApiError(error, 'NotFound')) continue;
        context.log.write('warn', `pod ${keyOf(victim)} not preempted: ${messageOf(error)}`, { error });
      }
    }
  }

  async #removeOne(victim: Pod, reason: Reason): Promise<void> {
    const { context, schedulerName } = this.#options;
    const cluster = context.cluster.because(reason);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    };
    const patch = statusPatch(victim, { condition }, timestamp(context.clock.now()));
    if (patch !== undefined) await cluster.patch(Pods, keyOf(victim), patch, { subresource: 'status' });
    await cluster.delete(Pods, keyOf(victim));
  }
}
