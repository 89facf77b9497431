// One worker a pod, which does one thing at a time: sync, then terminating, then terminated, never back. A sync that is
// overtaken by the end of the pod is broken off. Between two things a worker waits until its containers were looked at
// again, as upstream waits for the next relist of the container runtime.
// kubernetes:pkg/kubelet/pod_workers.go
import { assert } from '../../base/assert.ts';
import { Aborted, type DurationMs, SECOND_MS, type Timer } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Disposable } from '../../kube/cluster.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { messageOf, reportFailure, supervise } from '../../runtime/supervise.ts';
import { type ContainerRuntime, isRunning, type RuntimePod } from './container-runtime.ts';
import type { Grid } from './grid.ts';
import { isTerminalPhase } from './pod-status.ts';
import { type PodSyncer, SyncError } from './pod-syncer.ts';
import { Rest } from './rest.ts';

/** After a sync that failed. kubernetes:pkg/kubelet/kubelet.go backOffPeriod */
const BACK_OFF_MS: DurationMs = 10 * SECOND_MS;
/** Each wait is drawn from one to one and a half times itself. kubernetes:pkg/kubelet/pod_workers.go */
const JITTER = 0.5;

export interface PodWorkersOptions {
  readonly context: ComponentContext;
  readonly syncer: PodSyncer;
  readonly runtime: ContainerRuntime;
  /** Looks at the containers. */
  readonly relists: Grid;
  /** Looks for pods whose time to sync has come. */
  readonly syncs: Grid;
  /** Between two syncs of a pod in which nothing happens. */
  readonly syncFrequencyMs: DurationMs;
  /** Another sync of this pod would find nothing new until `endRest` says otherwise. Absent: every sync is done. */
  readonly isAtRest?: (pod: Pod) => boolean;
  /** What others may do with the pod changed. */
  readonly onChange: (reason: Reason) => void;
}

interface Worker {
  readonly uid: string;
  /** The newest the worker was told; the containers alone if nobody knows the pod. */
  subject: Pod | RuntimePod;
  stage: 'sync' | 'terminating' | 'terminated' | 'finished';
  /** The end was begun, not only asked for. */
  terminationStarted: boolean;
  /** Zero until the end is asked for. */
  graceSeconds: number;
  pending: Reason | undefined;
  working: boolean;
  /** A step is under way, as against waiting for its turn. */
  syncing: boolean;
  /** Breaks off the sync under way; another one once it was used. */
  breakOff: AbortController;
  /** The state of the containers must be newer than this; undefined if any is new enough. */
  syncedAt: DurationMs | undefined;
  again: Timer | undefined;
  /** Set while syncs are left out. */
  rest: Rest | undefined;
}

export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #random: Random;
  readonly #workers = new Map<string, Worker>();
  #podsSynced = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#random = options.context.random.fork('resync');
    const listening = options.runtime.subscribe((uid) => this.#noticeExit(uid));
    options.context.signal.addEventListener('abort', () => this.#stop(listening), { once: true });
  }

  #stop(listening: Disposable): void {
    listening.dispose();
    for (const { again, breakOff, syncing } of this.#workers.values()) {
      again?.cancel();
      if (syncing) breakOff.abort();
    }
  }

  // ---- questions, kubernetes:pkg/kubelet/pod_workers.go

  /** All pods were seen once: a pod without a worker is a pod that is over. */
  set podsSynced(synced: boolean) {
    this.#podsSynced = synced;
  }

  couldHaveRunningContainers(uid: string): boolean {
    const stage = this.#workers.get(uid)?.stage;
    return stage === undefined ? !this.#podsSynced : !isOver(stage);
  }

  shouldPodContainersBeTerminating(uid: string): boolean {
    return this.#workers.get(uid)?.terminationStarted ?? this.#podsSynced;
  }

  shouldPodRuntimeBeRemoved(uid: string): boolean {
    const stage = this.#workers.get(uid)?.stage;
    return stage === undefined ? this.#podsSynced : isOver(stage);
  }

  isKnown(uid: string): boolean {
    return this.#workers.has(uid);
  }

  known(): readonly { readonly uid: string; readonly finished: boolean }[] {
    return [...this.#workers.values()].map(({ uid, stage }) => ({ uid, finished: stage === 'finished' }));
  }

  // ---- updates

  /** The pod is new or changed. */
  update(pod: Pod, reason: Reason): void {
    const worker = this.#workers.get(pod.metadata.uid) ?? this.#newWorker(pod);
    if (worker.stage === 'finished') return;
    worker.subject = pod;
    if (pod.metadata.deletionTimestamp !== undefined || isTerminalPhase(pod.status.phase))
      this.#requestEnd(worker, pod);
    this.#wake(worker, reason);
  }

  /** The pod is gone from the API: it must end here too. */
  kill(pod: Pod, reason: Reason): void {
    const worker = this.#workers.get(pod.metadata.uid);
    if (worker === undefined || worker.stage === 'finished') return;
    this.#requestEnd(worker, pod);
    this.#wake(worker, reason);
  }

  /** Containers that no pod explains. */
  killRuntimePod(runtimePod: RuntimePod, reason: Reason): void {
    if (this.#workers.has(runtimePod.uid)) return;
    const worker = this.#add(runtimePod.uid, runtimePod, 'terminating');
    worker.terminationStarted = true;
    this.#wake(worker, reason);
  }

  /** Forgets a worker whose pod nobody knows any more; one that is not finished is made to be. */
  removeOrphan(uid: string, reason: Reason): void {
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    if (worker.stage === 'finished') {
      this.#workers.delete(uid);
      return;
    }
    if (isPod(worker.subject)) this.#requestEnd(worker, worker.subject);
    this.#wake(worker, reason);
  }

  /** What the pod is made from may have changed: its next sync is done, at its time. */
  endRest(uid: string): void {
    const worker = this.#workers.get(uid);
    const { clock, signal } = this.#options.context;
    if (worker?.rest === undefined || signal.aborted) return;
    const now = clock.monotonic();
    const due = this.#leaveRest(worker, now);
    const wake = (): void => this.#wake(worker, { ...requeued(true), entry: null });
    worker.again = clock.after(due - now, wake, { background: true });
  }

  /** Answers when the next sync would be. */
  #leaveRest(worker: Worker, now: DurationMs): DurationMs {
    assert(worker.rest !== undefined, 'only a rest is left');
    const { last, due } = worker.rest.endAt(now);
    worker.rest = undefined;
    if (last !== undefined) worker.syncedAt = last;
    return due;
  }

  #newWorker(pod: Pod): Worker {
    const { uid } = pod.metadata;
    const isPast = isTerminalPhase(pod.status.phase) && !isRunning(this.#options.runtime.pod(uid));
    return this.#add(uid, pod, isPast ? 'terminated' : 'sync');
  }

  #add(uid: string, subject: Pod | RuntimePod, stage: Worker['stage']): Worker {
    const worker: Worker = {
      uid,
      subject,
      stage,
      terminationStarted: stage === 'terminated',
      graceSeconds: 0,
      pending: undefined,
      working: false,
      syncing: false,
      breakOff: new AbortController(),
      syncedAt: undefined,
      again: undefined,
      rest: undefined,
    };
    this.#workers.set(uid, worker);
    return worker;
  }

  #requestEnd(worker: Worker, pod: Pod): void {
    if (worker.stage === 'sync' || worker.stage === 'terminating')
      worker.graceSeconds = graceOf(worker.graceSeconds, pod);
    if (worker.stage !== 'sync') return;
    worker.stage = 'terminating';
    if (worker.syncing) worker.breakOff.abort();
  }

  #wake(worker: Worker, reason: Reason): void {
    worker.pending ??= reason;
    if (worker.working || this.#options.context.signal.aborted) return;
    worker.working = true;
    supervise(`pod worker ${worker.uid}`, this.#work(worker), this.#options.context.log);
  }

  async #work(worker: Worker): Promise<void> {
    for (let reason = worker.pending; reason !== undefined; reason = worker.pending) {
      worker.pending = undefined;
      if (worker.rest !== undefined) this.#leaveRest(worker, this.#options.context.clock.monotonic());
      await this.#waitForRelist(worker);
      await this.#doOnce(worker, reason);
    }
    worker.working = false;
  }

  /** Until the containers were looked at after the last sync. */
  async #waitForRelist({ syncedAt }: Worker): Promise<void> {
    const { context, relists } = this.#options;
    if (syncedAt === undefined) return;
    const waitMs = relists.after(syncedAt) - context.clock.monotonic();
    if (waitMs > 0) await context.clock.sleep(waitMs, context.signal);
  }

  async #doOnce(worker: Worker, reason: Reason): Promise<void> {
    const { context } = this.#options;
    worker.again?.cancel();
    if (worker.breakOff.signal.aborted) worker.breakOff = new AbortController();
    worker.syncing = true;
    let isFine = false;
    try {
      await this.#step(worker, { signal: worker.breakOff.signal, reason });
      isFine = true;
    } catch (error) {
      if (context.signal.aborted) throw new Aborted();
      this.#tellFailure(worker, error);
    } finally {
      worker.syncing = false;
    }
    if (worker.stage !== 'finished') this.#scheduleAgain(worker, reason, isFine);
  }

  async #step(worker: Worker, sync: { readonly signal: AbortSignal; readonly reason: Reason }): Promise<void> {
    switch (worker.stage) {
      case 'sync':
        return this.#sync(worker, sync);
      case 'terminating':
        return this.#terminate(worker, sync);
      case 'terminated':
        await this.#options.syncer.syncTerminatedPod(podOf(worker), sync).finally(() => this.#synced(worker));
        worker.stage = 'finished';
        worker.pending = undefined;
        return this.#options.onChange(sync.reason);
      default:
        return undefined;
    }
  }

  async #sync(worker: Worker, sync: { readonly signal: AbortSignal; readonly reason: Reason }): Promise<void> {
    const outcome = await this.#options.syncer.syncPod(podOf(worker), sync).finally(() => this.#synced(worker));
    if (outcome === 'unchanged') return;
    if (outcome === 'ended' && worker.stage === 'sync') {
      worker.stage = 'terminating';
      worker.terminationStarted = true;
      worker.graceSeconds = graceOf(worker.graceSeconds, podOf(worker));
    }
    // Containers that were started are looked at right away.
    if (outcome === 'started') worker.syncedAt = undefined;
    worker.pending ??= sync.reason;
  }

  async #terminate(worker: Worker, sync: { readonly signal: AbortSignal; readonly reason: Reason }): Promise<void> {
    const { onChange, syncer } = this.#options;
    worker.terminationStarted = true;
    onChange(sync.reason);
    const { subject } = worker;
    if (!isPod(subject)) {
      await syncer.syncTerminatingRuntimePod(subject);
      worker.stage = 'finished';
      this.#workers.delete(worker.uid);
      return onChange(sync.reason);
    }
    await syncer.syncTerminatingPod(subject, worker.graceSeconds, sync);
    // Before the status is told: a phase counts as terminal only when no container can run any more.
    worker.stage = 'terminated';
    syncer.tellEnded(subject, sync.reason);
    this.#synced(worker);
    worker.pending ??= sync.reason;
    return onChange(sync.reason);
  }

  #synced(worker: Worker): void {
    worker.syncedAt = this.#options.context.clock.monotonic();
  }

  #tellFailure({ uid, subject }: Worker, error: unknown): void {
    const { log } = this.#options.context;
    if (error instanceof Aborted) return;
    const name = isPod(subject) ? `${subject.metadata.namespace ?? ''}/${subject.metadata.name}` : uid;
    if (error instanceof SyncError) log.write('warn', `pod ${name}: ${error.message}`, { uid, error });
    else reportFailure(`pod ${name}: ${messageOf(error)}`, error, log);
  }

  /** Healthy pods are looked at from time to time, which is no reason to stay awake; others sooner. */
  #scheduleAgain(worker: Worker, reason: Reason, isFine: boolean): void {
    const { clock, signal } = this.#options.context;
    if (signal.aborted) return;
    const now = clock.monotonic();
    if (isFine && this.#mayRest(worker)) {
      const random = this.#random.fork(worker.uid);
      worker.rest = new Rest(now, (from) => this.#nextSync(from, true, random));
      return;
    }
    const due = this.#nextSync(now, isFine, this.#random);
    const wake = (): void => this.#wake(worker, { ...requeued(isFine), entry: reason.entry });
    worker.again = clock.after(due - now, wake, { background: isFine });
  }

  #mayRest({ stage, pending, subject }: Worker): boolean {
    const { isAtRest } = this.#options;
    return stage === 'sync' && pending === undefined && isPod(subject) && isAtRest?.(subject) === true;
  }

  #nextSync(from: DurationMs, isFine: boolean, random: Random): DurationMs {
    const { syncFrequencyMs, syncs } = this.#options;
    return syncs.notBefore(from + (isFine ? syncFrequencyMs : BACK_OFF_MS) * (1 + JITTER * random.fraction()));
  }

  /** Noticed when the containers are looked at next. */
  #noticeExit(uid: string): void {
    const { context, relists } = this.#options;
    const worker = this.#workers.get(uid);
    if (worker === undefined || context.signal.aborted) return;
    const now = context.clock.monotonic();
    context.clock.after(relists.after(now) - now, () => this.#wake(worker, { type: 'deadline', entry: null }));
  }
}

const requeued = (isFine: boolean): { readonly type: 'requeued'; readonly waitingFor: string } => ({
  type: 'requeued',
  waitingFor: isFine ? 'the next sync of the pod' : 'another try after a failed sync',
});

const isOver = (stage: Worker['stage']): boolean => stage === 'terminated' || stage === 'finished';

const isPod = (subject: Pod | RuntimePod): subject is Pod => 'metadata' in subject;

function podOf({ subject }: Worker): Pod {
  assert(isPod(subject), 'only a pod is synced, containers without one are ended');
  return subject;
}

/** The shortest that anybody asked for, and at least a second. */
function graceOf(before: number, pod: Pod): number {
  const { deletionGracePeriodSeconds: asked } = pod.metadata;
  if (asked !== undefined && (before === 0 || asked < before)) return Math.max(1, asked);
  return before === 0 ? Math.max(1, pod.spec.terminationGracePeriodSeconds ?? 30) : before;
}
