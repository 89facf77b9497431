// A server in virtual time with the scheduler beside it, for the tests of this room. Nothing else runs: the test plays
// the controllers.
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import type { Draft } from '../../src/kube/cluster.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { SeriesEvents } from '../../src/kube/resources/series-event.ts';
import type { Component } from '../../src/runtime/component.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { scheduler } from '../../src/controlplane/scheduler/scheduler.ts';
import type { SchedulerSettings } from '../../src/controlplane/scheduler/settings.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

export const STARTS_AT = Date.UTC(2026, 0, 1);

export interface TestWorldOptions {
  readonly settings?: SchedulerSettings;
  readonly nodes?: readonly string[];
}

export async function testWorld({ settings = {}, nodes = ['n1', 'n2', 'n3'] }: TestWorldOptions = {}) {
  const clock = new SteppedClock(STARTS_AT);
  const random = new SeededRandom('scheduler test');
  const server = new ApiServer({ clock, random, store: new ObjectStore(), strategies: defaultStrategies() });
  const access = new LocalClusterAccess({ server, clock });
  const cluster = access.as('tester');
  const timeline = new RecordedTimeline();
  const run = (component: Component): AbortController => {
    const stop = lifetime();
    component.start({
      clock,
      random: random.fork(component.name),
      cluster: access.as(component.name),
      timeline,
      log: silentLog,
      signal: stop.signal,
    });
    return stop;
  };
  const settle = () => clock.advanceTo(clock.now());
  const make = async <T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, status?: object): Promise<T> => {
    const made = await cluster.create(resource, draft);
    if (status === undefined) return made;
    const patch = { type: 'merge', body: { status } } as const;
    const { namespace, name } = made.metadata;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    return cluster.patch(resource, key, patch, { subresource: 'status' });
  };
  for (const name of nodes) {
    const allocatable = { cpu: '4', memory: '8Gi', pods: '20' };
    const labels = { 'kubernetes.io/hostname': name };
    await make(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }, { allocatable });
  }
  const stop = run(scheduler(settings));
  await settle();
  return {
    clock,
    cluster,
    timeline,
    make,
    settle,
    run,
    stop,
    advance: (ms: number) => clock.advanceTo(clock.now() + ms),
    elapsedMs: () => clock.now() - STARTS_AT,
    pod: (name: string) => cluster.get(Pods, `default/${name}`),
    claim: (name: string) => cluster.get(PersistentVolumeClaims, `default/${name}`),
    /** Reason, count and text of every Event about the pod, in the order they were made. */
    events: async (name: string) => {
      const { items } = await cluster.list(SeriesEvents);
      return items
        .filter(({ regarding }) => regarding.name === name)
        .map(({ reason, series, note }) => `${reason} x${series?.count ?? 1}: ${note}`);
    },
  };
}
export type TestWorld = Awaited<ReturnType<typeof testWorld>>;
