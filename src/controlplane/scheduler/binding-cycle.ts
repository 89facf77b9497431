// From a chosen node to a bound pod. Many run at once. A failure here never means that the pod does not fit: it is tried
// again after a back-off, and what was assumed for it is taken back.
// kubernetes:pkg/scheduler/schedule_one.go#bindingCycle
import { AssertionFailure } from '../../base/assert.ts';
import { Aborted } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { SeriesRecorder } from '../../runtime/recorder.ts';
import { messageOf, reportFailure } from '../../runtime/supervise.ts';
import type { ClusterView } from './cluster-view.ts';
import type { FailureHandler } from './failure-handler.ts';
import { scheduled } from './reasons.ts';
import type { QueuedPod, SchedulingQueue } from './scheduling-queue.ts';
import type { ResolvedSettings } from './settings.ts';
import { bindVolumes } from './volumebinding/bind-volumes.ts';
import type { PodVolumes } from './volumebinding/pod-volumes.ts';
import { releaseVolumes } from './volumebinding/reservation.ts';

export interface Placed {
  readonly queued: QueuedPod;
  /** The pod as it will be, with its node. */
  readonly assumed: Pod;
  readonly node: string;
  readonly volumes: PodVolumes;
}

export interface BindingCycleOptions {
  readonly context: ComponentContext;
  readonly settings: ResolvedSettings;
  readonly view: ClusterView;
  readonly queue: SchedulingQueue;
  readonly recorder: SeriesRecorder;
  readonly failures: FailureHandler;
}

export class BindingCycle {
  readonly #options: BindingCycleOptions;

  constructor(options: BindingCycleOptions) {
    this.#options = options;
  }

  async run(placed: Placed): Promise<void> {
    const { context, queue, recorder } = this.#options;
    const { queued, assumed, node } = placed;
    const cluster = context.cluster.because(queued.reason);
    const failure = await this.#bind(placed, cluster);
    if (context.signal.aborted) throw new Aborted();
    if (failure !== undefined) return this.#giveUp(placed, failure);
    queue.done(queued.key);
    recorder.via(cluster).event(assumed, scheduled(assumed, node));
  }

  /** Says what went wrong. A fault of ours is reported, and the pod is tried again like after any other failure. */
  async #bind(placed: Placed, cluster: Cluster): Promise<string | undefined> {
    const { queued, assumed, node } = placed;
    try {
      return (await this.#preBind(placed, cluster)) ?? (await bindPod(cluster, assumed, node));
    } catch (error) {
      if (error instanceof Aborted) throw error;
      reportFailure(`binding of ${queued.key}`, error, this.#options.context.log);
      return messageOf(error);
    }
  }

  async #preBind({ queued, assumed, node, volumes }: Placed, cluster: Cluster): Promise<string | undefined> {
    const { context, settings, view, failures } = this.#options;
    if (volumes.bindings.length + volumes.provisions.length === 0) return undefined;
    if (settings.profile.nominatesWhileBinding) {
      await failures.patchStatus(queued.pod, queued.reason, { nominatedNodeName: node });
    }
    const failure = await bindVolumes({
      pod: assumed,
      node,
      volumes,
      cluster,
      caches: view.caches,
      server: view.server,
      clock: context.clock,
      timeoutMs: settings.bindTimeoutMs,
      signal: context.signal,
      onWait: (waitingFor) => this.#recordWait(queued, waitingFor),
    });
    return failure === undefined ? undefined : `running PreBind plugin "VolumeBinding": ${failure}`;
  }

  /** The place is free again, which may help other pods. */
  async #giveUp({ queued, assumed, volumes }: Placed, message: string): Promise<void> {
    const { view, queue, failures } = this.#options;
    releaseVolumes(volumes, view.caches);
    view.placement.forget(queued.key);
    queue.react({ type: 'pod-deleted', pod: assumed }, queued.reason);
    await failures.fail(queued, { message, isRefused: false, nominatedNodeName: '' });
  }

  #recordWait({ key, reason }: QueuedPod, waitingFor: string): void {
    const { clock, timeline } = this.#options.context;
    timeline.record({
      at: clock.now(),
      actor: this.#options.settings.schedulerName,
      verb: 'waits',
      kind: 'Pod',
      key,
      detail: waitingFor,
      because: reason.entry,
    });
  }
}

async function bindPod(cluster: Cluster, pod: Pod, node: string): Promise<string | undefined> {
  const { namespace, name, uid } = pod.metadata;
  try {
    await cluster.post(Pods, `${namespace ?? ''}/${name}`, 'binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { kind: 'Node', name: node },
    });
    return undefined;
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    return `running Bind plugin "DefaultBinder": ${messageOf(error)}`;
  }
}
