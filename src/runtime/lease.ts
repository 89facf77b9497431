// One leader among several processes, by a Lease that the leader renews. A candidate takes over when the Lease has not
// changed for its whole duration as seen by the candidate's own elapsed time; two clocks are never compared. Every write
// names the resourceVersion it was decided on, so of two that reach for the Lease one fails. What always holds: a leader
// that cannot renew stops before another may start. Its time runs from when it sent the last renewal that was answered,
// not from the answer: a slow answer must not make it believe in a Lease that has run out. Upstream counts from the answer
// (client-go:tools/leaderelection/leaderelection.go); with quick answers both stop after renewal + retry + deadline, 12 s.
import { assert } from '../base/assert.ts';
import { Aborted, type Clock, type DurationMs, SECOND_MS, microTimestamp } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { foundObject } from '../kube/found-object.ts';
import { keyFrom } from '../kube/object.ts';
import { type Lease, type LeaseSpec, Leases } from '../kube/resources/lease.ts';
import type { Recorder } from './recorder.ts';
import { messageOf } from './supervise.ts';

export interface ElectionTimes {
  readonly leaseDurationMs: DurationMs;
  readonly renewDeadlineMs: DurationMs;
  readonly retryPeriodMs: DurationMs;
}
/** kubernetes:staging/src/k8s.io/component-base/config/v1alpha1/defaults.go */
const DEFAULT_ELECTION_TIMES: ElectionTimes = {
  leaseDurationMs: 15 * SECOND_MS,
  renewDeadlineMs: 10 * SECOND_MS,
  retryPeriodMs: 2 * SECOND_MS,
};
/** Waits between two tries to acquire are longer by up to this share. client-go:tools/leaderelection/leaderelection.go */
const ACQUIRE_JITTER = 1.2;

export interface LeaderElectorOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly times?: ElectionTimes;
  /** Give the Lease up when told to stop, so that the next leader need not wait for it to run out. */
  readonly releaseOnCancel?: boolean;
  /** Says who became leader and who stopped leading, as Events about the Lease. */
  readonly recorder?: Recorder;
}
export interface LeaderCallbacks {
  /** Its signal fires when leadership ends. */
  onStarted(signal: AbortSignal): void;
  /** Always called once, even if leadership never started. */
  onStopped(): void;
  onNewLeader?(identity: string): void;
}

export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #times: ElectionTimes;
  readonly #random: Random;
  /** The Lease as last read or written, and when it was last seen to change. */
  #observed: { readonly lease: Lease; readonly at: DurationMs } | undefined;
  #reported: string | undefined;
  /** When the last write of ours that went through was sent. */
  #heldFrom: DurationMs = 0;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_ELECTION_TIMES;
    this.#random = options.random.fork(`lease/${options.name}/${options.identity}`);
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#times;
    assert(leaseDurationMs > renewDeadlineMs, 'the lease outlasts the renew deadline');
    assert(renewDeadlineMs > ACQUIRE_JITTER * retryPeriodMs, 'the renew deadline leaves time to retry');
  }

  get isLeader(): boolean {
    return this.#observed?.lease.spec.holderIdentity === this.#options.identity;
  }

  /**
   * Returns when leadership has ended, or the signal fired before it began. What was guarded is told to stop before the
   * Lease is given up; upstream does it the other way round and leaves the care to its callers.
   */
  async run(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    const leading = new AbortController();
    try {
      await Promise.race([this.#acquire(signal, callbacks), whenAborted(signal)]);
      this.#say('became leader');
      callbacks.onStarted(leading.signal);
      await this.#renewUntilLost(signal, callbacks).finally(() => this.#say('stopped leading'));
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
    } finally {
      leading.abort();
      callbacks.onStopped();
    }
    if (this.#options.releaseOnCancel === true && this.isLeader) await this.#release();
  }

  async #acquire(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new Aborted();
      const acquired = await this.#tryAcquireOrRenew();
      if (signal.aborted) throw new Aborted();
      this.#report(callbacks);
      if (acquired && this.#leftMs() > 0) return;
      await this.#options.clock.sleep(this.#acquireDelay(), signal, { background: true });
    }
  }

  /** Not past the end of the Lease: who waits for it takes it when it runs out, not up to a retry later as upstream. */
  #acquireDelay(): DurationMs {
    const delay = this.#times.retryPeriodMs * (1 + ACQUIRE_JITTER * this.#random.fraction());
    const validMs = this.#validForMs();
    return validMs > 0 ? Math.min(delay, validMs) : delay;
  }

  /** How long a leader may still try: as long as upstream's does when the last renewal was answered at once. */
  #leftMs(): DurationMs {
    const { renewDeadlineMs, retryPeriodMs } = this.#times;
    return this.#heldFrom + retryPeriodMs + renewDeadlineMs - this.#options.clock.monotonic();
  }

  async #renewUntilLost(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<void> {
    const { clock, log, name } = this.#options;
    for (;;) {
      const renewed = await this.#renewWithinDeadline(signal);
      this.#report(callbacks);
      if (!renewed) {
        log.write('warn', `lost lease ${name}: not renewed within ${this.#times.renewDeadlineMs} ms`);
        return;
      }
      const delay = Math.min(this.#times.retryPeriodMs, Math.max(0, this.#leftMs()));
      await clock.sleep(delay, signal, { background: true });
    }
  }

  /** Tries until it works or the deadline is over, also if a request is never answered. */
  async #renewWithinDeadline(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#options;
    const over = new AbortController();
    const leftMs = Math.min(this.#times.renewDeadlineMs, this.#leftMs());
    if (leftMs <= 0) return false;
    const deadline = clock.after(leftMs, () => over.abort(), { background: true });
    const onStop = (): void => over.abort();
    signal.addEventListener('abort', onStop, { once: true });
    try {
      return await Promise.race([this.#renewUntil(over.signal), whenAborted(over.signal)]);
    } catch (error) {
      if (signal.aborted) throw new Aborted();
      if (!(error instanceof Aborted)) log.write('warn', `lease: ${messageOf(error)}`, { error });
      return false;
    } finally {
      deadline.cancel();
      signal.removeEventListener('abort', onStop);
    }
  }

  async #renewUntil(over: AbortSignal): Promise<boolean> {
    for (;;) {
      if (await this.#tryAcquireOrRenew()) return true;
      await this.#options.clock.sleep(this.#times.retryPeriodMs, over, { background: true });
    }
  }

  async #tryAcquireOrRenew(): Promise<boolean> {
    try {
      if (this.isLeader && this.#isValid() && (await this.#renewOptimistically())) return true;
      return await this.#acquireOrRenewAfterRead();
    } catch (error) {
      if (!isApiError(error)) this.#options.log.write('warn', `lease: ${messageOf(error)}`, { error });
      return false;
    }
  }

  /** The leader's short way: the Lease is most likely as it was left. */
  async #renewOptimistically(): Promise<boolean> {
    const known = this.#observed?.lease;
    if (known === undefined) return false;
    try {
      await this.#update(known, this.#heldSpec(known.spec));
      return true;
    } catch (error) {
      if (isApiError(error)) return false;
      throw error;
    }
  }

  async #acquireOrRenewAfterRead(): Promise<boolean> {
    const lease = await this.#read();
    if (lease === undefined) {
      await this.#create();
      return true;
    }
    const holder = lease.spec.holderIdentity ?? '';
    if (holder !== '' && !this.isLeader && this.#isValid()) return false;
    await this.#update(lease, this.#heldSpec(lease.spec));
    return true;
  }

  async #read(): Promise<Lease | undefined> {
    const { cluster, namespace, name } = this.#options;
    const lease = await foundObject(cluster, Leases, keyFrom(namespace, name));
    if (lease !== undefined) this.#observeRead(lease);
    return lease;
  }

  async #create(): Promise<void> {
    const { cluster, namespace, name } = this.#options;
    const spec = this.#heldSpec(undefined);
    const draft = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec } as const;
    const sentAt = this.#options.clock.monotonic();
    this.#observe(await cluster.create(Leases, draft));
    this.#heldFrom = sentAt;
  }

  async #update(lease: Lease, spec: LeaseSpec): Promise<void> {
    const sentAt = this.#options.clock.monotonic();
    this.#observe(await this.#options.cluster.update(Leases, { ...lease, spec }));
    this.#heldFrom = sentAt;
  }

  /** Only a change of what the Lease says starts its time anew. */
  #observeRead(lease: Lease): void {
    const known = this.#observed;
    const same = known !== undefined && JSON.stringify(lease.spec) === JSON.stringify(known.lease.spec);
    if (same) this.#observed = { lease, at: known.at };
    else this.#observe(lease);
  }

  #observe(lease: Lease): void {
    this.#observed = { lease, at: this.#options.clock.monotonic() };
  }

  #isValid(): boolean {
    return this.#validForMs() > 0;
  }

  #validForMs(): DurationMs {
    if (this.#observed === undefined) return 0;
    const { lease, at } = this.#observed;
    return at + (lease.spec.leaseDurationSeconds ?? 0) * SECOND_MS - this.#options.clock.monotonic();
  }

  #heldSpec(before: LeaseSpec | undefined): LeaseSpec {
    const { clock, identity } = this.#options;
    const now = microTimestamp(clock.now());
    const renewing = before?.holderIdentity === identity;
    const transitions = before?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.floor(this.#times.leaseDurationMs / SECOND_MS),
      acquireTime: (renewing ? before.acquireTime : undefined) ?? now,
      renewTime: now,
      leaseTransitions: renewing || before === undefined ? transitions : transitions + 1,
    };
  }

  /** Best effort: a Lease that could not be given up runs out by itself. */
  async #release(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const lease = await this.#read();
      if (lease === undefined || !this.isLeader) return;
      const now = microTimestamp(clock.now());
      const { leaseTransitions = 0 } = lease.spec;
      const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
      await this.#update(lease, spec);
    } catch (error) {
      log.write('warn', `lease ${this.#options.name} was not released: ${messageOf(error)}`, { error });
    }
  }

  #say(what: string): void {
    const lease = this.#observed?.lease;
    if (lease === undefined) return;
    this.#options.recorder?.event(lease, 'Normal', 'LeaderElection', `${this.#options.identity} ${what}`);
  }

  #report(callbacks: LeaderCallbacks): void {
    const leader = this.#observed?.lease.spec.holderIdentity;
    if (leader === undefined || leader === this.#reported) return;
    this.#reported = leader;
    callbacks.onNewLeader?.(leader);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(new Aborted());
    signal.addEventListener('abort', () => reject(new Aborted()), { once: true });
  });
}
