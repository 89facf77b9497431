// Chosen controllers of ours on somebody else's API server. All ask as one user, whoever the connection says we are, and
// share what they read. Each program works only while it holds its Lease, as upstream's do, so that several of these
// processes, or one of these and a real program, never do the same work at once.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { CsiDriver } from '../csi/driver.ts';
import type { Cluster, ClusterAccess } from '../kube/cluster.ts';
import { beginComponent } from './begin-component.ts';
import type { ClusterShape, ComponentSwitches, SettingValue } from './cluster-shape.ts';
import { upstreamControllerName } from './component-switches.ts';
import { type Placed, componentsOf, controllerNames } from './components.ts';
import { deletableKinds } from './deletable-kinds.ts';
import { Elections } from './elections.ts';
import { lifetime } from './lifetime.ts';
import { type Crashed, ProcessTable } from './process-table.ts';
import { type ProgramLease, leaseOf, managerLease } from './program-lease.ts';
import { programView } from './program-view.ts';
import { Settings } from './settings.ts';
import { SharedReader } from './shared-reader.ts';
import { SimulatedMachines } from './simulated-nodes.ts';

/**
 * They must know every kind that a cluster serves, or have keys of it: one that deletes a namespace without knowing all
 * that is in it loses objects for good.
 */
const NOT_OFFERED: ReadonlySet<string> = new Set([
  'namespace-controller',
  'garbage-collector-controller',
  'resourcequota-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
]);
const SCHEDULER = 'kube-scheduler';

/** What can be chosen, by upstream's names. */
export const remoteNames = (): readonly string[] => [
  ...controllerNames().filter((name) => !NOT_OFFERED.has(name)),
  SCHEDULER,
];

export interface RemoteWorldOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of `remoteNames()`. */
  readonly chosen: readonly string[];
  /** Whose sidecars run as well. */
  readonly drivers: readonly CsiDriver[];
  readonly profile: string;
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** Undefined: everything works at once, whoever else there is. */
  readonly election: RemoteElection | undefined;
}

export interface RemoteElection {
  readonly identity: string;
  /** Of the manager's Lease, instead of the usual one. */
  readonly leaseName?: string | undefined;
  readonly onLeader?: (lease: string, identity: string) => void;
}

export class RemoteWorld {
  readonly #options: RemoteWorldOptions;
  readonly #settings: Settings;
  readonly #processes = new ProcessTable((placed, life) => this.#launch(placed, life));
  readonly #crashed: Crashed;
  readonly #elections: Elections | undefined;
  /** Every kind that is read ends with it. */
  readonly #life = lifetime();
  readonly #reader: SharedReader;

  constructor(options: RemoteWorldOptions) {
    const { access, clock, random, log, election, settings } = options;
    this.#options = options;
    this.#settings = new Settings(settings);
    this.#crashed = this.#processes.supervised({ clock, log });
    this.#reader = new SharedReader({
      cluster: access.as('shared-informers'),
      clock,
      random,
      signal: this.#life.signal,
    });
    if (election !== undefined) this.#elections = new Elections({ ...election, clock, random, log, releases: true });
  }

  /** The Leases that decide, each with what runs while we hold it. */
  get programs(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const placed of this.#placed()) {
      const lease = this.#leaseOf(placed)?.name ?? '';
      found.set(lease, [...(found.get(lease) ?? []), upstreamControllerName(placed.component.name)]);
    }
    return found;
  }

  start(): void {
    for (const placed of this.#placed()) this.#processes.add(placed);
    this.#processes.launchAll();
  }

  isLeading(lease: string): boolean {
    return this.#elections?.isLeading(lease) ?? true;
  }

  /** Ends every component, then gives the Leases up. */
  async stop(): Promise<void> {
    this.#processes.killAll();
    this.#life.abort();
    await this.#elections?.settled();
  }

  #placed(): readonly Placed[] {
    const { chosen, drivers, profile, settings } = this.#options;
    const shape: ClusterShape = {
      nodes: [],
      drivers: [],
      classes: [],
      profile,
      settings,
      components: switchesFor(chosen),
    };
    // No node of this cluster is ours, so nothing asks for machines or containers.
    const runtimeOf = (node: string): never => {
      throw new Error(`no node ${node}`);
    };
    return componentsOf(shape, this.#settings, {
      drivers,
      machines: new SimulatedMachines(),
      runtimeOf,
      kinds: deletableKinds(),
    });
  }

  #leaseOf(placed: Placed): ProgramLease | undefined {
    const { election, chosen } = this.#options;
    const leaseName = placed.program === 'kube-controller-manager' ? election?.leaseName : undefined;
    if (leaseName !== undefined) return managerLease(leaseName);
    return leaseOf(placed, {
      isWholeManager: remoteNames().every((name) => name === SCHEDULER || chosen.includes(name)),
    });
  }

  #launch(placed: Placed, life: AbortSignal): void {
    const lease = this.#leaseOf(placed);
    const start = (signal: AbortSignal): void => this.#begin(placed, signal, life);
    if (this.#elections === undefined || lease === undefined) start(life);
    else this.#elections.join(lease, this.#leaseView(placed.program), { life, start });
  }

  /** Renewals do not wait behind other requests. */
  #leaseView(program: string): Cluster {
    return programView({ program, own: this.#options.access.as('leader-election') });
  }

  #begin({ component, program }: Placed, signal: AbortSignal, life: AbortSignal): void {
    const { access, clock, random, log } = this.#options;
    const own = access.as(component.name, this.#settings.limits(program));
    const cluster = programView({ program, own, reader: this.#reader.readerFor(own) });
    const crashed = this.#crashed;
    beginComponent(component, { clock, random, cluster, log, signal, life, crashed });
  }
}

function switchesFor(chosen: readonly string[]): ComponentSwitches {
  const manager = controllerNames().map((name) => [name, chosen.includes(name)] as const);
  return { ...Object.fromEntries(manager), [SCHEDULER]: chosen.includes(SCHEDULER) };
}
