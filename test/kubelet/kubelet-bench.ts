// One or more kubelets in virtual time against the in-process server, with drivers, mounters and containers in memory.
import { AssertionFailure } from '../../src/base/assert.ts';
import { SECOND_MS } from '../../src/base/clock.ts';
import { type Random, SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { ApiServer, type Commit } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import type { NodeCapability } from '../../src/csi/driver.ts';
import { StatusError } from '../../src/kube/api-error.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import type { Event } from '../../src/kube/resources/event.ts';
import { type Node, Nodes } from '../../src/kube/resources/node.ts';
import { kubelet } from '../../src/kubelet/kubelet.ts';
import type { KubeletOptions } from '../../src/kubelet/kubelet-options.ts';
import { MemoryMounter } from '../../src/kubelet/mounter/memory/memory.ts';
import { PluginTable } from '../../src/kubelet/pluginwatcher/plugin-table.ts';
import { MemoryRuntime } from '../../src/kubelet/podworkers/memory-runtime.ts';
import type { Component } from '../../src/runtime/component.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { mortal } from '../../src/worlds/mortal.ts';
import { type CallRecord, ScriptedDriver, type ScriptedDriverOptions } from './scripted-driver.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

const STARTS_AT = Date.UTC(2026, 0, 1);
export const ROOT = '/var/lib/kubelet';

const TOKEN = { status: { token: '<jwt>', expirationTimestamp: '2026-01-01T01:00:00Z' } };

export interface BenchNode {
  readonly name: string;
  readonly mounter: MemoryMounter;
  readonly runtime: MemoryRuntime;
  readonly plugins: PluginTable;
  readonly counts: Map<string, number>;
  readonly component: Component;
  life: AbortController | undefined;
  /** Requests of this kubelet fail while it is set. */
  isCutOff: boolean;
}

export interface EventRecord {
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  /** Seconds of each count. */
  readonly seen: number[];
}

export class KubeletBench {
  readonly clock = new SteppedClock(STARTS_AT);
  readonly random: Random;
  readonly server: ApiServer;
  readonly access: LocalClusterAccess;
  readonly timeline = new RecordedTimeline();
  readonly calls: CallRecord[] = [];
  readonly drivers = new Map<string, ScriptedDriver>();
  readonly nodes = new Map<string, BenchNode>();
  readonly commits: (Commit & { readonly at: number })[] = [];
  readonly lines: string[] = [];
  /** Milliseconds from the start of the bench to the zero of its times. */
  zeroMs: number;
  #bug: AssertionFailure | undefined;

  constructor(options: { readonly random?: Random; readonly zeroMs?: number } = {}) {
    this.random = options.random ?? new SeededRandom('bench');
    this.zeroMs = options.zeroMs ?? 0;
    this.server = new ApiServer({
      clock: this.clock,
      random: this.random.fork('apiserver'),
      store: new ObjectStore(),
      strategies: defaultStrategies(),
      onCommit: (commit) => void this.commits.push({ ...commit, at: this.now }),
    });
    this.server.bootstrap();
    this.access = new LocalClusterAccess({ server: this.server, clock: this.clock });
  }

  /** Seconds. */
  get now(): number {
    return (this.clock.monotonic() - this.zeroMs) / SECOND_MS;
  }

  get cluster(): Cluster {
    return this.access.as('test');
  }

  addDriver(
    name: string,
    options: Partial<ScriptedDriverOptions> & { readonly capabilities: readonly NodeCapability[] },
  ): ScriptedDriver {
    const driver = new ScriptedDriver({
      name,
      clock: this.clock,
      zero: () => STARTS_AT + this.zeroMs,
      calls: this.calls,
      mounterOf: (node) => this.node(node).mounter,
      sourceOf: (volumeId, node) => `${node}:${volumeId}`,
      ...options,
    });
    this.drivers.set(name, driver);
    return driver;
  }

  addNode(name: string, options: Partial<KubeletOptions> & { readonly sharedMounter?: MemoryMounter } = {}): BenchNode {
    const { sharedMounter, ...rest } = options;
    const mounter = sharedMounter ?? new MemoryMounter();
    const { behaviourOf } = options;
    const runtime = new MemoryRuntime({
      clock: this.clock,
      random: this.random,
      ...(behaviourOf === undefined ? {} : { behaviourOf }),
    });
    const plugins = new PluginTable();
    const counts = new Map<string, number>();
    const component = kubelet({
      nodeName: name,
      labels: {},
      taints: [],
      capacity: { cpu: '8', memory: '16Gi', pods: '110' },
      profile: '1.36.3',
      driverOf: (driver) => (this.#dead.has(`${driver}@${name}`) ? undefined : this.drivers.get(driver)?.driver),
      plugins,
      mounter,
      runtime,
      rootDirectory: ROOT,
      observer: { counted: (metric) => void counts.set(metric, (counts.get(metric) ?? 0) + 1) },
      ...rest,
    });
    const node = { name, mounter, runtime, plugins, counts, component, life: undefined, isCutOff: false };
    this.nodes.set(name, node);
    return node;
  }

  readonly #dead = new Set<string>();

  /** The process of a driver on a node ends or comes back; its registration is another matter. */
  setDriverAlive(driver: string, node: string, isAlive: boolean): void {
    if (isAlive) this.#dead.delete(`${driver}@${node}`);
    else this.#dead.add(`${driver}@${node}`);
  }

  node(name: string): BenchNode {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }

  register(driver: string, node: string): void {
    const endpoint = `${ROOT}/plugins/${driver}/csi.sock`;
    this.node(node).plugins.appear({ type: 'CSIPlugin', name: driver, endpoint, supportedVersions: ['1.0.0'] });
  }

  start(name: string): void {
    const node = this.node(name);
    const life = lifetime();
    node.life = life;
    node.component.start({
      clock: this.clock,
      random: this.random.fork(name),
      cluster: mortal(this.#reachable(node, this.access.as(`kubelet/${name}`)), life.signal),
      timeline: this.timeline,
      signal: life.signal,
      log: {
        write: (level, message, fields) => {
          this.lines.push(`${this.now.toFixed(2)} ${level} ${message}`);
          if (level === 'error' && fields?.['error'] instanceof AssertionFailure) this.#bug ??= fields['error'];
        },
      },
    });
  }

  stop(name: string): void {
    this.node(name).life?.abort();
    this.access.dropWatches(`kubelet/${name}`);
  }

  setReachable(name: string, isReachable: boolean): void {
    const node = this.node(name);
    node.isCutOff = !isReachable;
    if (!isReachable) this.access.dropWatches(`kubelet/${name}`);
  }

  #reachable(node: BenchNode, inner: Cluster): Cluster {
    const check = (): void => {
      if (node.isCutOff)
        throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message: 'connection refused' });
    };
    // What only reads is asked ten times, a second apart, before its caller hears of it. client-go:rest/with_retry.go
    const patiently = async (): Promise<void> => {
      for (let tries = 0; node.isCutOff && tries < 10; tries++) await this.clock.sleep(SECOND_MS);
      check();
    };
    return {
      get: async (...args) => (await patiently(), inner.get(...args)),
      list: async (...args) => (await patiently(), inner.list(...args)),
      watch: (resource, options, sink) => inner.watch(resource, options, sink),
      create: async (...args) => (check(), inner.create(...args)),
      update: async (...args) => (check(), inner.update(...args)),
      patch: async (...args) => (check(), inner.patch(...args)),
      // The in-process server hands out no tokens.
      post: async <R>(...args: Parameters<Cluster['post']>) => (
        check(),
        args[2] === 'token' ? (TOKEN as R) : inner.post<R>(...args)
      ),
      delete: async (...args) => (check(), inner.delete(...args)),
      deleteCollection: async (...args) => (check(), inner.deleteCollection(...args)),
      because: (reason) => this.#reachable(node, inner.because(reason)),
    };
  }

  /** To seconds after zero. */
  async advanceTo(seconds: number): Promise<void> {
    await this.clock.advanceTo(STARTS_AT + this.zeroMs + Math.round(seconds * SECOND_MS));
    if (this.#bug !== undefined) throw this.#bug;
  }

  /** Calls that change something, of one driver if one is named. */
  mutations(): readonly CallRecord[] {
    return this.calls.filter(({ method }) => !method.startsWith('NodeGet'));
  }

  methods(volume?: string): readonly string[] {
    return this.mutations()
      .filter((call) => volume === undefined || call.volume === volume)
      .map(({ method }) => method);
  }

  timesOf(method: string): readonly number[] {
    return this.calls.filter((call) => call.method === method).map(({ at }) => at);
  }

  /** Events by what they say, each with the times at which it was said. */
  events(): readonly EventRecord[] {
    const found = new Map<string, EventRecord>();
    for (const { after, at } of this.commits) {
      if (after?.kind !== 'Event') continue;
      const { involvedObject, type = '', reason = '', message = '', source } = after as Event;
      const object = `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`;
      const key = [object, type, reason, message, after.metadata.name].join('|');
      const record = found.get(key) ?? { object, type, reason, message, source: source?.component ?? '', seen: [] };
      record.seen.push(at);
      found.set(key, record);
    }
    return [...found.values()];
  }

  async nodeStatus(name: string): Promise<Node['status']> {
    return (await this.cluster.get(Nodes, name)).status;
  }
}
