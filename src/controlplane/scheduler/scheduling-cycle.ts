// One pod after the other: find a node, take it in memory, and leave the slow part, binding volumes and pod, to run beside
// the next pod's turn. kubernetes:pkg/scheduler/schedule_one.go
import { unreachable } from '../../base/assert.ts';
import { Aborted } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Reason } from '../../kube/reason.ts';
import { keyOf } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { messageOf, reportFailure, supervise } from '../../runtime/supervise.ts';
import type { BindingCycle } from './binding-cycle.ts';
import type { ClusterView } from './cluster-view.ts';
import type { FailureHandler } from './failure-handler.ts';
import { type Diagnosis, findNodesThatFit } from './find-nodes.ts';
import { NO_NODES_MESSAGE, fitMessage } from './fit-message.ts';
import type { NodeInfo } from './node-info.ts';
import type { Nominator } from './nominations.ts';
import type { FilterPlugin } from './plugin.ts';
import { type Candidate, decidePreemption } from './preemption.ts';
import type { QueuedPod, SchedulingQueue } from './scheduling-queue.ts';
import { chooseNode } from './score.ts';
import type { ResolvedSettings } from './settings.ts';
import { reserveVolumes } from './volumebinding/reservation.ts';
import { podVolumesOn } from './volumebinding/volume-binding.ts';

export interface SchedulingCycleOptions {
  readonly context: ComponentContext;
  readonly settings: ResolvedSettings;
  readonly queue: SchedulingQueue;
  readonly view: ClusterView;
  readonly nominator: Nominator;
  readonly plugins: readonly FilterPlugin[];
  readonly random: Random;
  readonly failures: FailureHandler;
  readonly bindings: BindingCycle;
  /** Removes the victims; the pod comes back by itself once they are gone. */
  readonly preempt: (preemptor: Pod, candidate: Candidate, reason: Reason) => Promise<void>;
}

export class SchedulingCycle {
  readonly #options: SchedulingCycleOptions;

  constructor(options: SchedulingCycleOptions) {
    this.#options = options;
  }

  /** Ends by the signal alone. */
  async run(): Promise<never> {
    const { queue, context } = this.#options;
    for (;;) {
      const queued = await queue.take(context.signal);
      await this.#scheduleOne(queued).catch((error: unknown) => this.#break(queued, error));
      if (context.signal.aborted) throw new Aborted();
    }
  }

  /** A fault of ours in one attempt must not keep the other pods waiting. */
  async #break(queued: QueuedPod, error: unknown): Promise<void> {
    const { context, view, failures } = this.#options;
    if (error instanceof Aborted) throw error;
    reportFailure(`scheduling of ${queued.key}`, error, context.log);
    view.placement.forget(queued.key);
    await failures.fail(queued, { message: messageOf(error), isRefused: false });
  }

  async #scheduleOne(queued: QueuedPod): Promise<void> {
    const { queue, view, failures, plugins, nominator } = this.#options;
    const { pod, key } = queued;
    if (pod.metadata.deletionTimestamp !== undefined) {
      queue.done(key);
      failures.skipDeleting(queued);
      return;
    }
    if (view.placement.assumed(key) !== undefined) return;
    const result = findNodesThatFit({ pod, plugins, cluster: view.snapshot, nominations: nominator });
    switch (result.type) {
      case 'fits':
        return this.#place(queued, chooseNode(pod, result.nodes, this.#options.random));
      case 'unfit':
        return this.#refuse(queued, result.diagnosis);
      case 'no-nodes':
        return failures.fail(queued, { message: NO_NODES_MESSAGE, isRefused: true, nominatedNodeName: '' });
      case 'error':
        return failures.fail(queued, { message: result.message, isRefused: false, nominatedNodeName: '' });
      default:
        return unreachable(result);
    }
  }

  /** From here on the pod counts as placed. Nothing was awaited since the filters ran. */
  async #place(queued: QueuedPod, node: NodeInfo): Promise<void> {
    const { view, nominator, failures, bindings, context } = this.#options;
    const { pod, key } = queued;
    const chosen = podVolumesOn(pod, view.snapshot, node);
    const assumed = view.placement.assume(pod, node.name);
    nominator.delete(key);
    const reservation = reserveVolumes(chosen, node.name, view.caches);
    if (reservation.type === 'error') {
      view.placement.forget(key);
      const message = `running Reserve plugin "VolumeBinding": ${reservation.message}`;
      return failures.fail(queued, { message, isRefused: false, nominatedNodeName: '' });
    }
    const { volumes } = reservation;
    supervise(`binding of ${key}`, bindings.run({ queued, assumed, node: node.name, volumes }), context.log);
  }

  async #refuse(queued: QueuedPod, diagnosis: Diagnosis): Promise<void> {
    const { rejectedBy } = diagnosis;
    const { suffix, candidate, clears } = this.#postFilter(queued.pod, diagnosis);
    const nominatedNodeName = candidate?.node ?? (clears ? '' : undefined);
    await this.#options.failures.fail(queued, {
      message: fitMessage(diagnosis, suffix),
      isRefused: true,
      rejectedBy,
      ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    });
    if (candidate !== undefined) await this.#options.preempt(queued.pod, candidate, queued.reason);
  }

  /** What is tried to make room, and what is said of it. Success says nothing. */
  #postFilter(pod: Pod, diagnosis: Diagnosis): PostFilter {
    const { view, plugins, settings } = this.#options;
    const { hasDynamicResources } = settings.profile;
    // The plugin for dynamic resources reads what its own PreFilter would have written, had it been reached.
    if (hasDynamicResources && diagnosis.preFilter !== undefined) return { suffix: 'not found', clears: false };
    const isSpared = (other: Pod): boolean => view.placement.assumed(keyOf(other)) !== undefined;
    const preemption = decidePreemption({ pod, plugins, cluster: view.snapshot, diagnosis, isSpared });
    if (preemption.type === 'preempt') return { suffix: '', candidate: preemption.candidate, clears: false };
    const deallocation = hasDynamicResources ? 'no new claims to deallocate, ' : '';
    return { suffix: `${deallocation}preemption: ${preemption.message}`, clears: preemption.clears };
  }
}

interface PostFilter {
  readonly suffix: string;
  readonly candidate?: Candidate;
  readonly clears: boolean;
}
