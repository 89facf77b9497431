// The volumes of one node: what its pods need is attached by the controller, staged and mounted here, and let go again.
// Two loops on a 100 ms grid that pass only when something changed, and operations beside them.
// kubernetes:pkg/kubelet/volumemanager/volume_manager.go
import { Aborted, type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Reason } from '../../kube/reason.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { persistentCsiId } from '../csiplugin/volume-spec.ts';
import { attachmentOf } from '../csiplugin/wait-for-attach.ts';
import { ActualStateOfWorld, type MountedVolume } from './actual-state-of-world.ts';
import { DesiredStateOfWorld, type VolumeToMount } from './desired-state-of-world.ts';
import { ExpansionWaits } from './expansion-waits.ts';
import { NestedOperations, type PerformedOperation } from './nested-operations.ts';
import { expectedVolumesOf } from './pod-volumes.ts';
import { type ClaimChanges, DesiredStateOfWorldPopulator, type PodStates } from './populator.ts';
import { VolumeReconciler } from './reconciler.ts';
import { reconstructVolumes } from './reconstruct.ts';
import type { VolumeServices } from './volume-services.ts';
import { pollUntil } from './poll-until.ts';

/** kubernetes:pkg/kubelet/volumemanager/volume_manager.go; the odd three seconds tell this timeout from others. */
const LOOP_PERIOD_MS = 100;
const POD_POLL_MS = 300;
const POD_TIMEOUT_MS: DurationMs = 2 * MINUTE_MS + 3 * SECOND_MS;
/** gRPC's number for RESOURCE_EXHAUSTED, as the attacher writes it. */
const RESOURCE_EXHAUSTED = 8;

export interface VolumeManagerOptions {
  readonly context: ComponentContext;
  readonly services: Omit<VolumeServices, 'actual'>;
  readonly podStates: PodStates;
  /** From the start to the first pass of each loop. */
  readonly phases: { readonly populatorMs: DurationMs; readonly reconcilerMs: DurationMs };
  readonly whenDriversKnown: () => Promise<void>;
  /** Something that `volumesInUse` is made from changed. */
  onVolumesInUse(): void;
  /** The driver said that the node is full: its limit is asked for anew. */
  onAttachLimit(driver: string): Promise<void>;
  /** With it, a pod can be at rest. */
  readonly claimChanges?: ClaimChanges;
  /** A pod was at rest, and its claims or volumes may be others now. */
  onRestOver?(podUid: string): void;
  /** Told how long operations on volumes took. */
  readonly onPerformed?: (performed: PerformedOperation) => void;
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  readonly reason: Reason;
}
export type MountWait =
  | { readonly type: 'mounted' }
  /** `isTimeout`: nothing was wrong, it only took too long. */
  | { readonly type: 'failed'; readonly message: string; readonly isTimeout: boolean }
  | { readonly type: 'limit-exceeded'; readonly message: string };

export class VolumeManager {
  readonly #options: VolumeManagerOptions;
  readonly #desired: DesiredStateOfWorld;
  readonly #actual: ActualStateOfWorld;
  readonly #services: VolumeServices;
  readonly #waits: ExpansionWaits;
  readonly #populator: DesiredStateOfWorldPopulator;
  readonly #reconciler: VolumeReconciler;
  readonly #populatorLoop: GridLoop;
  readonly #reconcilerLoop: GridLoop;
  /** How often the desired or the actual state changed. */
  #changes = 0;
  /** As of a number of changes. */
  #inUse: { readonly changes: number; readonly names: readonly string[] } | undefined;
  readonly #expected = new WeakMap<Pod['spec'], readonly string[]>();
  /** Waits of pods that look again when their state changes. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: VolumeManagerOptions) {
    const { claimChanges, context, podStates, whenDriversKnown } = options;
    this.#options = options;
    const changed = (podUid: string): void => this.#changed(podUid);
    this.#desired = new DesiredStateOfWorld(changed);
    this.#actual = new ActualStateOfWorld(changed);
    this.#services = { ...options.services, actual: this.#actual };
    this.#waits = new ExpansionWaits(context, (reason) => this.#reconcilerLoop.mark(reason));
    this.#populator = new DesiredStateOfWorldPopulator({
      clock: context.clock,
      desired: this.#desired,
      actual: this.#actual,
      podStates,
      driverObjectOf: (driver) => options.services.driverObjectOf(driver),
      whenDriversKnown,
      again: (reason) => this.#populatorLoop.mark(reason),
      ...(claimChanges === undefined ? {} : { claimChanges }),
      onUnsettled: (podUid) => options.onRestOver?.(podUid),
    });
    context.signal.addEventListener('abort', () => this.#populator.stop(), { once: true });
    this.#reconciler = this.#newReconciler();
    this.#populatorLoop = this.#loop('volume populator', options.phases.populatorMs, (turn) => this.#populate(turn));
    this.#reconcilerLoop = this.#loop('volume reconciler', options.phases.reconcilerMs, (turn) =>
      this.#reconcile(turn),
    );
  }

  #newReconciler(): VolumeReconciler {
    const { clock, log, signal } = this.#options.context;
    const { onPerformed } = this.#options;
    const onFinished = (reason: Reason): void => this.mark(reason);
    return new VolumeReconciler({
      services: this.#services,
      desired: this.#desired,
      operations: new NestedOperations({
        clock,
        log,
        signal,
        onFinished,
        ...(onPerformed === undefined ? {} : { onPerformed }),
      }),
      waits: this.#waits,
      hasAddedPods: () => this.#populator.hasAddedPods,
      againAfter: (delay) => this.#reconcilerLoop.markAfter(delay, { type: 'deadline', entry: null }),
    });
  }

  #loop(name: string, phaseMs: DurationMs, pass: (turn: Turn) => Promise<void>): GridLoop {
    const { clock, cluster, log, signal } = this.#options.context;
    return new GridLoop({ name, clock, cluster, log, signal, periodMs: LOOP_PERIOD_MS, phaseMs, pass });
  }

  /** First reads what an earlier process left on disk. */
  async start(): Promise<void> {
    this.#populatorLoop.start();
    this.#reconciler.begin(await reconstructVolumes(this.#services));
    if (this.#options.context.signal.aborted) throw new Aborted();
    this.#reconcilerLoop.start();
  }

  /** Pods, workers, drivers or the node changed: both loops look at their next points. */
  mark(reason: Reason): void {
    this.#populatorLoop.mark(reason);
    this.#reconcilerLoop.mark(reason);
  }

  #changed(podUid: string): void {
    this.#changes++;
    this.#options.onVolumesInUse();
    for (const look of this.#waiting.get(podUid) ?? []) look();
  }

  async #populate(turn: Turn): Promise<void> {
    const before = { changes: this.#changes, complete: this.#populator.hasAddedPods };
    await this.#populator.pass(turn);
    const isComplete = this.#populator.hasAddedPods && !before.complete;
    if (this.#changes !== before.changes || isComplete) this.#reconcilerLoop.mark(turn.reason);
  }

  async #reconcile(turn: Turn): Promise<void> {
    for (const volumeName of this.#waits.waitingVolumes()) {
      if (!this.#desired.volumeExists(volumeName)) this.#waits.forget(volumeName);
    }
    const syncedBefore = this.#reconciler.statesSynced;
    await this.#reconciler.pass(turn);
    if (!syncedBefore && this.#reconciler.statesSynced) this.#options.onVolumesInUse();
  }

  // ---- what the node's status needs

  get statesSynced(): boolean {
    return this.#reconciler.statesSynced;
  }

  /** In order, each once. */
  volumesInUse(): readonly string[] {
    if (this.#inUse?.changes === this.#changes) return this.#inUse.names;
    const desired = this.#desired.volumesToMount().filter(({ traits }) => traits.attachable);
    const attached = this.#actual.attachedVolumes().filter(({ attachable }) => attachable);
    const names = [...new Set([...desired, ...attached].map(({ volumeName }) => volumeName))].toSorted();
    this.#inUse = { changes: this.#changes, names };
    return names;
  }

  markVolumesAsReportedInUse(reported: readonly string[]): void {
    const before = this.#changes;
    this.#desired.markVolumesReportedInUse(new Set(reported));
    if (this.#changes !== before) this.#reconcilerLoop.mark(REPORTED);
  }

  // ---- what the workers of pods need

  /** Ends when all volumes of the pod are mounted, when one cannot be, when time is up, or by the signal. */
  async waitForAttachAndMount(pod: Pod, { signal, reason }: WaitOptions): Promise<MountWait> {
    const expected = this.#expected.get(pod.spec) ?? expectedVolumesOf(pod);
    this.#expected.set(pod.spec, expected);
    if (expected.length === 0) return { type: 'mounted' };
    const { uid } = pod.metadata;
    if (!this.#populator.isSettled(uid)) this.#populator.reprocessPod(uid, reason);
    const errors = await this.#poll(uid, signal, () => this.#unmountedVolumes(uid, expected).length === 0);
    if (errors === undefined || this.#unmountedVolumes(uid, expected).length === 0) return { type: 'mounted' };
    return this.#explain(uid, expected, errors);
  }

  /** The errors that ended the wait, none of them if time was up; undefined if it ended well. */
  async #poll(podUid: string, signal: AbortSignal, isDone: () => boolean): Promise<readonly string[] | undefined> {
    let errors: readonly string[] = [];
    const done = await pollUntil({
      ...this.#options.context,
      signal,
      periodMs: POD_POLL_MS,
      timeoutMs: POD_TIMEOUT_MS,
      isDone: () => {
        errors = this.#desired.popPodErrors(podUid);
        return errors.length > 0 || isDone();
      },
      subscribe: (look) => this.#onChangeOf(podUid, look),
    });
    return done && errors.length === 0 ? undefined : errors;
  }

  #onChangeOf(podUid: string, look: () => void): () => void {
    const looks = this.#waiting.get(podUid) ?? new Set();
    looks.add(look);
    this.#waiting.set(podUid, looks);
    return () => {
      looks.delete(look);
      if (looks.size === 0) this.#waiting.delete(podUid);
    };
  }

  async #explain(podUid: string, expected: readonly string[], errors: readonly string[]): Promise<MountWait> {
    const ofPod = this.#desired.volumesOfPod(podUid);
    const unattached = ofPod.filter(
      ({ traits, volumeName }) => traits.attachable && !this.#actual.volumeExists(volumeName),
    );
    const known = new Set(ofPod.flatMap(({ outerNames }) => outerNames));
    const cause = errors.length > 0 ? errors.join('; ') : 'context deadline exceeded';
    const text = [
      `unmounted volumes=[${this.#unmountedVolumes(podUid, expected).join(' ')}]`,
      `unattached volumes=[${unattached
        .flatMap(({ outerNames }) => outerNames)
        .toSorted()
        .join(' ')}]`,
      `failed to process volumes=[${expected.filter((name) => !known.has(name)).join(' ')}]: ${cause}`,
    ].join(', ');
    for (const volume of unattached) {
      if (!(await this.#isExhausted(volume))) continue;
      const message = `Node has reached its volume attachment limit, rejecting pod. ${text}`;
      return { type: 'limit-exceeded', message };
    }
    return { type: 'failed', message: text, isTimeout: errors.length === 0 };
  }

  /** Only drivers that keep their limit up to date are believed when they say that the node is full. */
  async #isExhausted({ spec }: VolumeToMount): Promise<boolean> {
    const id = persistentCsiId(spec);
    const period = id && this.#services.driverObjectOf(id.driver)?.spec.nodeAllocatableUpdatePeriodSeconds;
    if (id === undefined || period === undefined) return false;
    const { cluster } = this.#options.context;
    const read = await attempt(() => cluster.get(VolumeAttachments, attachmentOf(this.#services, id)));
    if (read.failed || read.value.status.attachError?.errorCode !== RESOURCE_EXHAUSTED) return false;
    await this.#options.onAttachLimit(id.driver);
    return true;
  }

  /** Uncertain mounts do not count here. The failure's text, or undefined. */
  async waitForUnmount(podUid: string, { signal, reason }: WaitOptions): Promise<string | undefined> {
    this.#populator.reprocessPod(podUid, reason);
    const errors = await this.#poll(podUid, signal, () => this.#actual.mountedVolumesOfPod(podUid).length === 0);
    const mounted = this.#actual.mountedVolumesOfPod(podUid).map(({ volumeName }) => volumeName);
    if (errors === undefined || mounted.length === 0) return undefined;
    const cause = errors.length > 0 ? errors.join('; ') : 'context deadline exceeded';
    return `mounted volumes=[${mounted.join(' ')}]: ${cause}`;
  }

  /** Everything is mounted as it shall be, and reading claims and volumes again would change nothing. */
  isAtRest(podUid: string): boolean {
    if (!this.#populator.isSettled(podUid)) return false;
    return this.#desired
      .volumesOfPod(podUid)
      .every(
        ({ volumeName, desiredSize }) => this.#actual.decideMount(volumeName, podUid, desiredSize).type === 'none',
      );
  }

  /** An object that says how volumes are to be treated changed. */
  endAllRests(): void {
    this.#populator.unsettleAll();
  }

  hasPossiblyMountedVolumes(podUid: string): boolean {
    return this.#actual.possiblyMountedVolumesOfPod(podUid).length > 0;
  }

  /** Told of changes until the answered function is called. */
  subscribe(podUid: string, look: () => void): () => void {
    return this.#onChangeOf(podUid, look);
  }

  /** The volumes a pod has, by the names it calls them. */
  mountedVolumes(podUid: string): ReadonlyMap<string, MountedVolume> {
    const mounted = new Map(this.#actual.mountedVolumesOfPod(podUid).map((volume) => [volume.volumeName, volume]));
    const named = new Map<string, MountedVolume>();
    for (const { outerNames, volumeName } of this.#desired.volumesOfPod(podUid)) {
      const volume = mounted.get(volumeName);
      if (volume !== undefined) for (const name of outerNames) named.set(name, volume);
    }
    return named;
  }

  /** Names of volumes, once for each pod that wants or has them. */
  volumeNames(): { readonly wanted: readonly string[]; readonly mounted: readonly string[] } {
    const wanted = this.#desired.volumesToMount().map(({ volumeName }) => volumeName);
    const mounted = this.#actual.allMountedVolumes().filter(({ state }) => state === 'mounted');
    return { wanted, mounted: mounted.map(({ volumeName }) => volumeName) };
  }

  #unmountedVolumes(podUid: string, expected: readonly string[]): readonly string[] {
    const mounted = this.mountedVolumes(podUid);
    return expected.filter((name) => !mounted.has(name));
  }
}

/** The node's status is written at its own times: nothing recorded leads there. */
const REPORTED: Reason = { type: 'deadline', entry: null };
