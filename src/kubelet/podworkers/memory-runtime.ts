// Containers that only take time: to start, to stop, and to end by themselves if they are told to.
import { assert } from '../../base/assert.ts';
import { type Clock, type DurationMs, SECOND_MS } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Disposable } from '../../kube/cluster.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ContainerRuntime, RuntimeContainer, RuntimePod } from './container-runtime.ts';

/** How the containers of a pod behave. */
export interface ContainerBehaviour {
  readonly startMs?: DurationMs;
  /** From the request to stop to the end. A container that needs longer than its grace is killed. */
  readonly stopMs?: DurationMs;
  /** Ends by itself after this time with this code; absent: runs until it is stopped. */
  readonly runs?: { readonly forMs: DurationMs; readonly exitCode: number };
}

export interface MemoryRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly behaviourOf?: (pod: Pod) => ContainerBehaviour;
  /** Which of the subnets of 1,024 addresses from 10.88.0.0 on its pods are in; the first unless told otherwise. */
  readonly podSubnet?: number;
}

/** Of pods on one machine. */
const ADDRESSES = 4 * 254;
/** The second number of the first address. */
const FIRST_SUBNET = 88;
/** 128 + SIGKILL */
const KILLED = 137;

export class MemoryRuntime implements ContainerRuntime {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #behaviourOf: (pod: Pod) => ContainerBehaviour;
  readonly #pods = new Map<string, RuntimePod>();
  readonly #behaviours = new Map<string, ContainerBehaviour>();
  readonly #listeners = new Set<(uid: string) => void>();
  readonly #observers = new Set<() => void>();
  readonly #podSubnet: number;
  #addresses = 0;
  /** Counts the losses of power: what was under way before one never comes to its end. */
  #boot = 0;

  constructor({ clock, random, behaviourOf = () => ({}), podSubnet = 0 }: MemoryRuntimeOptions) {
    this.#podSubnet = podSubnet;
    this.#clock = clock;
    this.#random = random.fork('containers');
    this.#behaviourOf = behaviourOf;
  }

  pods(): Iterable<RuntimePod> {
    return this.#pods.values();
  }

  pod(uid: string): RuntimePod | undefined {
    return this.#pods.get(uid);
  }

  async start(pod: Pod, onSandbox: () => void): Promise<void> {
    const { uid, name, namespace = '' } = pod.metadata;
    const behaviour = this.#behaviourOf(pod);
    const boot = this.#boot;
    this.#behaviours.set(uid, behaviour);
    const known = this.#pods.get(uid)?.podIP ?? '';
    const podIP = known === '' ? this.#nextAddress() : known;
    this.#pods.set(uid, { uid, name, namespace, podIP, containers: this.#pods.get(uid)?.containers ?? [] });
    onSandbox();
    if ((behaviour.startMs ?? 0) > 0) await this.#clock.sleep(behaviour.startMs ?? 0);
    if (boot === this.#boot) this.#run(pod, behaviour);
  }

  #run(pod: Pod, { runs }: ContainerBehaviour): void {
    const { uid } = pod.metadata;
    const before = this.#pods.get(uid);
    if (before === undefined) return;
    const containers = pod.spec.containers.map(({ name, image = '' }): RuntimeContainer => {
      const old = before.containers.find((each) => each.name === name);
      if (old !== undefined && old.exit === undefined) return old;
      const restartCount = old === undefined ? 0 : old.restartCount + 1;
      return { name, image, id: `containerd://${this.#newId()}`, restartCount, startedAt: this.#clock.now() };
    });
    this.#pods.set(uid, { ...before, containers });
    if (runs !== undefined) this.#clock.after(runs.forMs, () => this.#exitAlone(uid, containers, runs.exitCode));
  }

  #newId(): string {
    return `${this.#random.uid()}${this.#random.uid()}`.replaceAll('-', '');
  }

  /** One that no pod here has, as long as there is one. */
  #nextAddress(): string {
    const taken = new Set([...this.#pods.values()].map(({ podIP }) => podIP));
    for (let tries = 1; tries < ADDRESSES; tries++) {
      const address = this.#addressAfterLast();
      if (!taken.has(address)) return address;
    }
    return this.#addressAfterLast();
  }

  #addressAfterLast(): string {
    this.#addresses++;
    const third = this.#podSubnet * 4 + (Math.floor(this.#addresses / 254) % 4);
    return `10.${FIRST_SUBNET + Math.floor(third / 256)}.${third % 256}.${(this.#addresses % 254) + 1}`;
  }

  #exitAlone(uid: string, started: readonly RuntimeContainer[], code: number): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined || !pod.containers.some((each) => started.includes(each))) return;
    this.#end(uid, code);
    for (const onExit of this.#listeners) onExit(uid);
  }

  async stop(uid: string, graceSeconds: number): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    const stopMs = this.#behaviours.get(uid)?.stopMs ?? 0;
    const graceMs = graceSeconds * SECOND_MS;
    const boot = this.#boot;
    const isRunning = pod.containers.some(({ exit }) => exit === undefined);
    if (isRunning && Math.min(stopMs, graceMs) > 0) await this.#clock.sleep(Math.min(stopMs, graceMs));
    if (boot !== this.#boot) return;
    this.#end(uid, stopMs > graceMs ? KILLED : 0);
    const ended = this.#pods.get(uid);
    assert(ended !== undefined, 'a pod is there until it is removed');
    this.#pods.set(uid, { ...ended, podIP: '' });
  }

  #end(uid: string, code: number): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    const exit = { at: this.#clock.now(), code };
    const containers = pod.containers.map((each) => (each.exit === undefined ? { ...each, exit } : each));
    this.#pods.set(uid, { ...pod, containers });
    this.#tellObservers();
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
    this.#behaviours.delete(uid);
    this.#tellObservers();
  }

  observe(onEnd: () => void): Disposable {
    this.#observers.add(onEnd);
    return { dispose: () => void this.#observers.delete(onEnd) };
  }

  #tellObservers(): void {
    for (const onEnd of this.#observers) onEnd();
  }

  subscribe(onExit: (uid: string) => void): Disposable {
    this.#listeners.add(onExit);
    return { dispose: () => void this.#listeners.delete(onExit) };
  }

  /** The machine lost power. */
  loseAll(): void {
    this.#boot++;
    this.#pods.clear();
    this.#behaviours.clear();
    this.#tellObservers();
  }
}
