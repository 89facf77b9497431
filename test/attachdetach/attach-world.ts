// A server, virtual time, a memory driver, the attach/detach controller and the attacher. There is no kubelet: a test
// says itself what nodes have in use. Times are told from the start of the world.
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { type DurationMs, SECOND_MS, timestamp } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { attachDetachController } from '../../src/controlplane/attachdetach/attachdetach.ts';
import type { AttachDetachSettings } from '../../src/controlplane/attachdetach/settings.ts';
import type { MemoryDriverConfig } from '../../src/csi/drivers/memory/config.ts';
import { type MemoryDriver, memoryDriver } from '../../src/csi/drivers/memory/memory.ts';
import { enforceDeadlines } from '../../src/csi/enforce-deadlines.ts';
import { type Around, wrapDriver } from '../../src/csi/wrap-driver.ts';
import type { Cluster, Draft } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { CSIDrivers } from '../../src/kube/resources/csi-driver.ts';
import { CSINodes } from '../../src/kube/resources/csi-node.ts';
import { type Event, Events } from '../../src/kube/resources/event.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolumeSpec, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import type { Component } from '../../src/runtime/component.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { attacher } from '../../src/sidecars/attacher/attacher.ts';
import type { AttacherSettings } from '../../src/sidecars/attacher/settings.ts';
import { attachmentName } from '../../src/volume/attachment-name.ts';
import { uniqueVolumeName } from '../../src/volume/volume-name.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

export const DRIVER = 'disk.test';
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const NODE_NAMES = ['a', 'b', 'c'];
const VOLUME_NAMES = ['v', 'w', 'x'];

/** Throws to refuse a request of the controller: `patch nodes a`. */
export type Refuse = (request: string) => void;

export interface AttachWorldOptions {
  readonly settings?: AttachDetachSettings;
  readonly attacher?: Partial<AttacherSettings>;
  readonly driver?: Partial<MemoryDriverConfig>;
  readonly around?: Around;
  readonly refuse?: Refuse;
  readonly requestMs?: DurationMs;
  readonly watchMs?: DurationMs;
  /** Hears of every write. */
  readonly onWrite?: (before: KubeObject | undefined, after: KubeObject | undefined) => void;
}

export interface NodeParts {
  readonly ready?: 'True' | 'False' | 'Unknown' | 'absent';
  readonly managed?: boolean;
  readonly inUse?: readonly string[];
  readonly attached?: readonly string[];
  readonly outOfService?: boolean;
}

/** The unique name of the volume that a test calls `v`. */
export const uniqueNameOf = (volume: string): string => uniqueVolumeName({ driver: DRIVER, handle: `vol-${volume}` });
export const attachmentOf = (volume: string, node: string): string =>
  attachmentName({ driver: DRIVER, handle: `vol-${volume}`, node });

export class AttachWorld {
  readonly clock = new SteppedClock(Date.UTC(2026, 0, 1));
  readonly timeline = new RecordedTimeline();
  readonly user: Cluster;
  readonly driver: MemoryDriver;
  readonly logged: string[] = [];
  /** `ControllerPublishVolume v a`, with the second it was asked in. */
  readonly calls: { readonly at: number; readonly text: string }[] = [];
  /** `create volumeattachments v a` and the like, of all but the user, without Events. */
  readonly writes: { readonly at: number; readonly actor: string; readonly text: string }[] = [];
  readonly #options: AttachWorldOptions;
  readonly #access: LocalClusterAccess;
  readonly #random = new SeededRandom('attach-world');

  constructor(options: AttachWorldOptions = {}) {
    this.#options = options;
    const { requestMs = 0, watchMs = 0 } = options;
    const server = new ApiServer({
      clock: this.clock,
      random: this.#random.fork('server'),
      store: new ObjectStore(),
      strategies: defaultStrategies(),
      onCommit: ({ user, verb, resource, key, subresource, before, after, reason, revision }) => {
        options.onWrite?.(before, after);
        const about = { at: this.clock.now(), actor: user, verb, kind: resource.kind, key };
        this.timeline.record({ ...about, resourceVersion: String(revision), because: reason?.entry ?? null });
        if (user === 'user' || user === 'system:apiserver' || resource.plural === 'events') return;
        const parts = [verb, resource.plural, this.#short(key), ...(subresource === undefined ? [] : [subresource])];
        this.writes.push({ at: this.seconds, actor: user, text: parts.join(' ') });
      },
    });
    server.bootstrap();
    const latency = {
      request: (actor: string) => (actor === 'user' ? 0 : requestMs),
      watch: () => watchMs,
    };
    this.#access = new LocalClusterAccess({ server, clock: this.clock, latency });
    this.user = this.#access.as('user');
    const config = {
      name: DRIVER,
      nodes: NODE_NAMES,
      volumes: VOLUME_NAMES.map((name) => ({ volumeId: `vol-${name}`, capacity: '1Gi' })),
      ...options.driver,
    };
    this.driver = memoryDriver(config, { clock: this.clock, random: this.#random.fork('driver') });
  }

  get seconds(): number {
    return this.clock.monotonic() / SECOND_MS;
  }

  /** Starts the controller; the answer kills it. */
  startController(settings: AttachDetachSettings = this.#options.settings ?? {}): () => void {
    return this.#start(attachDetachController(settings), this.#options.refuse);
  }

  startAttacher(): () => void {
    const { around = (_call, proceed) => proceed(), attacher: settings = {} } = this.#options;
    const recorded = wrapDriver(enforceDeadlines(wrapDriver(this.driver, around), this.clock), (call, proceed) => {
      const { volumeId, nodeId } = call.request as { readonly volumeId?: string; readonly nodeId?: string };
      if (volumeId !== undefined) this.#called(`${call.rpc} ${volumeId.replace('vol-', '')} ${nodeId ?? ''}`);
      return proceed();
    });
    return this.#start(attacher({ driver: recorded, settings }));
  }

  /** Both, and the time they need to know everything. */
  async startBoth(): Promise<void> {
    this.startController();
    this.startAttacher();
    await this.wait(0.2);
  }

  async wait(seconds: number): Promise<void> {
    await this.clock.advanceTo(this.clock.now() + Math.round(seconds * SECOND_MS));
  }

  async node(name: string, parts: NodeParts = {}): Promise<void> {
    const { managed = true, inUse = [], attached = [], outOfService = false, ready = 'True' } = parts;
    await this.user.create(Nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, ...(managed ? { annotations: { [MANAGED]: 'true' } } : {}) },
      ...(outOfService ? { spec: { taints: [OUT_OF_SERVICE] } } : {}),
      status: {
        conditions: ready === 'absent' ? [] : [{ type: 'Ready', status: ready }],
        volumesInUse: inUse.map(uniqueNameOf),
        volumesAttached: attached.map((volume) => ({ name: uniqueNameOf(volume), devicePath: '' })),
      },
    });
    await this.user.create(CSINodes, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
      spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: [] }] },
    });
  }

  /** A kubelet speaks: its list of volumes in use, and its readiness. */
  async says(name: string, says: { readonly inUse?: readonly string[]; readonly ready?: string }): Promise<void> {
    const { inUse, ready } = says;
    const heartbeat = { type: 'Ready', lastHeartbeatTime: timestamp(this.clock.now()) };
    const status = {
      ...(inUse === undefined ? {} : { volumesInUse: inUse.length === 0 ? null : inUse.map(uniqueNameOf) }),
      conditions: [{ ...heartbeat, ...(ready === undefined ? {} : { status: ready }) }],
    };
    await this.user.patch(Nodes, name, { type: 'strategic', body: { status } }, { subresource: 'status' });
  }

  async taint(name: string, key: string): Promise<void> {
    const spec = { taints: [{ key, effect: 'NoExecute' }] };
    await this.user.patch(Nodes, name, { type: 'merge', body: { spec } });
  }

  async deleteNode(name: string): Promise<void> {
    await this.user.delete(Nodes, name);
  }

  async csiDriver(attachRequired: boolean): Promise<void> {
    const draft = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { attachRequired },
    } as const;
    await this.user.create(CSIDrivers, draft);
  }

  /** A PersistentVolume and the claim of the same name that it is bound to. */
  async volume(
    name: string,
    modes: readonly string[] = ['ReadWriteOnce'],
    source: Partial<PersistentVolumeSpec> = { csi: { driver: DRIVER, volumeHandle: `vol-${name}` } },
  ): Promise<void> {
    const claim = await this.user.create(PersistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: { accessModes: modes, resources: { requests: { storage: '1Gi' } }, volumeName: name },
    });
    await this.user.create(PersistentVolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, finalizers: ['kubernetes.io/pv-protection'] },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: modes,
        persistentVolumeReclaimPolicy: 'Retain',
        ...source,
        claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
      },
    });
    await this.user.update(PersistentVolumeClaims, { ...claim, status: { phase: 'Bound' } }, { subresource: 'status' });
  }

  /** A pod with a running container. */
  async pod(name: string, node: string, volumes: readonly string[]): Promise<Pod> {
    const draft: Draft<Pod> = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: node,
        containers: [{ name: 'main', image: 'pause' }],
        volumes: volumes.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      },
    };
    const pod = await this.user.create(Pods, draft);
    const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
    const status = { name: 'main', image: 'pause', imageID: '', ready: true, restartCount: 0, state, lastState: {} };
    return await this.user.update(
      Pods,
      { ...pod, status: { ...pod.status, phase: 'Running', containerStatuses: [status] } },
      { subresource: 'status' },
    );
  }

  async forceDelete(pod: string): Promise<void> {
    await this.user.delete(Pods, `default/${pod}`, { gracePeriodSeconds: 0 });
  }

  async terminate(pod: string): Promise<void> {
    await this.user.delete(Pods, `default/${pod}`);
  }

  async attach(volume: string, node: string, status: object = {}): Promise<void> {
    const name = attachmentOf(volume, node);
    await this.user.create(VolumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: node, source: { persistentVolumeName: volume } },
    });
    await this.user.patch(VolumeAttachments, name, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  /** `v a attached deleting`, by volume and node. */
  async attachments(): Promise<readonly string[]> {
    const { items } = await this.user.list(VolumeAttachments);
    return items
      .map(({ metadata, spec, status }) => {
        const marks = [status.attached ? 'attached' : '', metadata.deletionTimestamp === undefined ? '' : 'deleting'];
        return [spec.source.persistentVolumeName, spec.nodeName, ...marks].filter((part) => part !== '').join(' ');
      })
      .toSorted();
  }

  /** What the Node lists as attached, in the words of the test. */
  async reported(node: string): Promise<readonly string[]> {
    const { status } = await this.user.get(Nodes, node);
    return (status.volumesAttached ?? []).map(({ name }) => name.replace(uniqueNameOf(''), '')).toSorted();
  }

  /** `p Warning FailedAttachVolume x1: text` */
  async events(): Promise<readonly string[]> {
    const { items } = await this.user.list(Events);
    return items.map(eventText).toSorted();
  }

  callsOf(rpc: 'ControllerPublishVolume' | 'ControllerUnpublishVolume'): readonly string[] {
    return this.calls.filter(({ text }) => text.startsWith(`${rpc} `)).map(({ text }) => text.slice(rpc.length + 1));
  }

  /** When something was first written or asked after an instant; undefined if it never was. */
  when(text: string, from = 0): number | undefined {
    return [...this.writes, ...this.calls].find((each) => each.text === text && each.at >= from)?.at;
  }

  /** `timeout`, `out-of-service`, in order. */
  get forced(): readonly string[] {
    return [...this.timeline.entries()]
      .filter(({ verb }) => verb === 'force-detaches')
      .map(({ detail = '' }) => detail.slice(0, detail.indexOf(':')));
  }

  #called(text: string): void {
    this.calls.push({ at: this.seconds, text });
  }

  /** The name of an attachment is a hash that nobody can read. */
  #short(key: string): string {
    for (const volume of VOLUME_NAMES) {
      for (const node of NODE_NAMES) if (key === attachmentOf(volume, node)) return `${volume} ${node}`;
    }
    return key;
  }

  #start(component: Component, refuse?: Refuse): () => void {
    const stop = lifetime();
    const log: Log = { write: (level, message) => void this.logged.push(`${level} ${message}`) };
    const cluster = this.#access.as(component.name);
    component.start({
      clock: this.clock,
      random: this.#random.fork(component.name),
      cluster: refuse === undefined ? cluster : refusing(cluster, refuse),
      timeline: this.timeline,
      log,
      signal: stop.signal,
    });
    return () => {
      stop.abort();
      this.#access.dropWatches(component.name);
    };
  }
}

const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };

function eventText(event: Event): string {
  const { name = '' } = event.involvedObject;
  return `${name} ${event.type ?? ''} ${event.reason ?? ''} x${event.count ?? 1}: ${event.message ?? ''}`;
}

function refusing(cluster: Cluster, refuse: Refuse): Cluster {
  return {
    get: async (resource, key) => {
      refuse(`get ${resource.plural} ${key}`);
      return await cluster.get(resource, key);
    },
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options, sink) => cluster.watch(resource, options, sink),
    create: async (resource, draft, options) => {
      refuse(`create ${resource.plural}`);
      return await cluster.create(resource, draft, options);
    },
    update: (resource, object, options) => cluster.update(resource, object, options),
    patch: async (resource, key, patch, options) => {
      refuse(`patch ${resource.plural} ${key}`);
      return await cluster.patch(resource, key, patch, options);
    },
    post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
    delete: async (resource, key, options) => {
      refuse(`delete ${resource.plural} ${key}`);
      return await cluster.delete(resource, key, options);
    },
    deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
    because: (reason) => refusing(cluster.because(reason), refuse),
  };
}
