// The volume control plane around a server of our own, on a real clock: every component runs in this process, each through
// a view of the server as its own user, so that it may do what upstream lets it do and no more. Nodes are virtual: their
// mounts and containers are in memory and are lost with the process, as those of machines that lost power.
import { setMaxListeners } from 'node:events';
import type { ApiServer } from '../apiserver/apiserver.ts';
import { MASTERS } from '../apiserver/authorization.ts';
import { LocalClusterAccess } from '../apiserver/local-access.ts';
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { CsiDriver } from '../csi/driver.ts';
import { memoryDriver } from '../csi/drivers/memory/memory.ts';
import { enforceDeadlines } from '../csi/enforce-deadlines.ts';
import { isApiError } from '../kube/api-error.ts';
import { MemoryRuntime } from '../kubelet/podworkers/memory-runtime.ts';
import type { ClaimChanges } from '../kubelet/volumemanager/populator.ts';
import type { Timeline } from '../runtime/timeline.ts';
import { baseObjects } from './base-objects.ts';
import type { ClusterShape, DriverShape } from './cluster-shape.ts';
import { MANAGER, userOf } from './component-user.ts';
import { type Placed, componentsOf } from './components.ts';
import { knownDisks, reattach } from './embedded-disks.ts';
import { mortal } from './mortal.ts';
import { programView } from './program-view.ts';
import { Settings } from './settings.ts';
import { SimulatedMachines } from './simulated-nodes.ts';

export interface EmbeddedWorldOptions {
  readonly shape: ClusterShape;
  readonly server: ApiServer;
  /** What the server answers from. */
  readonly store: ObjectStore;
  /** The time of the cluster. */
  readonly clock: Clock;
  readonly random: Random;
  /** The certificates behind the server's own, in PEM. */
  readonly rootCa: string;
  /** Tells kubelets of written claims, so that they need not look. */
  readonly claimChanges: ClaimChanges;
  readonly log: Log;
}

/** The pods of the first node have addresses in 10.88.0.0/16, those of the next in 10.89.0.0/16. */
const FIRST_POD_SUBNET = 88;
/** Nobody reads it. */
const NO_TIMELINE: Timeline = { record: () => 0, entryOf: () => null };
const SETUP = { name: 'mooring:setup', groups: [MASTERS] };

export class EmbeddedWorld {
  readonly #options: EmbeddedWorldOptions;
  readonly #settings: Settings;
  readonly #machines = new SimulatedMachines();
  readonly #life = new AbortController();

  constructor(options: EmbeddedWorldOptions) {
    this.#options = options;
    this.#settings = new Settings(options.shape.settings);
    setMaxListeners(0, this.#life.signal);
  }

  /** Makes the drivers and classes of the shape, for a cluster that begins. What is there already stays as it is. */
  async furnish(): Promise<void> {
    const { server, shape } = this.#options;
    for (const { resource, object } of baseObjects(shape)) {
      try {
        await server.request({ verb: 'create', resource, namespace: object.metadata.namespace, object }, SETUP);
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      }
    }
  }

  start(): void {
    const { clock, claimChanges, random, rootCa, shape } = this.#options;
    const drivers = shape.drivers.map((each) => this.#driver(each));
    const runtimes = new Map(
      shape.nodes.map(({ name }, index) => {
        const podSubnet = `10.${FIRST_POD_SUBNET + index}`;
        return [name, new MemoryRuntime({ clock, random: random.fork(`containers ${name}`), podSubnet })];
      }),
    );
    const runtimeOf = (node: string): MemoryRuntime => {
      const runtime = runtimes.get(node);
      if (runtime === undefined) throw new Error(`no node ${node}`);
      return runtime;
    };
    const around = { drivers, machines: this.#machines, runtimeOf, rootCa, claimChanges };
    const all = componentsOf(shape, this.#settings, around);
    const users = new Map([MANAGER, ...all.map(userOf)].map((user) => [user.name, user]));
    const access = new LocalClusterAccess({
      server: this.#options.server,
      clock,
      groupsOf: (actor) => users.get(actor)?.groups ?? [],
    });
    for (const placed of all) this.#launch(placed, access);
  }

  /** Ends every component, as the end of its process does: nothing more is written. */
  stop(): void {
    this.#life.abort();
  }

  #launch(placed: Placed, access: LocalClusterAccess): void {
    const { clock, log, random } = this.#options;
    const { component, program } = placed;
    const { signal } = this.#life;
    const own = access.as(userOf(placed).name, this.#settings.limits(program));
    const shared = program === 'kube-controller-manager' ? { reader: access.as(MANAGER.name) } : {};
    component.start({
      clock,
      random: random.fork(component.name),
      cluster: mortal(programView({ program, own, ...shared }), signal),
      timeline: NO_TIMELINE,
      log: { write: (level, message, fields) => log.write(level, `${component.name}: ${message}`, fields) },
      signal,
    });
  }

  #driver({ driver, attachRequired = true }: DriverShape): CsiDriver {
    const { clock, random, store } = this.#options;
    const bare = memoryDriver(
      { attaches: attachRequired, ...driver, volumes: knownDisks(store, driver.name) },
      { clock, random: random.fork(`driver ${driver.name}`) },
    );
    reattach(bare.backend, store);
    return enforceDeadlines(this.#machines.mounting(bare), clock);
  }
}
