// Keeps one pod of each DaemonSet on every node that it is meant for. The scheduler places them: a pod names its node by an
// affinity. What may happen at any moment: nodes come, go and are tainted, and the template changes in the middle of a rollout.
// kubernetes:pkg/controller/daemon/daemon_controller.go
import { type ObjectKey, keyFrom, keyOf } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import { DaemonSets } from '../../kube/resources/daemon-set.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { orderedJson } from '../../kube/content-hash.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import type { Change } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { DaemonSetReconciler, NAME } from './sync-daemons.ts';

/** kubernetes:pkg/controller/daemon/config/v1alpha1/defaults.go (`--concurrent-daemonset-syncs`) */
const WORKERS = 2;

export function daemonSetController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const sets = informers.of(DaemonSets);
  const nodes = informers.of(Nodes);
  const recorder = new EventRecorder({ ...context, component: NAME });
  startController({
    reconciler: new DaemonSetReconciler({ sets, nodes, clock: context.clock, recorder }),
    triggers: [
      trigger(sets, ({ object }) => [keyOf(object)]),
      trigger(informers.of(Pods), ({ object }) => ownerOf(object)),
      // Every set may want a pod on a new node; heartbeats change nothing that a set asks for.
      trigger(nodes, (change) => (isNews(change) ? [...sets.all()].map(keyOf) : [])),
    ],
    workers: WORKERS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

function ownerOf(pod: Pod): readonly ObjectKey[] {
  const owner = controllerOf(pod);
  return owner?.kind === DaemonSets.kind ? [keyFrom(pod.metadata.namespace, owner.name)] : [];
}

function isNews(change: Change<Node>): boolean {
  if (change.type !== 'updated') return true;
  const asked = ({ metadata, spec }: Node): string => orderedJson([metadata.labels, spec.taints]);
  return asked(change.before) !== asked(change.object);
}
