// Every change the server shows, taken into the scheduler's picture of the cluster and told to waiting pods.
// kubernetes:pkg/scheduler/eventhandlers.go
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Change } from '../../runtime/informer.ts';
import type { SchedulerInformers } from './cluster-view.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { Nominator } from './nominations.ts';
import type { PlacementCache } from './placement.ts';
import type { SchedulingQueue } from './scheduling-queue.ts';

export interface ChangeHandlersOptions {
  readonly informers: SchedulerInformers;
  readonly placement: PlacementCache;
  readonly nominator: Nominator;
  readonly queue: SchedulingQueue;
  readonly schedulerName: string;
}

export function subscribeToChanges(options: ChangeHandlersOptions): void {
  const { informers, queue } = options;
  const handlers = new PodHandlers(options);
  informers.pods.subscribe((change, reason) => handlers.onPod(change, reason));
  informers.nodes.subscribe((change, reason) => onNode(options, change, reason));
  const tell = <T>(eventOf: (change: Change<T>) => ClusterEvent | undefined) => {
    return (change: Change<T>, reason: Reason): void => {
      const event = eventOf(change);
      if (event !== undefined) queue.react(event, reason);
    };
  };
  informers.claims.subscribe(
    tell(({ type, object: claim }) => (type === 'deleted' ? undefined : { type: `claim-${type}`, claim })),
  );
  informers.volumes.subscribe(
    tell((change) => {
      if (change.type === 'deleted') return undefined;
      const { object: volume } = change;
      if (change.type === 'added') return { type: 'volume-added', volume };
      return { type: 'volume-updated', before: change.before, volume };
    }),
  );
  informers.classes.subscribe(
    tell((change) => {
      if (change.type === 'deleted') return undefined;
      const { object: storageClass } = change;
      if (change.type === 'added') return { type: 'class-added', storageClass };
      return { type: 'class-updated', before: change.before, storageClass };
    }),
  );
  informers.csiNodes.subscribe(
    tell((change) => {
      if (change.type === 'deleted') return undefined;
      if (change.type === 'added') return { type: 'csinode-added' };
      return { type: 'csinode-updated', before: change.before, csiNode: change.object };
    }),
  );
  informers.csiDrivers.subscribe(
    tell((change) =>
      change.type === 'updated'
        ? { type: 'csidriver-updated', before: change.before, csiDriver: change.object }
        : undefined,
    ),
  );
  informers.capacities.subscribe(
    tell((change) => {
      if (change.type === 'deleted') return undefined;
      if (change.type === 'added') return { type: 'capacity-added' };
      return { type: 'capacity-updated', before: change.before, capacity: change.object };
    }),
  );
  informers.attachments.subscribe(
    tell(({ type }) => (type === 'deleted' ? { type: 'attachment-deleted' } : undefined)),
  );
}

function onNode({ placement, queue }: ChangeHandlersOptions, change: Change<Node>, reason: Reason): void {
  const { object: node } = change;
  switch (change.type) {
    case 'added':
      placement.setNode(node);
      queue.react({ type: 'node-added', node }, reason);
      return;
    case 'updated':
      placement.setNode(node);
      queue.react({ type: 'node-updated', before: change.before, node }, reason);
      return;
    case 'deleted':
      placement.removeNode(node.metadata.name);
      queue.react({ type: 'node-deleted', node }, reason);
  }
}

const isAssigned = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '';

class PodHandlers {
  readonly #placement: PlacementCache;
  readonly #nominator: Nominator;
  readonly #queue: SchedulingQueue;
  readonly #schedulerName: string;

  constructor({ placement, nominator, queue, schedulerName }: ChangeHandlersOptions) {
    this.#placement = placement;
    this.#nominator = nominator;
    this.#queue = queue;
    this.#schedulerName = schedulerName;
  }

  onPod(change: Change<Pod>, reason: Reason): void {
    const { object: pod } = change;
    switch (change.type) {
      case 'added':
        if (isAssigned(pod)) this.#placed(pod, reason);
        else if (this.#isOurs(pod)) this.#waits(pod, reason);
        return;
      case 'updated':
        this.#updated(change.before, pod, reason);
        return;
      case 'deleted':
        if (isAssigned(pod)) this.#removed(pod, reason);
        else if (this.#isOurs(pod)) this.#gone(pod, reason);
    }
  }

  #isOurs(pod: Pod): boolean {
    return (pod.spec.schedulerName ?? 'default-scheduler') === this.#schedulerName;
  }

  #placed(pod: Pod, reason: Reason): void {
    this.#placement.setPod(pod);
    this.#queue.react({ type: 'pod-added', pod }, reason);
  }

  #removed(pod: Pod, reason: Reason): void {
    this.#placement.removePod(keyOf(pod));
    this.#queue.react({ type: 'pod-deleted', pod }, reason);
  }

  #waits(pod: Pod, reason: Reason): void {
    this.#nominator.update(pod);
    this.#queue.add(pod, reason);
  }

  #updated(before: Pod, pod: Pod, reason: Reason): void {
    if (isAssigned(before)) {
      this.#placement.setPod(pod);
      this.#queue.react({ type: 'pod-updated', before, pod }, reason);
    } else if (isAssigned(pod)) {
      this.#placed(pod, reason);
      this.#nominator.delete(keyOf(pod));
      this.#queue.delete(keyOf(pod));
    } else if (this.#isOurs(pod)) this.#changed(before, pod, reason);
  }

  /** A pod that is being bound is not waiting any more; if it is being deleted, its place is free at once. */
  #changed(before: Pod, pod: Pod, reason: Reason): void {
    const assumed = this.#placement.assumed(keyOf(pod));
    if (assumed !== undefined) {
      const isLeaving = pod.metadata.deletionTimestamp !== undefined && before.metadata.deletionTimestamp === undefined;
      if (isLeaving) this.#forget(assumed, reason);
      return;
    }
    this.#nominator.update(pod);
    this.#queue.update(before, pod, reason);
    const nominated = before.status.nominatedNodeName ?? '';
    if (nominated !== '' && nominated !== (pod.status.nominatedNodeName ?? '')) {
      this.#queue.react({ type: 'pod-deleted', pod: before }, reason);
    }
  }

  #gone(pod: Pod, reason: Reason): void {
    this.#queue.delete(keyOf(pod));
    this.#nominator.delete(keyOf(pod));
    const assumed = this.#placement.assumed(keyOf(pod));
    if (assumed !== undefined) this.#forget(assumed, reason);
    else if ((pod.status.nominatedNodeName ?? '') !== '') this.#queue.react({ type: 'pod-deleted', pod }, reason);
  }

  #forget(assumed: Pod, reason: Reason): void {
    this.#placement.forget(keyOf(assumed));
    this.#queue.react({ type: 'pod-deleted', pod: assumed }, reason);
  }
}
