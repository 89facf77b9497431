// The volume control plane around a server of our own, on a real clock: every component runs in this process, each through
// a view of the server as its own user, so that it may do what upstream lets it do and no more. Nodes are virtual: their
// mounts and containers are in memory and are lost with the process, as those of machines that lost power.
import type { ApiServer } from '../apiserver/apiserver.ts';
import { MASTERS, type User } from '../apiserver/authorization.ts';
import { LocalClusterAccess } from '../apiserver/local-access.ts';
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import type { Storage } from '../apiserver/storage/storage.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { CsiDriver } from '../csi/driver.ts';
import type { MemoryBackend } from '../csi/drivers/memory/backend.ts';
import { memoryDriver } from '../csi/drivers/memory/memory.ts';
import type { Around } from '../csi/wrap-driver.ts';
import { isApiError } from '../kube/api-error.ts';
import type { ClientLimits, Cluster, ClusterAccess } from '../kube/cluster.ts';
import type { NodeServing } from '../kubelet/kubelet-options.ts';
import { MemoryRuntime } from '../kubelet/podworkers/memory-runtime.ts';
import type { ClaimChanges } from '../kubelet/volumemanager/populator.ts';
import type { Component } from '../runtime/component.ts';
import { messageOf } from '../runtime/supervise.ts';
import { baseObjects } from './base-objects.ts';
import { beginComponent } from './begin-component.ts';
import type { ClusterShape, DriverShape } from './cluster-shape.ts';
import { MANAGER, userOf } from './component-user.ts';
import { type Placed, componentsOf, controllerNames } from './components.ts';
import { layered } from './driver-layers.ts';
import { containerWork } from './container-work.ts';
import { deletableKinds } from './deletable-kinds.ts';
import { knownDisks, reattach } from './embedded-disks.ts';
import { Elections } from './elections.ts';
import { losePower } from './power-loss.ts';
import { type Crashed, ProcessTable } from './process-table.ts';
import { leaseOf } from './program-lease.ts';
import { programView } from './program-view.ts';
import { type Program, Settings } from './settings.ts';
import { type AroundMounterOf, SimulatedMachines } from './simulated-nodes.ts';

export interface EmbeddedWorldOptions {
  readonly shape: ClusterShape;
  readonly server: ApiServer;
  /** What the server answers from. */
  readonly store: ObjectStore;
  /** What makes the writes of the server last; undefined: nothing does. */
  readonly storage: Storage | undefined;
  /** The time of the cluster. */
  readonly clock: Clock;
  readonly random: Random;
  /** The certificates behind the server's own, in PEM. */
  readonly rootCa: string;
  /** Tells kubelets of written claims, so that they need not look. */
  readonly claimChanges: ClaimChanges;
  /** Where a node is asked for itself; undefined: nowhere. */
  readonly servingOf?: (node: string) => NodeServing | undefined;
  readonly log: Log;
  /** Programs work only while they hold their Lease, under this name; undefined: there is nobody else, and nobody asks. */
  readonly candidate?: string | undefined;
  /** Faults: what stands around every driver, every component's view of the server, its clock, and the disks of nodes. */
  readonly aroundDriver?: Around;
  readonly wrapAccess?: (access: ClusterAccess) => ClusterAccess;
  readonly wrapClock?: (clock: Clock, component: string, node: string | undefined) => Clock;
  readonly aroundMounterOf?: AroundMounterOf;
}

/**
 * Who does not wait for the disk. A binding is four writes in a row, and the binder acts on nothing but the server. Others wait: what
 * they wrote must be durable before they call a driver, and on a real cluster it is seen before they write again (a claim before
 * its pod, a pod that failed before it is gone).
 */
const AHEAD: ReadonlySet<string> = new Set(['persistentvolume-controller']);
const SETUP = { name: 'mooring:setup', groups: [MASTERS] };

export interface WorldFigures {
  /** Open at the server, of components and of clients. */
  readonly watches: number;
  /** Of drivers, and how often they are attached. */
  readonly disks: number;
  readonly publications: number;
  /** On all nodes. */
  readonly mounts: number;
  readonly files: number;
  /** That have containers. */
  readonly pods: number;
}

export class EmbeddedWorld {
  readonly #options: EmbeddedWorldOptions;
  readonly #settings: Settings;
  readonly #machines: SimulatedMachines;
  readonly #runtimes = new Map<string, MemoryRuntime>();
  readonly #backends: MemoryBackend[] = [];
  readonly #processes = new ProcessTable((placed, signal) => this.#launch(placed, signal));
  readonly #crashed: Crashed;
  readonly #elections: Elections | undefined;
  /** Ends what runs beside the components. */
  readonly #beside = new AbortController();
  /** Each component has its own, so that its watches end with it although it shares a user with others. */
  readonly #accesses = new Map<string, LocalClusterAccess>();
  readonly #wrapped: ClusterAccess;

  constructor(options: EmbeddedWorldOptions) {
    const { shape, clock, log, random, candidate, wrapAccess, aroundMounterOf } = options;
    this.#options = options;
    this.#settings = new Settings(shape.settings);
    this.#machines = new SimulatedMachines(aroundMounterOf);
    this.#crashed = this.#processes.supervised({ clock, log });
    if (candidate !== undefined)
      this.#elections = new Elections({ clock, random, log, identity: candidate, releases: false });
    const views: ClusterAccess = { as: (component, limits) => this.#view(component, limits) };
    this.#wrapped = wrapAccess?.(views) ?? views;
  }

  /** Makes the drivers and classes of a shape: all of its own for a cluster that begins. What is there stays as it is. */
  async furnish(shape: ClusterShape = this.#options.shape): Promise<void> {
    const { server } = this.#options;
    for (const { resource, object } of baseObjects(shape)) {
      try {
        await server.request({ verb: 'create', resource, namespace: object.metadata.namespace, object }, SETUP);
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      }
    }
  }

  start(): void {
    const { claimChanges, rootCa, servingOf, shape, storage } = this.#options;
    for (const [index, { name }] of shape.nodes.entries()) this.#addRuntime(name, index);
    const around = {
      drivers: shape.drivers.map((each) => this.#driver(each)),
      machines: this.#machines,
      runtimeOf: (node: string) => this.#runtimeOf(node),
      rootCa,
      claimChanges,
      ...(servingOf === undefined ? {} : { servingOf }),
      kinds: deletableKinds(),
    };
    for (const placed of componentsOf(shape, this.#settings, around)) this.#processes.add(placed);
    storage?.onRevoked?.(() => this.#forget());
    this.#processes.launchAll();
  }

  /** What they were answered was taken back: they must not go on with what they have in mind. */
  #forget(): void {
    for (const component of this.#processes.living.filter((name) => AHEAD.has(name))) {
      this.#options.log.write('warn', `${component} starts again: its last writes were not stored`);
      this.kill(component);
      this.revive(component);
    }
  }

  /** When every program works, or somebody else does in its place. What is made from then on is not too early for them. */
  async decided(): Promise<void> {
    await this.#elections?.decided();
  }

  /** Ends every component, as the end of its process does: nothing more is written. */
  stop(): void {
    this.#processes.killAll();
    this.#beside.abort();
  }

  /** A view with all rights, for what must be there before anybody acts. */
  asSetup(): Cluster {
    return this.#viewOf(SETUP);
  }

  /** Starts a component that is none of the cluster's own: no fault reaches it. */
  runBeside(component: Component, user: User): void {
    const { clock, random, log } = this.#options;
    const { signal } = this.#beside;
    const crashed: Crashed = (name, _life, error) => log.write('error', `${name} ended: ${messageOf(error)}`);
    beginComponent(component, { clock, random, cluster: this.#viewOf(user), log, signal, life: signal, crashed });
  }

  // ---- the processes, for faults

  get clock(): Clock {
    return this.#options.clock;
  }

  get server(): ApiServer {
    return this.#options.server;
  }

  get components(): readonly string[] {
    return this.#processes.names;
  }

  get programs(): readonly Program[] {
    return this.#processes.programs;
  }

  nodeOf(component: string): string | undefined {
    return this.#processes.nodeOf(component);
  }

  componentsOn(node: string): readonly string[] {
    return this.#processes.on(node);
  }

  componentsOf(program: Program): readonly string[] {
    return this.#processes.of(program);
  }

  kill(component: string): void {
    this.#processes.kill(component);
    this.dropWatches(component);
  }

  revive(component: string): void {
    this.#processes.revive(component);
  }

  /** Ends its watches, as a lost connection does. */
  dropWatches(component: string): void {
    const placed = this.#processes.placed(component);
    for (const user of [MANAGER, userOf(placed)]) this.#accesses.get(component)?.dropWatches(user.name);
  }

  loseMounts(node: string): void {
    losePower({ node, machines: this.#machines, runtime: this.#runtimes.get(node), backends: this.#backends });
  }

  /** What the cluster holds beside its objects. */
  get figures(): WorldFigures {
    const disks = this.#backends.flatMap((backend) => [...backend.volumes()]);
    return {
      watches: this.#options.server.watchCount,
      disks: disks.length,
      publications: disks.reduce((sum, { publications }) => sum + publications.size, 0),
      ...this.#machines.contents,
      pods: [...this.#runtimes.values()].reduce((sum, runtime) => sum + [...runtime.pods()].length, 0),
    };
  }

  // ---- how a component comes to run

  #launch(placed: Placed, life: AbortSignal): void {
    const isWholeManager = this.#processes.of('kube-controller-manager').length === controllerNames().length;
    const lease = leaseOf(placed, { isWholeManager });
    if (this.#elections === undefined || lease === undefined) this.#begin(placed, life, life);
    else
      this.#elections.join(lease, this.#leaseView(placed), {
        life,
        start: (signal) => this.#begin(placed, signal, life),
      });
  }

  #begin({ component, program, node }: Placed, signal: AbortSignal, life: AbortSignal): void {
    const { random, log } = this.#options;
    const { name } = component;
    beginComponent(component, {
      clock: this.#clockOf(name, node),
      random,
      cluster: this.#wrapped.as(name, this.#settings.limits(program, name)),
      log,
      signal,
      life,
      crashed: this.#crashed,
    });
  }

  /** A manager stands for election as itself, not as one of its controllers. */
  #leaseView(placed: Placed): Cluster {
    const { program } = placed;
    const own = this.#viewOf(program === 'kube-controller-manager' ? MANAGER : userOf(placed));
    return programView({ program, own });
  }

  /** The view of a component as its user, signed by its program. */
  #view(component: string, limits: ClientLimits | undefined): Cluster {
    const { server, clock } = this.#options;
    const placed = this.#processes.placed(component);
    const user = userOf(placed);
    const groups = new Map([MANAGER, user].map((each) => [each.name, each.groups]));
    const groupsOf = (actor: string): readonly string[] => groups.get(actor) ?? [];
    const access = new LocalClusterAccess({ server, clock, groupsOf, within: AHEAD.has(component) });
    this.#accesses.set(component, access);
    const { program } = placed;
    const shared = program === 'kube-controller-manager' ? { reader: access.as(MANAGER.name) } : {};
    return programView({ program, own: access.as(user.name, limits), ...shared });
  }

  #viewOf({ name, groups }: User): Cluster {
    const { server, clock } = this.#options;
    return new LocalClusterAccess({ server, clock, groupsOf: () => groups }).as(name);
  }

  #clockOf(component: string, node: string | undefined): Clock {
    const { clock, wrapClock } = this.#options;
    return wrapClock?.(clock, component, node) ?? clock;
  }

  // ---- nodes and drivers

  /** Containers live by the time of their machine. */
  #addRuntime(node: string, podSubnet: number): void {
    const clock = this.#clockOf(`kubelet/${node}`, node);
    const random = this.#options.random.fork(`containers ${node}`);
    this.#runtimes.set(node, new MemoryRuntime({ clock, random, podSubnet, behaviourOf: containerWork }));
  }

  #runtimeOf(node: string): MemoryRuntime {
    const runtime = this.#runtimes.get(node);
    if (runtime === undefined) throw new Error(`no node ${node}`);
    return runtime;
  }

  #driver({ driver, attachRequired = true, latencyMs = {} }: DriverShape): CsiDriver {
    const { aroundDriver, clock, random, store } = this.#options;
    const known = knownDisks(store, driver.name);
    const ids = new Set(known.map(({ volumeId }) => volumeId));
    const volumes = [...known, ...(driver.volumes ?? []).filter(({ volumeId }) => !ids.has(volumeId))];
    const bare = memoryDriver(
      { attaches: attachRequired, ...driver, volumes },
      { clock, random: random.fork(`driver ${driver.name}`) },
    );
    reattach(bare.backend, store);
    this.#backends.push(bare.backend);
    return layered(this.#machines.mounting(bare), { clock, latencyMs, aroundDriver });
  }
}
