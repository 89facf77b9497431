// The faults in force right now, acting at the seams of a world: around its drivers, around its components' views of the
// cluster, and on its process table. Components know nothing of them.
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { Around, DriverCall, Proceed } from '../../csi/wrap-driver.ts';
import { StatusError } from '../../kube/api-error.ts';
import type { Cluster, ClusterAccess } from '../../kube/cluster.ts';
import type { Fault } from './fault.ts';

/** What a fault may do to the processes of a world. */
export interface ProcessTable {
  kill(name: string): void;
  revive(name: string): void;
  dropWatches(actor: string): void;
}

type CsiFault = Extract<Fault, { readonly type: 'csi' | 'csi-hang' | 'csi-slow' }>;
type ApiErrorFault = Extract<Fault, { readonly type: 'api-error' }>;

export class ActiveFaults {
  readonly #clock: () => Clock;
  readonly #random: Random;
  readonly #active = new Set<Fault>();
  /** Calls without an answer, by the fault that holds them. */
  readonly #held = new Map<Fault, Set<() => void>>();

  constructor(clock: () => Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  begin(fault: Fault, processes: ProcessTable): void {
    this.#active.add(fault);
    if (fault.type === 'watch-drop') processes.dropWatches(fault.actor);
    if (fault.type === 'component-restart') processes.kill(fault.component);
  }

  end(fault: Fault, processes: ProcessTable): void {
    this.#active.delete(fault);
    if (fault.type === 'component-restart') processes.revive(fault.component);
    for (const release of this.#held.get(fault) ?? []) release();
    this.#held.delete(fault);
  }

  /** Stands around every driver. */
  readonly aroundDriver: Around = async (call, proceed) => {
    for (const fault of this.#active) {
      if (isCsiFault(fault) && matches(fault, call)) return this.#disturb(fault, call, proceed);
    }
    return proceed();
  };

  wrapAccess(access: ClusterAccess): ClusterAccess {
    return { as: (actor, limits) => this.#view(actor, access.as(actor, limits)) };
  }

  async #disturb<R>(fault: CsiFault, call: DriverCall, proceed: Proceed<R>): Promise<R> {
    switch (fault.type) {
      case 'csi':
        if (!this.#random.chance(fault.probability)) return proceed();
        if (fault.afterEffect) await proceed();
        throw new CsiStatusError(fault.code, `${call.rpc} was made to fail`);
      case 'csi-hang':
        await this.#hold(fault, call.options.signal);
        return proceed();
      case 'csi-slow':
        await this.#clock().sleep(fault.byMs, call.options.signal);
        return proceed();
      default:
        return unreachable(fault);
    }
  }

  #hold(fault: Fault, signal: AbortSignal): Promise<void> {
    const held = this.#held.get(fault) ?? new Set();
    this.#held.set(fault, held);
    return new Promise((resolve, reject) => {
      const release = (): void => {
        held.delete(release);
        resolve();
      };
      held.add(release);
      signal.addEventListener('abort', () => {
        held.delete(release);
        reject(new CsiStatusError('CANCELLED', 'the caller gave up'));
      }, { once: true });
    });
  }

  #view(actor: string, inner: Cluster): Cluster {
    const check = (): void => this.#refuse(actor);
    return {
      get: async (...args) => (check(), inner.get(...args)),
      list: async (...args) => (check(), inner.list(...args)),
      watch: (resource, options, sink) => inner.watch(resource, options, sink),
      create: async (...args) => (check(), inner.create(...args)),
      update: async (...args) => (check(), inner.update(...args)),
      patch: async (...args) => (check(), inner.patch(...args)),
      post: async (...args) => (check(), inner.post(...args)),
      delete: async (...args) => (check(), inner.delete(...args)),
      deleteCollection: async (...args) => (check(), inner.deleteCollection(...args)),
      because: (reason) => this.#view(actor, inner.because(reason)),
    };
  }

  #refuse(actor: string): void {
    for (const fault of this.#active) {
      if (fault.type === 'api-error' && fault.actor === actor && this.#random.chance(fault.probability)) throw answerOf(fault);
    }
  }
}

const isCsiFault = (fault: Fault): fault is CsiFault => fault.type === 'csi' || fault.type === 'csi-hang' || fault.type === 'csi-slow';
const matches = (fault: CsiFault, { driver, rpc }: DriverCall): boolean => fault.call === rpc && (fault.driver ?? driver) === driver;

const CODES: Readonly<Partial<Record<ApiErrorFault['reason'], number>>> = { Conflict: 409, TooManyRequests: 429, Forbidden: 403, ServiceUnavailable: 503, ServerTimeout: 504, Timeout: 504 };
function answerOf({ reason }: ApiErrorFault): StatusError {
  return new StatusError({ code: CODES[reason] ?? 500, reason, message: `the request was made to fail with ${reason}` });
}
