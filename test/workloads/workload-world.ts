// A server in virtual time, the workload controllers that a test starts, and a node agent that the test can hold: pods
// become Running and Ready when it says so, and go when they are deleted unless their node is dead.
import type { DurationMs } from '../../src/base/clock.ts';
import { timestamp } from '../../src/base/clock.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import { keyOf } from '../../src/kube/object.ts';
import { isPodReady } from '../../src/kube/pod-readiness.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import type { Component } from '../../src/runtime/component.ts';
import { startController, trigger } from '../../src/runtime/controller.ts';
import { informerSet } from '../../src/runtime/informer-factory.ts';
import { StorageWorld, type StorageWorldOptions } from '../persistentvolume/storage-world.ts';

/** What the nodes do with the pods on them; a test may change it at any time. */
export interface Nodes {
  /** Pods that stay Pending, by name. */
  readonly slow: Set<string>;
  /** Pods whose node is dead: nothing happens to them any more, by name. */
  readonly dead: Set<string>;
}

export interface WorkloadWorld extends Nodes {
  readonly world: StorageWorld;
  /** `web-0`, in the order of names, with ` deleting` or ` pending` where it applies. */
  pods(): Promise<readonly string[]>;
  pod(name: string): Promise<Pod>;
  /** The node says that the pod is ready now. */
  makeReady(name: string): Promise<void>;
  end(name: string, phase: 'Failed' | 'Succeeded'): Promise<void>;
  claims(): Promise<readonly string[]>;
  wait(ms: DurationMs): Promise<void>;
}

export async function workloadWorld(
  components: readonly Component[],
  options: StorageWorldOptions = {},
): Promise<WorkloadWorld> {
  const world = new StorageWorld(options);
  const nodes: Nodes = { slow: new Set(), dead: new Set() };
  for (const component of [...components, nodeAgent(nodes)]) world.start(component);
  await world.wait(0);
  const pod = (name: string) => world.user.get(Pods, `default/${name}`);
  const setStatus = async (name: string, status: object): Promise<void> => {
    await world.user.patch(Pods, `default/${name}`, { type: 'merge', body: { status } }, { subresource: 'status' });
  };
  return {
    ...nodes,
    world,
    pod,
    pods: async () => (await world.user.list(Pods)).items.map(shown).toSorted(),
    makeReady: (name) => setStatus(name, readyStatus(world.clock.now())),
    end: (name, phase) => setStatus(name, { phase, conditions: [] }),
    claims: async () => (await world.user.list(PersistentVolumeClaims)).items.map(({ metadata }) => metadata.name),
    wait: (ms) => world.wait(ms),
  };
}

function shown(pod: Pod): string {
  const marks = [pod.metadata.name];
  if (pod.metadata.deletionTimestamp !== undefined) marks.push('deleting');
  if (!isPodReady(pod)) marks.push(pod.status.phase?.toLowerCase() ?? '');
  return marks.join(' ');
}

const readyStatus = (now: number): object => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp(now) }],
});

function nodeAgent({ slow, dead }: Nodes): Component {
  return {
    name: 'node-agent',
    start: (context) => {
      const informers = informerSet(context);
      const pods = informers.of(Pods);
      const reconcile = async (key: string): Promise<{ readonly type: 'settled' }> => {
        const pod = pods.get(key);
        if (pod === undefined || dead.has(pod.metadata.name)) return { type: 'settled' };
        try {
          if (pod.metadata.deletionTimestamp !== undefined) {
            await context.cluster.delete(Pods, key, { gracePeriodSeconds: 0 });
          } else if (pod.status.phase === 'Pending' && !slow.has(pod.metadata.name)) {
            const body = { status: readyStatus(context.clock.now()) };
            await context.cluster.patch(Pods, key, { type: 'merge', body }, { subresource: 'status' });
          }
        } catch (error) {
          if (!isApiError(error, 'NotFound')) throw error;
        }
        return { type: 'settled' };
      };
      startController({
        reconciler: { name: 'node-agent', reconcile },
        triggers: [trigger(pods, ({ object }) => [keyOf(object)])],
        workers: 1,
        context,
        waitFor: [informers],
      });
      informers.start();
    },
  };
}

/** Pods of it are on a node from the start, so that a deletion waits for that node. */
export const podTemplate = (app: string, image = 'pause') => ({
  metadata: { labels: { app } },
  spec: { nodeName: 'n1', containers: [{ name: 'main', image }], terminationGracePeriodSeconds: 30 },
});
