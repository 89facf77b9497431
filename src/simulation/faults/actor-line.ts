// What lies between one actor and the API server: the process itself, the network of its machine, the server's cache and
// whatever makes requests slow or fail. Faults change it; the actor's view asks it.
import type { Clock, DurationMs } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { StatusError } from '../../kube/api-error.ts';
import type { ApiFault } from './fault.ts';
import { Gate } from './gate.ts';
import type { Machine } from './machine.ts';

type Of<T extends ApiFault['type']> = Extract<ApiFault, { readonly type: T }>;

export interface Refusal {
  readonly error: StatusError;
  readonly afterEffect: boolean;
}

/** Something that a lost connection takes with it. */
export interface Losable {
  lose(cause: StatusError): void;
}

export class ActorLine {
  readonly clock: Clock;
  /** Closed while the process stands still. */
  readonly time: Gate;
  /** Closed while the machine does not reach the API server. */
  readonly network: Gate;
  /** Closed while the server's cache stands still. */
  readonly cache = new Gate();
  readonly watches = new Set<Losable>();
  /** The revision at which the cache stands still. */
  staleAt: number | undefined;
  readonly #errors = new Map<Of<'api-error'>, Random>();
  readonly #latencies = new Set<Of<'api-latency'>>();
  readonly #droppers = new Set<Of<'watch-drop'>>();

  constructor(clock: Clock, time: Gate, machine: Machine | undefined) {
    this.clock = clock;
    this.time = time;
    this.network = machine?.api ?? new Gate();
  }

  add(fault: ApiFault, random: Random): void {
    if (fault.type === 'api-error') this.#errors.set(fault, random);
    if (fault.type === 'api-latency') this.#latencies.add(fault);
    if (fault.type === 'watch-drop') this.#droppers.add(fault);
    if (fault.type === 'stale-reads') this.cache.close(fault);
  }

  remove(fault: ApiFault): void {
    if (fault.type === 'api-error') this.#errors.delete(fault);
    if (fault.type === 'api-latency') this.#latencies.delete(fault);
    if (fault.type === 'watch-drop') this.#droppers.delete(fault);
    if (fault.type !== 'stale-reads') return;
    this.cache.open(fault);
    if (this.cache.isOpen) this.staleAt = undefined;
  }

  /** Nothing holds back an answer that has come. */
  get isClear(): boolean {
    return this.time.isOpen && this.network.isOpen;
  }

  /** A request goes out at once and is not made to fail. */
  get isFree(): boolean {
    return this.network.isOpen && this.#errors.size === 0 && this.#latencies.size === 0;
  }

  get latencyMs(): DurationMs {
    if (this.#latencies.size === 0) return 0;
    let sum = 0;
    for (const { byMs } of this.#latencies) sum += byMs;
    return sum;
  }

  get refusesWatches(): boolean {
    return this.#droppers.size > 0;
  }

  /** What this request is answered with instead; each asks chance anew. */
  refusal(): Refusal | undefined {
    if (this.#errors.size === 0) return undefined;
    for (const [{ reason, probability, afterEffect }, random] of this.#errors) {
      if (random.chance(probability)) return { error: answerOf(reason), afterEffect };
    }
    return undefined;
  }

  loseWatches(): void {
    for (const watch of this.watches) watch.lose(unreached());
  }
}

const CODES: Readonly<Partial<Record<Of<'api-error'>['reason'], number>>> = {
  Conflict: 409,
  TooManyRequests: 429,
  Forbidden: 403,
  ServiceUnavailable: 503,
  ServerTimeout: 504,
  Timeout: 504,
};

function answerOf(reason: Of<'api-error'>['reason']): StatusError {
  return new StatusError({
    code: CODES[reason] ?? 500,
    reason,
    message: `the request was made to fail with ${reason}`,
  });
}

/** What a client makes of a server that does not answer. */
export function unreached(): StatusError {
  return new StatusError({ code: 504, reason: 'Timeout', message: 'the API server cannot be reached' });
}
