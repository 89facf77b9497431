import { Leases } from '../../kube/resources/lease.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { LEASE_NAMESPACE } from './lease-guard.ts';
import { NodeMonitor } from './monitor.ts';
import { NoExecuteTainter } from './no-execute.ts';
import { startNodeUpdates } from './node-updates.ts';
import { NodeWrites } from './node-writes.ts';
import { PodReadiness, startPodUpdates } from './pod-readiness.ts';
import { EVENT_COMPONENT } from './reasons.ts';
import { type NodeLifecycleSettings, type ResolvedSettings, resolve } from './settings.ts';

export function nodeLifecycleController(settings: NodeLifecycleSettings = {}): Component {
  const resolved = resolve(settings);
  return { name: 'node-lifecycle-controller', start: (context) => startAll(context, resolved) };
}

function startAll(context: ComponentContext, settings: ResolvedSettings): void {
  const informers = new InformerFactory(context);
  const nodes = informers.of(Nodes);
  const pods = informers.of(Pods, { node: nodeOf });
  const leases = informers.of(Leases, {}, { namespace: LEASE_NAMESPACE });
  const writes = new NodeWrites(context);
  const recorder = new EventRecorder({ ...context, component: EVENT_COMPONENT });
  const readiness = new PodReadiness(context, recorder);
  const tainter = new NoExecuteTainter(context, nodes, writes);
  const monitor = new NodeMonitor({ context, settings, nodes, leases, pods, writes, tainter, readiness, recorder });
  const waitFor = [informers];
  startNodeUpdates({ context, nodes, writes, waitFor });
  const lastReadyStatus = (node: string): string | undefined => monitor.lastReadyStatus(node);
  startPodUpdates({ context, pods, nodes, readiness, waitFor, lastReadyStatus });
  const startLoops = async (): Promise<void> => {
    await informers.whenSynced(context.signal);
    tainter.start();
    monitor.start();
  };
  supervise('node-lifecycle-controller', startLoops(), context.log);
  informers.start();
}

const nodeOf = ({ spec }: Pod): readonly string[] => (spec.nodeName === undefined ? [] : [spec.nodeName]);
