// The controller that attaches volumes to the nodes of their pods and detaches them when the pods are gone. For CSI that
// means: it makes and deletes VolumeAttachments, waits for the external attacher, and tells each Node what it has.
import { type DurationMs } from '../../base/clock.ts';
import { keyOf } from '../../kube/object.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { type Reason } from '../../kube/reason.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import { type Change } from '../../runtime/informer.ts';
import { type InformerFactory, informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import { ActualStateOfWorld } from './actual-state-of-world.ts';
import { AttachLog } from './attach-log.ts';
import { AttachmentPoll } from './attachment-poll.ts';
import { AttachmentSweep } from './attachment-sweep.ts';
import { CsiAttachments } from './csi-attachments.ts';
import { DesiredStateOfWorld } from './desired-state-of-world.ts';
import { NodeStatusUpdater } from './node-status-updater.ts';
import { type Pair } from './pair.ts';
import { shuffledPairs, sortedPairs } from './pass-order.ts';
import { Populator } from './populator.ts';
import { profileOf } from './profile.ts';
import { Reconciler } from './reconciler.ts';
import { isManaged, restoreStates } from './restore.ts';
import { type AttachDetachSettings, DEFAULT_TIMERS, SYNC_PERIOD_MS, SYNC_PERIOD_MS_MIN } from './settings.ts';
import { VolumeOperations } from './volume-operations.ts';
import { type Catalogue } from './volume-spec.ts';
import { VolumeWork } from './volume-work.ts';

const NAME = 'attachdetach-controller';
const RESYNC: Reason = { type: 'resync', entry: null };

export function attachDetachController(settings: AttachDetachSettings = {}): Component {
  return {
    name: NAME,
    start: (context) => supervise(NAME, new AttachDetach(context, settings).run(), context.log),
  };
}

class AttachDetach {
  readonly #context: ComponentContext;
  readonly #settings: AttachDetachSettings;
  readonly #informers: InformerFactory;
  readonly #listers: Listers;
  readonly #actual = new ActualStateOfWorld();
  readonly #desired = new DesiredStateOfWorld();
  readonly #catalogue: Catalogue;
  readonly #poll: AttachmentPoll;
  readonly #populator: Populator;
  readonly #sweep: AttachmentSweep;
  readonly #reconciler: Reconciler;
  readonly #loop: GridLoop;

  constructor(context: ComponentContext, settings: AttachDetachSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#informers = informerSet(context);
    this.#listers = listersOf(this.#informers);
    const { pods, claims, volumes, drivers, attachments } = this.#listers;
    this.#catalogue = {
      claim: (key) => claims.get(key),
      persistentVolume: (name) => volumes.get(name),
      csiDriver: (name) => drivers.get(name),
    };
    this.#poll = new AttachmentPoll({ ...context, random: context.random.fork('attachment polls'), attachments });
    const csi = new CsiAttachments({ attachments, poll: this.#poll, timeoutMs: this.#timers.csiTimeoutMs });
    this.#populator = new Populator({
      desired: this.#desired,
      pods,
      catalogue: this.#catalogue,
      onChanged: (volume, reason) => this.#reconciler.mark(volume, reason),
    });
    this.#sweep = new AttachmentSweep({
      ...context,
      actual: this.#actual,
      attachments,
      csi,
      catalogue: this.#catalogue,
      periodMs: this.#sweepPeriodMs,
      onDue: () => this.#loop.mark(RESYNC),
      onLost: (volume) => this.#reconciler.mark(volume, RESYNC),
    });
    this.#reconciler = this.#buildReconciler(csi);
    this.#loop = new GridLoop({
      ...context,
      name: NAME,
      periodMs: this.#timers.reconcilerLoopPeriodMs,
      pass: async (turn) => {
        await this.#reconciler.pass(turn);
        supervise(`${NAME} sweep`, this.#sweep.sweepIfDue(turn.cluster), context.log);
      },
    });
  }

  /** The order is upstream's: the actual state first, then the desired one, then the loops. */
  async run(): Promise<void> {
    const restored = this.#restore();
    this.#follow(restored);
    this.#informers.start();
    await restored;
    this.#loop.start();
    const { reconcilerLoopPeriodMs, populatorLoopMs, listPodsRetryMs } = this.#timers;
    if (this.#settings.looksAtAll === true) every(this.#context, reconcilerLoopPeriodMs, () => this.#markAll(RESYNC));
    every(this.#context, populatorLoopMs, () => this.#populator.removeGone(RESYNC));
    every(this.#context, listPodsRetryMs, () => this.#populator.addMissed(RESYNC));
  }

  async #restore(): Promise<void> {
    const { nodes, pods, attachments } = this.#listers;
    await this.#informers.whenSynced(this.#context.signal);
    restoreStates({
      nodes,
      pods,
      attachments,
      catalogue: this.#catalogue,
      actual: this.#actual,
      desired: this.#desired,
      populator: this.#populator,
      log: this.#context.log,
    });
    this.#sweep.suspectAll();
    this.#markAll({ type: 'started', entry: null });
  }

  #markAll(reason: Reason): void {
    for (const volume of this.#actual.volumes()) this.#reconciler.mark(volume, reason);
    for (const volume of this.#desired.volumes()) this.#reconciler.mark(volume, reason);
  }

  /** Handlers listen from the start, so that the states are complete once the informers are. */
  #follow(restored: Promise<void>): void {
    const { nodes, pods, claims, drivers, attachments } = this.#listers;
    nodes.subscribe((change, reason) => this.#nodeChanged(change, reason));
    pods.subscribe((change, reason) => this.#populator.podChanged(change, reason));
    drivers.subscribe(() => this.#populator.driverChanged());
    attachments.subscribe((change, reason) => {
      this.#sweep.attachmentChanged(change);
      this.#poll.changed(change.object.metadata.name, reason);
    });
    startController({
      context: this.#context,
      workers: 1,
      waitFor: [{ whenSynced: () => restored }],
      triggers: [trigger(claims, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
      reconciler: {
        name: NAME,
        kind: PersistentVolumeClaims.kind,
        reconcile: async (key, { reason }) => {
          this.#populator.claimChanged(key, reason);
          return { type: 'settled' };
        },
      },
    });
  }

  /** A Node that goes is remembered with what it last had in use, as long as its volumes are attached. */
  #nodeChanged({ type, object }: Change<Node>, reason: Reason): void {
    const { name } = object.metadata;
    if (type === 'deleted') this.#desired.deleteNode(name);
    else if (isManaged(object)) this.#desired.addNode(name);
    this.#actual.setMounted(name, object.status.volumesInUse ?? []);
    this.#reconciler.nodeChanged(name, reason);
    if (type !== 'added') return;
    // A Node that was made anew has lost its list.
    this.#actual.requireReport(name);
    if (this.#actual.nodesToReport().length > 0) this.#loop.mark(reason);
  }

  #buildReconciler(csi: CsiAttachments): Reconciler {
    const { nodes } = this.#listers;
    const shared = { ...this.#context, actual: this.#actual, desired: this.#desired, nodes };
    const profile = profileOf(this.#settings.profile);
    const recorder = new EventRecorder({ ...this.#context, component: NAME });
    const operations: VolumeOperations = new VolumeOperations({
      ...this.#context,
      onFree: (volume, reason) => this.#reconciler.mark(volume, reason),
    });
    const forcesOnTimeout = !(profile.hasDisableForceDetach && this.#settings.disableForceDetachOnTimeout === true);
    return new Reconciler({
      ...shared,
      operations,
      recorder,
      work: new VolumeWork({ actual: this.#actual, csi, recorder, profile }),
      statuses: new NodeStatusUpdater(shared),
      log: new AttachLog({ ...this.#context, actor: NAME }),
      policy: { ...profile, forcesOnTimeout, maxWaitForUnmountMs: this.#timers.maxWaitForUnmountMs },
      multiAttach: profile.multiAttach,
      order: this.#order(),
      wake: (reason) => this.#loop.mark(reason),
    });
  }

  #order(): (pairs: readonly Pair[]) => readonly Pair[] {
    const random = this.#context.random.fork('pass order');
    return this.#settings.passOrder === 'shuffled' ? (pairs) => shuffledPairs(pairs, random) : sortedPairs;
  }

  get #timers(): typeof DEFAULT_TIMERS {
    return { ...DEFAULT_TIMERS, ...this.#settings.timers };
  }

  get #sweepPeriodMs(): DurationMs | undefined {
    const { attachDetachReconcileSyncPeriodMs: periodMs = SYNC_PERIOD_MS } = this.#settings;
    const isOff = this.#settings.disableAttachDetachReconcileSync === true || periodMs < SYNC_PERIOD_MS_MIN;
    return isOff ? undefined : periodMs;
  }
}

type Listers = ReturnType<typeof listersOf>;

function listersOf(informers: InformerFactory) {
  return {
    pods: informers.of(Pods, { claim: claimKeysOf }),
    nodes: informers.of(Nodes),
    claims: informers.of(PersistentVolumeClaims),
    volumes: informers.of(PersistentVolumes),
    drivers: informers.of(CSIDrivers),
    attachments: informers.of(VolumeAttachments),
  };
}

/** At once and then again and again. An idle heartbeat: it does not keep a simulated world from being quiet. */
function every(context: ComponentContext, periodMs: DurationMs, run: () => void): void {
  const { clock, signal } = context;
  if (signal.aborted) return;
  run();
  const timer = clock.after(
    periodMs,
    () => {
      signal.removeEventListener('abort', cancel);
      every(context, periodMs, run);
    },
    { background: true },
  );
  const cancel = (): void => timer.cancel();
  signal.addEventListener('abort', cancel, { once: true });
}
