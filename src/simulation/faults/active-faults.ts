// The faults in force right now, acting at the seams of a world: around its drivers, its components' views of the cluster,
// their clocks, the mounters of its nodes, and on its process table. Components know nothing of them. What always holds:
// after every fault has ended the seams are as if there had never been one; what was lost meanwhile stays lost.
import { unreachable } from '../../base/assert.ts';
import { type Clock, SECOND_MS } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Around } from '../../csi/wrap-driver.ts';
import type { ClusterAccess } from '../../kube/cluster.ts';
import { MountError } from '../../kubelet/mounter/mounter.ts';
import type { AroundMounter } from '../../kubelet/mounter/wrap-mounter.ts';
import { type Program, isProgram } from '../../worlds/settings.ts';
import { ActorLine } from './actor-line.ts';
import { DriverFaults } from './driver-faults.ts';
import type { Fault, NodeFault } from './fault.ts';
import { faultyCluster } from './faulty-cluster.ts';
import { Gate } from './gate.ts';
import { Machines } from './machine.ts';
import { ProcessClock } from './process-clock.ts';

/** When a client takes a silent connection for dead: read idle timeout and ping timeout of client-go's transport. */
const CONNECTION_LOST_MS = 45 * SECOND_MS;

/** What faults need of a world beside its seams. */
export interface FaultStage {
  readonly clock: Clock;
  /** The newest revision of the API server's store. */
  revision(): number;
  kill(process: string): void;
  revive(process: string): void;
  dropWatches(actor: string): void;
  nodeOf(process: string): string | undefined;
  processesOn(node: string): readonly string[];
  processesOf(program: Program): readonly string[];
  /** A machine boots: nothing is mounted on it. */
  loseMounts(node: string): void;
}

export interface ActiveFaultsParts {
  /** The world is built around the seams, so it is asked for when a fault acts. */
  readonly stage: () => FaultStage;
  readonly random: Random;
  /** Hears every beginning and end. */
  readonly onChange?: (change: 'begins' | 'ends', fault: Fault) => void;
}

/** Faults that keep a machine away and that its return ends. */
const AWAY: ReadonlySet<Fault['type']> = new Set(['node-crash', 'node-freeze', 'partition']);
/** What needs space on the kubelet's disk. */
const WRITES: ReadonlySet<string> = new Set(['makeDirectory', 'makeFile', 'makeLink', 'writeVolumeData']);

export class ActiveFaults {
  readonly #parts: ActiveFaultsParts;
  readonly #machines = new Machines();
  readonly #drivers: DriverFaults;
  readonly #active = new Set<Fault>();
  readonly #lines = new Map<string, ActorLine>();
  /** Of processes that run on no node. */
  readonly #times = new Map<string, Gate>();
  /** What keeps a process down; it is up exactly while nothing does. */
  readonly #downBy = new Map<string, Set<Fault>>();

  constructor(parts: ActiveFaultsParts) {
    this.#parts = parts;
    this.#drivers = new DriverFaults(() => this.#stage.clock, this.#machines);
  }

  get #stage(): FaultStage {
    return this.#parts.stage();
  }

  get active(): ReadonlySet<Fault> {
    return this.#active;
  }

  begin(fault: Fault): void {
    this.#active.add(fault);
    this.#parts.onChange?.('begins', fault);
    this.#act(fault, 'begins');
  }

  /** Ending what has ended already does nothing. */
  end(fault: Fault): void {
    if (!this.#active.delete(fault)) return;
    this.#parts.onChange?.('ends', fault);
    this.#act(fault, 'ends');
  }

  /** Everything heals. */
  endAll(): void {
    for (const fault of this.#active) this.end(fault);
  }

  /** Whether what is sent to a machine arrives, and is answered. */
  isReachable(node: string): boolean {
    const { api, hasPower, time } = this.#machines.of(node);
    return hasPower && time.isOpen && api.isOpen;
  }

  // ---- the seams

  readonly aroundDriver: Around = (call, proceed) => this.#drivers.around(call, proceed);

  aroundMounter(node: string): AroundMounter {
    return async (call, proceed) => {
      const { time } = this.#machines.of(node);
      if (!time.isOpen) await time.pass();
      if (WRITES.has(call.method) && this.#has('disk-full', node)) {
        throw new MountError(`${call.method} ${call.path}: no space left on device`);
      }
      if (call.method === 'unmount' && this.#has('device-busy', node))
        throw new MountError(`umount: ${call.path}: target is busy.`);
      const answer = await proceed();
      if (!time.isOpen) await time.pass();
      return answer;
    };
  }

  wrapAccess(access: ClusterAccess): ClusterAccess {
    return { as: (actor, limits) => faultyCluster(access.as(actor, limits), this.#lineOf(actor)) };
  }

  clockOf(clock: Clock, process: string, node: string | undefined): Clock {
    const machine = node === undefined ? undefined : this.#machines.of(node);
    const gate = machine?.time ?? this.#ownTimeOf(process);
    return new ProcessClock({ clock, gate, offsetMs: () => machine?.offsetMs ?? 0 });
  }

  // ---- what each fault does

  #act(fault: Fault, when: 'begins' | 'ends'): void {
    switch (fault.type) {
      case 'node-crash':
      case 'node-freeze':
      case 'node-return':
      case 'kubelet-restart':
      case 'partition':
      case 'clock-step':
      case 'disk-full':
      case 'device-busy':
        return this.#actOnNode(fault, when);
      case 'csi':
      case 'csi-hang':
      case 'csi-slow':
        return when === 'begins' ? this.#drivers.begin(fault, this.#randomOf(fault)) : this.#drivers.end(fault);
      case 'api-error':
      case 'api-latency':
      case 'stale-reads':
      case 'watch-drop':
        return this.#actOnLine(fault, when);
      case 'component-restart':
      case 'component-crash':
        return this.#hold(this.#named(fault.component), fault, when);
      case 'leader-change':
        return this.#hold(this.#stage.processesOf(fault.program), fault, when);
      case 'component-freeze':
        for (const process of this.#named(fault.component)) turn(this.#timeOf(process), fault, when);
        return undefined;
      default:
        return unreachable(fault);
    }
  }

  #actOnNode(fault: NodeFault, when: 'begins' | 'ends'): void {
    const machine = this.#machines.of(fault.node);
    switch (fault.type) {
      case 'node-crash':
        return this.#crash(fault, when);
      case 'node-freeze':
        return turn(machine.time, fault, when);
      case 'node-return':
        for (const each of this.#active)
          if (AWAY.has(each.type) && 'node' in each && each.node === fault.node) this.end(each);
        return undefined;
      case 'kubelet-restart':
        return this.#hold(this.#stage.processesOn(fault.node), fault, when);
      case 'partition':
        if (fault.from !== 'api') turn(machine.storage, fault, when);
        if (fault.from !== 'storage') this.#cut(fault, when);
        return undefined;
      case 'clock-step':
        machine.offsetMs += when === 'begins' ? fault.byMs : 0 - fault.byMs;
        return undefined;
      // The mounter asks whether they are in force.
      case 'disk-full':
      case 'device-busy':
        return undefined;
      default:
        return unreachable(fault);
    }
  }

  #crash(fault: Extract<NodeFault, { readonly type: 'node-crash' }>, when: 'begins' | 'ends'): void {
    const machine = this.#machines.of(fault.node);
    const isBoot = when === 'ends' && !this.#has('node-crash', fault.node);
    if (isBoot) this.#stage.loseMounts(fault.node);
    machine.hasPower = when === 'ends' && isBoot;
    this.#hold(this.#stage.processesOn(fault.node), fault, when);
  }

  #cut(fault: Extract<NodeFault, { readonly type: 'partition' }>, when: 'begins' | 'ends'): void {
    const { api } = this.#machines.of(fault.node);
    turn(api, fault, when);
    if (when === 'ends') return;
    this.#stage.clock.after(CONNECTION_LOST_MS, () => {
      if (!this.#active.has(fault)) return;
      for (const process of this.#stage.processesOn(fault.node)) this.#lineOf(process).loseWatches();
    });
  }

  #actOnLine(fault: Extract<Fault, { readonly actor: string }>, when: 'begins' | 'ends'): void {
    const line = this.#lineOf(fault.actor);
    if (when === 'ends') return line.remove(fault);
    line.add(fault, this.#randomOf(fault));
    if (fault.type === 'stale-reads') line.staleAt ??= this.#stage.revision();
    if (fault.type === 'watch-drop') this.#stage.dropWatches(fault.actor);
    return undefined;
  }

  #hold(processes: readonly string[], fault: Fault, when: 'begins' | 'ends'): void {
    for (const process of processes) {
      const holders = this.#downBy.get(process) ?? new Set();
      this.#downBy.set(process, holders);
      const wasUp = holders.size === 0;
      if (when === 'begins') holders.add(fault);
      else holders.delete(fault);
      if (wasUp && holders.size > 0) this.#kill(process);
      if (!wasUp && holders.size === 0) this.#stage.revive(process);
    }
  }

  #kill(process: string): void {
    this.#stage.kill(process);
    this.#timeOf(process).forget();
  }

  // ---- lookups

  #has(type: Fault['type'], node: string): boolean {
    for (const fault of this.#active) if (fault.type === type && 'node' in fault && fault.node === node) return true;
    return false;
  }

  /** The name of a program stands for all of its processes. */
  #named(name: string): readonly string[] {
    const ofProgram = isProgram(name) ? this.#stage.processesOf(name) : [];
    return ofProgram.length === 0 ? [name] : ofProgram;
  }

  #lineOf(actor: string): ActorLine {
    const known = this.#lines.get(actor);
    if (known !== undefined) return known;
    const node = this.#stage.nodeOf(actor);
    const line = new ActorLine(
      this.#stage.clock,
      this.#timeOf(actor),
      node === undefined ? undefined : this.#machines.of(node),
    );
    this.#lines.set(actor, line);
    return line;
  }

  #timeOf(process: string): Gate {
    const node = this.#stage.nodeOf(process);
    return node === undefined ? this.#ownTimeOf(process) : this.#machines.of(node).time;
  }

  #ownTimeOf(process: string): Gate {
    const gate = this.#times.get(process) ?? new Gate();
    this.#times.set(process, gate);
    return gate;
  }

  /** Named by what the fault is, so that leaving out another fault does not shift its draws. */
  #randomOf(fault: Fault): Random {
    return this.#parts.random.fork(JSON.stringify(fault));
  }
}

function turn(gate: Gate, by: Fault, when: 'begins' | 'ends'): void {
  if (when === 'begins') gate.close(by);
  else gate.open(by);
}
