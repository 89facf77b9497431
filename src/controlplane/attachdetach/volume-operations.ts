// At most one attach or detach at a time: of a volume, if it may be on one node only, otherwise of a volume on a node.
// After a failure the same operation rests; another one may start at once and ends the rest, which is why a detach that
// fails and an attach that fails elsewhere take turns without growing waits.
// Upstream: kubernetes:pkg/volume/util/nestedpendingoperations.
import { type Clock, type Timer } from '../../base/clock.ts';
import { type Log } from '../../base/log.ts';
import { type Reason } from '../../kube/reason.ts';
import { KeyedOperations } from '../../runtime/operation-executor.ts';
import { type Pair, keyOfPair, volumeOfKey } from './pair.ts';
import { type VolumeSpec } from './volume-spec.ts';

export type OperationName = 'volume_attach' | 'volume_detach';

export interface Work {
  readonly name: OperationName;
  /** Why it is done. */
  readonly reason: Reason;
  /** Answers with what ended it, if that is known. */
  run(signal: AbortSignal): Promise<Reason | undefined>;
}
export interface VolumeOperationsParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Called when an operation of the volume ended, and again when a failed one may be repeated. */
  readonly onFree: (volume: string, reason: Reason) => void;
}

export class VolumeOperations {
  readonly #parts: VolumeOperationsParts;
  readonly #operations: KeyedOperations;
  /** The operation whose failure a key rests from; kept until one succeeds or another takes its place in the rest. */
  readonly #failing = new Map<string, OperationName>();
  /** Ends of rests to come. */
  readonly #rests = new Set<Timer>();
  /** Of running operations: what led to them, or what ended them. */
  readonly #reasons = new Map<string, Reason>();

  constructor(parts: VolumeOperationsParts) {
    this.#parts = parts;
    const { clock, signal, log } = parts;
    signal.addEventListener('abort', () => this.#rests.forEach((timer) => timer.cancel()), { once: true });
    this.#operations = new KeyedOperations({
      clock,
      signal,
      log,
      parentOf: volumeOfKey,
      onFinished: (key, { failed }) => this.#finished(key, failed),
    });
  }

  isPending(pair: Pair, spec: VolumeSpec | undefined): boolean {
    return this.#operations.isPending(keyOf(pair, spec));
  }

  mayStart(pair: Pair, spec: VolumeSpec | undefined, name: OperationName): boolean {
    const key = keyOf(pair, spec);
    if (this.#operations.isPending(key)) return false;
    return this.#operations.restOf(key) === 0 || this.#failing.get(key) !== name;
  }

  /** False if it runs already or rests. */
  start(pair: Pair, spec: VolumeSpec | undefined, work: Work): boolean {
    const key = keyOf(pair, spec);
    const isResting = this.#operations.restOf(key) > 0;
    const run = async (signal: AbortSignal): Promise<void> => {
      this.#reasons.set(key, work.reason);
      const ending = await work.run(signal);
      if (ending !== undefined) this.#reasons.set(key, ending);
    };
    if (this.#operations.run(key, work.name, run) !== 'started') return false;
    if (isResting || !this.#failing.has(key)) this.#failing.set(key, work.name);
    return true;
  }

  #finished(key: string, failed: boolean): void {
    const volume = volumeOfKey(key) ?? key;
    const reason = this.#reasons.get(key) ?? { type: 'requeued', waitingFor: 'an operation', entry: null };
    this.#reasons.delete(key);
    if (failed) this.#wakeAfterRest(key, volume, reason);
    else this.#failing.delete(key);
    this.#parts.onFree(volume, reason);
  }

  #wakeAfterRest(key: string, volume: string, { entry }: Reason): void {
    const { clock, onFree } = this.#parts;
    const timer = clock.after(this.#operations.restOf(key), () => {
      this.#rests.delete(timer);
      onFree(volume, { type: 'requeued', waitingFor: 'the next attempt', entry });
    });
    this.#rests.add(timer);
  }
}

/** A volume known by name alone may be a shared one. */
const keyOf = (pair: Pair, spec: VolumeSpec | undefined): string =>
  spec?.isExclusive === true ? pair.volume : keyOfPair(pair);
