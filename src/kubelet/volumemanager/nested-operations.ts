// Operations beside the reconciler: at most one a volume, except that operations on several pods of one volume run side by
// side. After a failure the entry of the operation stays and holds back the next one of the same name; the entry that a new
// operation meets may be one of another pod or of the volume itself, and then becomes its own. That last habit, with the
// name and the wait that stay once a window is over, is upstream's and visible in retry times:
// kubernetes:pkg/volume/util/nestedpendingoperations/nestedpendingoperations.go
import { AssertionFailure } from '../../base/assert.ts';
import { type BackoffLimits, backoffAfter } from '../../base/backoff.ts';
import { Aborted, type Clock, type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Reason } from '../../kube/reason.ts';
import { messageOf, reportFailure, supervise } from '../../runtime/supervise.ts';

/** kubernetes:pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go */
const OPERATION_BACKOFF: BackoffLimits = { initialMs: 500, factor: 2, maxMs: 2 * MINUTE_MS + 2 * SECOND_MS };

export interface OperationKey {
  readonly volumeName: string;
  /** Empty: all pods of the volume. */
  readonly podUid: string;
}
export interface Operation {
  readonly name: string;
  /** What led to it. */
  readonly reason: Reason;
  readonly perform: () => Promise<void>;
}
export type StartAnswer =
  | { readonly type: 'started' }
  | { readonly type: 'pending' }
  /** Refused; a start after this time would not be. */
  | { readonly type: 'backoff'; readonly forMs: DurationMs };

export interface NestedOperationsOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** A volume is free again: the reconciler has reason to look. */
  readonly onFinished: (reason: Reason) => void;
  /** Told how long an operation took. */
  readonly onPerformed?: (performed: PerformedOperation) => void;
}

export interface PerformedOperation {
  readonly volumeName: string;
  readonly operation: string;
  readonly failed: boolean;
  readonly tookMs: DurationMs;
}

interface Entry {
  podUid: string;
  name: string;
  pending: boolean;
  failures: number;
  failedAt: DurationMs;
}

export class NestedOperations {
  readonly #options: NestedOperationsOptions;
  /** Running operations and failed ones, by volume; never empty. */
  readonly #entries = new Map<string, Entry[]>();

  constructor(options: NestedOperationsOptions) {
    this.#options = options;
  }

  run(key: OperationKey, { name, reason, perform }: Operation): StartAnswer {
    const met = this.#find(key);
    if (met?.pending === true) return { type: 'pending' };
    if (met !== undefined) {
      const forMs = this.#restOf(met);
      if (forMs > 0 && met.name === name) return { type: 'backoff', forMs };
      if (forMs > 0) Object.assign(met, { name, failures: 0 });
      Object.assign(met, { pending: true, podUid: key.podUid });
    }
    const entry = met ?? this.#add(key, name);
    supervise(name, this.#perform(key, entry, { name, reason, perform }), this.#options.log);
    return { type: 'started' };
  }

  isPending(key: OperationKey): boolean {
    return this.#find(key)?.pending === true;
  }

  #add({ volumeName, podUid }: OperationKey, name: string): Entry {
    const entry = { podUid, name, pending: true, failures: 0, failedAt: 0 };
    this.#entries.set(volumeName, [...(this.#entries.get(volumeName) ?? []), entry]);
    return entry;
  }

  /** A running match, or else one for exactly this pod, or else the first. */
  #find({ volumeName, podUid }: OperationKey): Entry | undefined {
    const matching = (this.#entries.get(volumeName) ?? []).filter(
      (each) => each.podUid === '' || podUid === '' || each.podUid === podUid,
    );
    return (
      matching.find(({ pending }) => pending) ?? matching.findLast((each) => each.podUid === podUid) ?? matching[0]
    );
  }

  /** The last instant of the window still belongs to it. */
  #restOf({ failures, failedAt }: Entry): DurationMs {
    if (failures === 0) return 0;
    return Math.max(0, failedAt + backoffAfter(failures, OPERATION_BACKOFF) - this.#options.clock.monotonic() + 1);
  }

  async #perform(key: OperationKey, entry: Entry, { name, perform, reason }: Operation): Promise<void> {
    const { clock, log, signal } = this.#options;
    const startedAt = clock.monotonic();
    const tell = (failed: boolean): void => {
      const performed = { volumeName: key.volumeName, operation: name, failed };
      this.#options.onPerformed?.({ ...performed, tookMs: clock.monotonic() - startedAt });
    };
    try {
      await perform();
      this.#remove(key.volumeName, entry);
      tell(false);
    } catch (error) {
      if (error instanceof Aborted && signal.aborted) return;
      tell(true);
      Object.assign(entry, { pending: false, failures: entry.failures + 1, failedAt: clock.monotonic() });
      if (error instanceof AssertionFailure) reportFailure(entry.name, error, log);
      else this.#tell(key, entry, error);
    }
    if (!signal.aborted) this.#options.onFinished(reason);
  }

  #remove(volumeName: string, entry: Entry): void {
    const left = (this.#entries.get(volumeName) ?? []).filter((each) => each !== entry);
    if (left.length === 0) this.#entries.delete(volumeName);
    else this.#entries.set(volumeName, left);
  }

  #tell({ volumeName, podUid }: OperationKey, { name, failures }: Entry, error: unknown): void {
    const restMs = backoffAfter(failures, OPERATION_BACKOFF);
    const fields = { volumeName, podUid, operation: name, restMs, error };
    this.#options.log.write('warn', `${name} failed, again in ${restMs} ms: ${messageOf(error)}`, fields);
  }
}
