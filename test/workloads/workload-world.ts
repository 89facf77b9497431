// A server in virtual time, the workload controllers that a test starts, and a node agent that the test can hold: pods
// become Running and Ready when it says so, and go when they are deleted unless their node is dead.
import type { DurationMs } from '../../src/base/clock.ts';
import { timestamp } from '../../src/base/clock.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { type KubeObject, keyOf } from '../../src/kube/object.ts';
import { isPodReady } from '../../src/kube/pod-readiness.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import type { Component } from '../../src/runtime/component.ts';
import { startController, trigger } from '../../src/runtime/controller.ts';
import { informerSet } from '../../src/runtime/informer-factory.ts';
import { mortal } from '../../src/worlds/mortal.ts';
import { StorageWorld, type StorageWorldOptions } from '../persistentvolume/storage-world.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

/** What the nodes do with the pods on them; a test may change it at any time. */
export interface Nodes {
  /** Pods that stay Pending, by name or image. */
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
  /** Starts a component as a process of its own; the answer kills it, in the middle of whatever it does. */
  start(component: Component): () => void;
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
    start: (component) => {
      const life = lifetime();
      const stop = world.start({
        name: component.name,
        start: (context) => component.start({ ...context, cluster: mortal(context.cluster, life.signal) }),
      });
      return () => {
        life.abort();
        stop();
        world.access.dropWatches(component.name);
      };
    },
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
  const isSlow = ({ metadata, spec }: Pod): boolean =>
    slow.has(metadata.name) || spec.containers.some(({ image }) => image !== undefined && slow.has(image));
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
          } else if (pod.status.phase === 'Pending' && !isSlow(pod)) {
            // By the version it saw: a pod that has ended meanwhile never runs again.
            const status = { ...pod.status, ...readyStatus(context.clock.now()) };
            await context.cluster.update(Pods, { ...pod, status }, { subresource: 'status' });
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

/** The component, which misses every change of the objects that `isMissed` names. */
export const deaf = (component: Component, isMissed: (object: KubeObject) => boolean): Component => ({
  name: component.name,
  start: (context) => {
    const { cluster } = context;
    const watch: Cluster['watch'] = (resource, options, sink) =>
      cluster.watch(resource, options, {
        event: (event) => {
          if (!('object' in event) || !isMissed(event.object)) sink.event(event);
        },
        closed: (cause) => sink.closed(cause),
      });
    component.start({ ...context, cluster: { ...refusing(cluster, () => undefined), watch } });
  },
});

/** Why a request to make an object of this kind fails now; undefined if it does not. */
export type Refuse = (plural: string) => Error | undefined;

/** The component, with a server that refuses to make what `refuse` says. */
export const refused = (component: Component, refuse: Refuse): Component => ({
  name: component.name,
  start: (context) => component.start({ ...context, cluster: refusing(context.cluster, refuse) }),
});

function refusing(cluster: Cluster, refuse: Refuse): Cluster {
  return {
    get: (resource, key) => cluster.get(resource, key),
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options, sink) => cluster.watch(resource, options, sink),
    create: async (resource, draft, options) => {
      const error = refuse(resource.plural);
      if (error !== undefined) throw error;
      return await cluster.create(resource, draft, options);
    },
    update: (resource, object, options) => cluster.update(resource, object, options),
    patch: (resource, key, patch, options) => cluster.patch(resource, key, patch, options),
    post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
    delete: (resource, key, options) => cluster.delete(resource, key, options),
    deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
    because: (reason) => refusing(cluster.because(reason), refuse),
  };
}
