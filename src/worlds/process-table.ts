// The processes of a world: one for each component, by its name. What always holds: a process that was killed, by a fault or
// by the end of the world, writes no more, and only `revive` starts it again, with nothing but its name in mind.
import { KeyedBackoff } from '../base/backoff.ts';
import { type Clock, MINUTE_MS, SECOND_MS, type Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { messageOf } from '../runtime/supervise.ts';
import type { Placed } from './components.ts';
import type { Program } from './settings.ts';
import { lifetime } from './lifetime.ts';

/** kubernetes:pkg/kubelet/kubelet.go backOffPeriod, MaxCrashLoopBackOff: how long what crashed again stays down. */
const RESTART_BACKOFF = { initialMs: 10 * SECOND_MS, factor: 2, maxMs: 5 * MINUTE_MS };
/** What ran this long is not a loop. kubernetes:pkg/kubelet/kubelet.go, twice the longest wait. */
const FORGIVEN_AFTER_MS = 10 * MINUTE_MS;

/** How a component is started: everything it does ends with the signal. */
export type Launch = (placed: Placed, signal: AbortSignal) => void;

interface Process {
  readonly placed: Placed;
  life: AbortController;
  /** Set while it has crashed and is not started yet. */
  restart: Timer | undefined;
}

export class ProcessTable {
  readonly #launch: Launch;
  readonly #processes = new Map<string, Process>();

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  /** A component of the same name takes the place of the one before it. */
  add(placed: Placed): void {
    this.#processes.set(placed.component.name, { placed, life: lifetime(), restart: undefined });
  }

  get names(): readonly string[] {
    return [...this.#processes.keys()];
  }

  /** Those that run. */
  get living(): readonly string[] {
    return this.names.filter((name) => !this.#process(name).life.signal.aborted);
  }

  placed(name: string): Placed {
    return this.#process(name).placed;
  }

  get programs(): readonly Program[] {
    return [...new Set([...this.#processes.values()].map(({ placed }) => placed.program))];
  }

  /** Undefined for the control plane and for users. */
  nodeOf(name: string): string | undefined {
    return this.#processes.get(name)?.placed.node;
  }

  on(node: string): readonly string[] {
    return this.names.filter((name) => this.nodeOf(name) === node);
  }

  of(program: Program): readonly string[] {
    return this.names.filter((name) => this.#processes.get(name)?.placed.program === program);
  }

  launchAll(): void {
    for (const { placed, life } of this.#processes.values()) this.#launch(placed, life.signal);
  }

  /** Ends a component as a crash does: its memory is lost. */
  kill(name: string): void {
    const process = this.#process(name);
    process.restart?.cancel();
    process.restart = undefined;
    process.life.abort();
  }

  /** Starts a component that was killed. */
  revive(name: string): void {
    const process = this.#process(name);
    process.life = lifetime();
    this.#launch(process.placed, process.life.signal);
  }

  killAll(): void {
    for (const name of this.#processes.keys()) this.kill(name);
  }

  /** Brings back what crashes by itself, as whoever runs a program in a cluster does. */
  supervised({ clock, log }: { readonly clock: Clock; readonly log: Log }): Crashed {
    const backoff = new KeyedBackoff<string>(RESTART_BACKOFF);
    const startedAt = new Map<string, number>();
    return (name, life, error) => {
      const process = this.#process(name);
      // Of one crash several parts may tell, and the parts of a life that has ended have nothing more to tell.
      if (process.life.signal !== life || life.aborted) return;
      if (clock.monotonic() - (startedAt.get(name) ?? 0) > FORGIVEN_AFTER_MS) backoff.forget(name);
      const waitMs = backoff.failed(name);
      this.kill(name);
      log.write('warn', `${name} crashed and is started again in ${waitMs / SECOND_MS} s: ${messageOf(error)}`);
      process.restart = clock.after(waitMs, () => {
        process.restart = undefined;
        startedAt.set(name, clock.monotonic());
        this.revive(name);
      });
    };
  }

  #process(name: string): Process {
    const process = this.#processes.get(name);
    if (process === undefined) throw new Error(`no component ${name}; there are ${this.names.join(', ')}`);
    return process;
  }
}

/** Told that the component, in the life with that signal, cannot go on. */
export type Crashed = (name: string, life: AbortSignal, error: unknown) => void;
