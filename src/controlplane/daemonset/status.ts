// What a set says of its pods. kubernetes:pkg/controller/daemon/daemon_controller.go#updateDaemonSetStatus
import { isPodAvailable, isPodReady } from '../../kube/pod-readiness.ts';
import type { DaemonSetStatus } from '../../kube/resources/daemon-set.ts';
import { isUpdated } from './daemon-pods.ts';
import type { DaemonFacts } from './decide-daemons.ts';
import { decideNodeFit } from './node-fit.ts';

export function statusOf({ set, hash, nodes, pods, now }: DaemonFacts, collisionCount: number): DaemonSetStatus {
  const sums = { desired: 0, current: 0, misplaced: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [pod] = pods.get(node.metadata.name) ?? [];
    if (!decideNodeFit(set, node).shouldRun) {
      if (pod !== undefined) sums.misplaced += 1;
      continue;
    }
    sums.desired += 1;
    if (pod === undefined) continue;
    sums.current += 1;
    if (isPodReady(pod)) sums.ready += 1;
    if (isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)) sums.available += 1;
    if (isUpdated(pod, set, hash)) sums.updated += 1;
  }
  const unavailable = sums.desired - sums.available;
  return {
    currentNumberScheduled: sums.current,
    numberMisscheduled: sums.misplaced,
    desiredNumberScheduled: sums.desired,
    numberReady: sums.ready,
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(sums.updated === 0 ? {} : { updatedNumberScheduled: sums.updated }),
    ...(sums.available === 0 ? {} : { numberAvailable: sums.available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(collisionCount === 0 ? {} : { collisionCount }),
  };
}
