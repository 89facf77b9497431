// What an idle cluster does: the requests of its components by program, verb and kind, and the timers of each program. It
// stands at the seams where faults stand, so nothing in the components knows that it is counted.
import type { Clock, DurationMs, InstantMs, Timer, TimerOptions } from '../../src/base/clock.ts';
import { sleepOn } from '../../src/base/clock.ts';
import type { Cluster, ClusterAccess } from '../../src/kube/cluster.ts';
import type { ResourceName } from '../../src/kube/object.ts';

export class StepCounts {
  readonly #counts = new Map<string, number>();

  /** Counted since the last call. */
  take(): ReadonlyMap<string, number> {
    const taken = new Map([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    this.#counts.clear();
    return taken;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  wrapAccess(access: ClusterAccess): ClusterAccess {
    return { as: (actor, limits) => this.#wrapCluster(access.as(actor, limits), programOf(actor)) };
  }

  #wrapCluster(inner: Cluster, program: string): Cluster {
    const asked = (verb: string, { plural }: ResourceName): void => this.#count(`${program} ${verb} ${plural}`);
    return new Proxy(inner, {
      get: (target, name: keyof Cluster) => {
        if (name === 'because')
          return (...args: Parameters<Cluster['because']>) => this.#wrapCluster(target.because(...args), program);
        const method = target[name];
        if (method === undefined) return undefined;
        return (...args: readonly [ResourceName, ...unknown[]]) => {
          asked(name === 'sendUpdate' ? 'update' : name, args[0]);
          return Reflect.apply(method, target, args) as unknown;
        };
      },
    });
  }

  wrapClock(clock: Clock, component: string): Clock {
    return new CountedClock(clock, () => this.#count(`${programOf(component)} timer`));
  }
}

/** Kubelets are many and all the same. */
const programOf = (component: string): string => component.split('/', 1)[0] ?? component;

class CountedClock implements Clock {
  readonly #inner: Clock;
  readonly #fired: () => void;

  constructor(inner: Clock, fired: () => void) {
    this.#inner = inner;
    this.#fired = fired;
  }

  now(): InstantMs {
    return this.#inner.now();
  }

  monotonic(): DurationMs {
    return this.#inner.monotonic();
  }

  after(delay: DurationMs, wake: () => unknown, options?: TimerOptions): Timer {
    const fire = (): unknown => {
      this.#fired();
      return wake();
    };
    return this.#inner.after(delay, fire, options);
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }
}
