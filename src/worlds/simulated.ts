// A whole cluster in virtual time: API server, controllers, sidecars, drivers and nodes in one process, on one clock that
// only moves when told to. Equal shape and seed give equal runs, to the byte.
import { AssertionFailure } from '../base/assert.ts';
import type { Clock, DurationMs, InstantMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type Random, SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { defaultAdmission } from '../apiserver/admission/plugins.ts';
import type { QuotaSettings } from '../apiserver/admission/resource-quota.ts';
import { ApiServer, type Commit } from '../apiserver/apiserver.ts';
import { LocalClusterAccess } from '../apiserver/local-access.ts';
import { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../apiserver/registry/strategies.ts';
import type { CsiDriver } from '../csi/driver.ts';
import type { CsiEffect, MemoryBackend } from '../csi/drivers/memory/backend.ts';
import { memoryDriver } from '../csi/drivers/memory/memory.ts';
import { type Around, wrapDriver } from '../csi/wrap-driver.ts';
import type { KubeletPhases } from '../kubelet/kubelet-options.ts';
import type { ContainerRuntime } from '../kubelet/podworkers/container-runtime.ts';
import { MemoryRuntime } from '../kubelet/podworkers/memory-runtime.ts';
import type { Cluster, ClusterAccess } from '../kube/cluster.ts';
import { keyOf } from '../kube/object.ts';
import { type ResourceQuota, ResourceQuotas } from '../kube/resources/resource-quota.ts';
import { RecordedTimeline } from '../runtime/timeline.ts';
import { decideCharge } from '../volume/quota-usage.ts';
import { baseObjects } from './base-objects.ts';
import type { ClusterShape, DriverShape } from './cluster-shape.ts';
import { type Placed, type Surroundings, componentsOf } from './components.ts';
import { layered } from './driver-layers.ts';
import { mortal } from './mortal.ts';
import { losePower } from './power-loss.ts';
import { ProcessTable } from './process-table.ts';
import { recordCall, recordCommit } from './record.ts';
import { type Program, Settings } from './settings.ts';
import { type AroundMounterOf, SimulatedMachines } from './simulated-nodes.ts';
import { WrittenClaims } from './written-claims.ts';

/** Where virtual time begins unless told otherwise. */
export const SIMULATION_STARTS_AT: InstantMs = Date.UTC(2026, 0, 1);

const SERVER = { name: 'kube-apiserver', groups: ['system:masters'] };

/** How long things take in milliseconds, drawn evenly from [least, most]. */
export interface LatencyModel {
  readonly requestMs: readonly [DurationMs, DurationMs];
  readonly watchMs: readonly [DurationMs, DurationMs];
}
/** A request goes there and back, an event only comes: what was asked for first is usually seen first. */
const DEFAULT_LATENCY: LatencyModel = { requestMs: [2, 5], watchMs: [1, 2] };

export interface SimulatedWorldOptions {
  readonly shape: ClusterShape;
  readonly seed: number;
  readonly startsAt?: InstantMs;
  readonly latency?: LatencyModel;
  /** Client-side limits of all components; off only for measurements. */
  readonly clientLimits?: boolean;
  /** Faults: what stands around every driver and around every component's view of the cluster. */
  readonly aroundDriver?: Around;
  readonly wrapAccess?: (access: ClusterAccess) => ClusterAccess;
  /** The time that a component has; `node` is where it runs, absent for the control plane. */
  readonly wrapClock?: (clock: Clock, component: string, node: string | undefined) => Clock;
  /** Hears every committed write. */
  readonly onCommit?: (commit: Commit) => void;
  /** Hears what happens in the drivers' backends. */
  readonly onEffect?: (effect: CsiEffect) => void;
  /** Faults on the disk of a node. */
  readonly aroundMounterOf?: AroundMounterOf;
  /** Where the free-running timers of a node's kubelet stand; what is absent is drawn. */
  readonly phasesOf?: (node: string) => KubeletPhases | undefined;
  /** Stands between the callers of drivers and everything else. */
  readonly aroundCaller?: Around;
  /** Components that run beside the others, or in place of those of the same name. */
  readonly also?: (around: Surroundings) => readonly Placed[];
}

export class SimulatedWorld {
  readonly clock: SteppedClock;
  readonly random: Random;
  readonly timeline = new RecordedTimeline();
  readonly server: ApiServer;
  readonly access: LocalClusterAccess;
  readonly drivers: ReadonlyMap<string, CsiDriver>;
  /** The disks and mount tables of the nodes. */
  readonly machines: SimulatedMachines;
  /** The disks behind the drivers, for checkers. Components must not look here. */
  readonly backends = new Map<string, MemoryBackend>();
  readonly #runtimes = new Map<string, MemoryRuntime>();
  readonly #options: SimulatedWorldOptions;
  readonly #settings: Settings;
  readonly #writtenClaims = new WrittenClaims();
  readonly #wrapped: ClusterAccess;
  readonly #processes = new ProcessTable((placed, signal) => this.#launch(placed, signal));
  /** The first broken promise between two lines of our own code; the run ends there. */
  #bug: AssertionFailure | undefined;

  constructor(options: SimulatedWorldOptions) {
    const { shape, seed } = options;
    this.#options = options;
    this.#settings = new Settings(shape.settings);
    this.clock = new SteppedClock(options.startsAt ?? SIMULATION_STARTS_AT);
    this.random = new SeededRandom(seed);
    this.server = new ApiServer({
      clock: this.clock,
      random: this.random.fork('apiserver'),
      store: new ObjectStore(),
      strategies: defaultStrategies(),
      admission: defaultAdmission({ quota: this.#quota() }),
      // Nobody asks a simulation who manages a field, and keeping account would cost half as much again as a write.
      fieldTracking: 'from-first-apply',
      onCommit: (commit) => this.#committed(commit),
    });
    this.access = new LocalClusterAccess({ server: this.server, clock: this.clock, latency: this.#latency() });
    this.#wrapped = options.wrapAccess?.(this.access) ?? this.access;
    this.machines = new SimulatedMachines(options.aroundMounterOf);
    this.drivers = new Map(shape.drivers.map((each) => [each.driver.name, this.#driver(each)]));
    const around = this.#surroundings();
    for (const placed of [...componentsOf(shape, this.#settings, around), ...(options.also?.(around) ?? [])]) {
      this.#processes.add(placed);
    }
  }

  /** Creates the objects of the shape and starts every component. */
  start(): void {
    this.server.bootstrap();
    for (const { resource, object } of baseObjects(this.#options.shape)) {
      this.server.handle(
        { verb: 'create', resource, namespace: object.metadata.namespace, object },
        { name: 'setup', groups: ['system:masters'] },
      );
    }
    this.#processes.launchAll();
  }

  /** A view without client limits or faults, for steps and tests. */
  as(actor: string): Cluster {
    return this.access.as(actor);
  }

  get components(): readonly string[] {
    return this.#processes.names;
  }

  get programs(): readonly Program[] {
    return this.#processes.programs;
  }

  /** Undefined for the control plane and for users. */
  nodeOf(component: string): string | undefined {
    return this.#processes.nodeOf(component);
  }

  componentsOn(node: string): readonly string[] {
    return this.#processes.on(node);
  }

  componentsOf(program: Program): readonly string[] {
    return this.#processes.of(program);
  }

  /** The machine lost power and boots: nothing is mounted on it and nothing runs. */
  loseMounts(node: string): void {
    const { machines, backends } = this;
    losePower({ node, machines, runtime: this.#runtimes.get(node), backends: backends.values() });
  }

  /** Ends a component as a crash does: its memory is lost. */
  kill(name: string): void {
    this.#processes.kill(name);
    this.access.dropWatches(name);
  }

  /** Starts a component that was killed, with nothing but its name in mind. */
  revive(name: string): void {
    this.#processes.revive(name);
  }

  /** Ends its watches, as a lost connection does. */
  dropWatches(component: string): void {
    this.access.dropWatches(component);
  }

  async advanceTo(deadline: InstantMs): Promise<void> {
    await this.clock.advanceTo(deadline);
    this.#failOnBug();
  }

  /** Lets time pass until the promise is settled. */
  async until<T>(promise: Promise<T>, withinMs: DurationMs): Promise<T> {
    const deadline = this.clock.now() + withinMs;
    const state = { settled: false };
    const settled = promise.finally(() => (state.settled = true));
    settled.catch(() => undefined);
    while (!state.settled && this.clock.now() < deadline) await this.clock.step(deadline);
    this.#failOnBug();
    if (!state.settled) throw new Error(`nothing came of it within ${withinMs} ms`);
    return settled;
  }

  dispose(): void {
    this.#processes.killAll();
  }

  #launch({ component, program, node }: Placed, signal: AbortSignal): void {
    const { name } = component;
    const limits = this.#options.clientLimits === false ? undefined : this.#settings.limits(program, name);
    component.start({
      clock: this.#options.wrapClock?.(this.clock, name, node) ?? this.clock,
      random: this.random.fork(name),
      cluster: mortal(this.#wrapped.as(name, limits), signal),
      timeline: this.timeline,
      log: this.logOf(name),
      signal,
    });
  }

  #driver({ driver, attachRequired = true, latencyMs = {} }: DriverShape): CsiDriver {
    const { aroundDriver, aroundCaller, onEffect } = this.#options;
    const random = this.random.fork(`driver ${driver.name}`);
    const bare = memoryDriver(
      { attaches: attachRequired, ...driver },
      {
        clock: this.clock,
        random,
        ...(onEffect === undefined ? {} : { effects: onEffect }),
      },
    );
    this.backends.set(driver.name, bare.backend);
    const { clock } = this;
    const whole = layered(this.machines.mounting(bare), { clock, latencyMs, aroundDriver });
    const recorded = wrapDriver(whole, recordCall(this.timeline, clock));
    return aroundCaller === undefined ? recorded : wrapDriver(recorded, aroundCaller);
  }

  #surroundings(): Surroundings {
    const { phasesOf, shape } = this.#options;
    const drivers = [...this.drivers.values()];
    const runtimeOf = (node: string): ContainerRuntime => this.#runtimeOf(node);
    return {
      drivers,
      machines: this.machines,
      runtimeOf,
      ...(phasesOf === undefined ? {} : { phasesOf }),
      ...(shape.tickless === true ? { claimChanges: this.#writtenClaims } : {}),
    };
  }

  /** Containers live by the time of their machine and draw from the stream of its kubelet. */
  #runtimeOf(node: string): MemoryRuntime {
    const kubelet = `kubelet/${node}`;
    const clock: Clock = this.#options.wrapClock?.(this.clock, kubelet, node) ?? this.clock;
    const runtime = this.#runtimes.get(node) ?? new MemoryRuntime({ clock, random: this.random.fork(kubelet) });
    this.#runtimes.set(node, runtime);
    return runtime;
  }

  /** Charges are writes of the server itself, made within the write that they belong to. */
  #quota(): QuotaSettings {
    const charge = (quota: ResourceQuota): void => {
      this.server.handle(
        { verb: 'update', resource: ResourceQuotas, key: keyOf(quota), subresource: 'status', object: quota },
        SERVER,
      );
    };
    return { ledger: { charge }, decide: decideCharge, now: () => this.clock.now() };
  }

  #latency(): { request(actor: string): DurationMs; watch(actor: string): DurationMs } {
    const { requestMs, watchMs } = this.#options.latency ?? DEFAULT_LATENCY;
    // Each actor draws from its own stream: another component in the cluster does not shift the times of this one.
    const streams = new Map<string, Random>();
    const streamOf = (actor: string): Random => {
      const known = streams.get(actor) ?? this.random.fork(`latency ${actor}`);
      streams.set(actor, known);
      return known;
    };
    const draw = (actor: string, [least, most]: readonly [number, number]): number =>
      most === 0 ? 0 : streamOf(actor).int(least, most + 1);
    return { request: (actor) => draw(actor, requestMs), watch: (actor) => draw(actor, watchMs) };
  }

  #committed(commit: Commit): void {
    recordCommit(this.timeline, this.clock, commit);
    this.#writtenClaims.committed(commit);
    this.#options.onCommit?.(commit);
  }

  /** Where a component of this world writes its log. */
  logOf(name: string): Log {
    return {
      write: (level, message, fields) => {
        if (level !== 'error') return;
        if (fields?.['error'] instanceof AssertionFailure) this.#bug ??= fields['error'];
        this.timeline.record({
          at: this.clock.now(),
          actor: name,
          verb: 'fails',
          kind: '',
          key: '',
          detail: message,
          because: null,
        });
      },
    };
  }

  #failOnBug(): void {
    if (this.#bug !== undefined) throw this.#bug;
  }
}
