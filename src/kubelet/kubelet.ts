// The agent of one node: it registers the node and keeps it alive in the API, runs the pods placed on it, and gives them
// their volumes. Everything in its memory is built anew at the start, from the API, the disk and the containers.
import { Aborted, type DurationMs, SECOND_MS } from '../base/clock.ts';
import type { CsiDriver } from '../csi/driver.ts';
import type { CSIDriver } from '../kube/resources/csi-driver.ts';
import { CSIDrivers } from '../kube/resources/csi-driver.ts';
import { type Node, Nodes } from '../kube/resources/node.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import type { Reason } from '../kube/reason.ts';
import type { Component, ComponentContext } from '../runtime/component.ts';
import type { SharedInformer } from '../runtime/informer.ts';
import { InformerFactory } from '../runtime/informer-factory.ts';
import { EventRecorder } from '../runtime/recorder.ts';
import { supervise } from '../runtime/supervise.ts';
import { DEFAULT_ROOT_DIRECTORY, KubeletPaths } from './csiplugin/kubelet-paths.ts';
import { RegisteredDrivers } from './csiplugin/registered-drivers.ts';
import { LeaseRenewal } from './heartbeat/lease-renewal.ts';
import { isOwnNode } from './heartbeat/node-registration.ts';
import { NodeReport } from './heartbeat/node-status.ts';
import {
  DEFAULT_KUBELET_SETTINGS,
  type KubeletOptions,
  type KubeletPhases,
  type KubeletSettings,
} from './kubelet-options.ts';
import type { Mounter } from './mounter/mounter.ts';
import { wrapMounter } from './mounter/wrap-mounter.ts';
import { AllocatableUpdater } from './pluginwatcher/allocatable-updater.ts';
import { CsiNodeInfo } from './pluginwatcher/csi-node-info.ts';
import { PluginWatcher } from './pluginwatcher/plugin-watcher.ts';
import type { ContainerRuntime } from './podworkers/container-runtime.ts';
import { Grid } from './podworkers/grid.ts';
import { Housekeeping, HOUSEKEEPING_PERIOD_MS } from './podworkers/housekeeping.ts';
import { MemoryRuntime } from './podworkers/memory-runtime.ts';
import { type PodChange, PodManager } from './podworkers/pod-manager.ts';
import { PodSyncer } from './podworkers/pod-syncer.ts';
import { PodWorkers } from './podworkers/podworkers.ts';
import { StatusManager } from './podworkers/status-manager.ts';
import { VOLUME_CONDITION_ABNORMAL } from './reasons.ts';
import { KubeletMetrics } from './server/kubelet-metrics.ts';
import { nodeServer } from './server/server.ts';
import { timedDriver } from './server/timed-driver.ts';
import { VolumeStats } from './stats/volume-stats.ts';
import { VolumeManager } from './volumemanager/volumemanager.ts';

/** kubernetes:pkg/kubelet/config/apiserver.go WaitForAPIServerSyncPeriod */
const NODE_SYNC_POLL_MS = SECOND_MS;
/** kubernetes:pkg/kubelet/kubelet.go genericPlegRelistPeriod, syncLoop */
const RELIST_PERIOD_MS = SECOND_MS;
const SYNC_TICK_MS = SECOND_MS;
/** kubernetes:pkg/kubelet/volumemanager/populator: the first pass comes after one period, the reconciler's at once. */
const POPULATOR_PHASE_MS = 100;
/** How long somebody who asks for the figures of this node waits for its drivers. */
const DRIVER_ANSWER_MS_MAX = 2 * SECOND_MS;

export function kubelet(options: KubeletOptions): Component {
  // What belongs to the machine rather than to the process: it is there when the process starts again.
  const machine: Machine = { runtime: options.runtime, starts: 0 };
  return {
    name: `kubelet/${options.nodeName}`,
    start: (context) => {
      machine.runtime ??= new MemoryRuntime({ ...context, ...memoryOptions(options) });
      machine.starts++;
      const process = new Kubelet(context, options, machine.runtime, machine.starts === 1);
      supervise(`kubelet/${options.nodeName}`, process.run(), context.log);
    },
  };
}

interface Machine {
  runtime: ContainerRuntime | undefined;
  starts: number;
}

const memoryOptions = ({ behaviourOf }: KubeletOptions) => (behaviourOf === undefined ? {} : { behaviourOf });

/** One life of the process. */
class Kubelet {
  readonly #options: KubeletOptions;
  readonly #settings: KubeletSettings;
  readonly #context: ComponentContext;
  readonly #phases: Required<KubeletPhases> & { readonly isFirstStart: boolean };
  readonly #nodes: SharedInformer<Node>;
  readonly #driverObjects: SharedInformer<CSIDriver>;
  readonly #informers: InformerFactory;
  readonly #paths: KubeletPaths;
  readonly #drivers: RegisteredDrivers;
  readonly #pods = new PodManager();
  readonly #info: CsiNodeInfo;
  readonly #limits: AllocatableUpdater;
  readonly #plugins: PluginWatcher;
  readonly #volumes: VolumeManager;
  readonly #statuses: StatusManager;
  readonly #workers: PodWorkers;
  readonly #housekeeping: Housekeeping;
  readonly #report: NodeReport;
  readonly #stats: VolumeStats;
  readonly #metrics = new KubeletMetrics();
  #sourcesReady = false;

  constructor(context: ComponentContext, options: KubeletOptions, runtime: ContainerRuntime, isFirstStart: boolean) {
    this.#options = options;
    this.#settings = { ...DEFAULT_KUBELET_SETTINGS, ...options.settings };
    this.#context = context;
    this.#phases = phasesOf(context, options.phases ?? {}, this.#settings, isFirstStart);
    this.#paths = new KubeletPaths(options.rootDirectory ?? DEFAULT_ROOT_DIRECTORY);
    this.#drivers = new RegisteredDrivers(options.nodeName, this.#driverOf());
    this.#informers = new InformerFactory(this.#context);
    this.#nodes = this.#informers.of(Nodes, {}, { fieldSelector: `metadata.name=${options.nodeName}` });
    this.#driverObjects = this.#informers.of(CSIDrivers);
    const mounter = mortal(options.mounter, context.signal);
    const recorder = this.#recorder();
    this.#info = new CsiNodeInfo({ nodeName: options.nodeName, ...this.#context });
    this.#limits = this.#newLimits();
    this.#plugins = this.#newPlugins();
    this.#volumes = this.#newVolumes(mounter, recorder);
    this.#statuses = this.#newStatuses();
    this.#workers = this.#newWorkers({ mounter, recorder, runtime });
    this.#housekeeping = this.#newHousekeeping(mounter, runtime);
    this.#report = this.#newReport(recorder);
    this.#stats = this.#newStats(mounter, recorder);
    this.#serve(runtime);
  }

  async run(): Promise<void> {
    this.#subscribe();
    this.#informers.start();
    this.#statuses.start();
    this.#housekeeping.start();
    this.#plugins.start();
    this.#report.start();
    supervise('volume manager', this.#volumes.start(), this.#context.log);
    await this.#nodes.whenSynced(this.#context.signal);
    const node = this.#nodes.get(this.#options.nodeName);
    // Somebody else's node is left alone: no lease, no pods; the parts that write to it look for themselves.
    if (node !== undefined && !isOwnNode(node)) return undefined;
    this.#newLease().start();
    return this.#watchPods();
  }

  /** The pods are asked for once the node was, which is looked at every second. */
  async #watchPods(): Promise<void> {
    const { clock, signal } = this.#context;
    do await clock.sleep(NODE_SYNC_POLL_MS, signal);
    while (!this.#nodes.synced);
    const pods = this.#informers.of(Pods, {}, { fieldSelector: `spec.nodeName=${this.#options.nodeName}` });
    pods.subscribe((change, reason) => this.#pods.take(change, (what, why) => this.#podChanged(what, why), reason));
    this.#informers.start();
    await pods.whenSynced(signal);
    this.#sourcesReady = true;
    const reason: Reason = { type: 'started', entry: null };
    this.#volumes.mark(reason);
    this.#housekeeping.mark(reason);
  }

  #podChanged(change: PodChange, reason: Reason): void {
    const { pod } = change;
    switch (change.type) {
      case 'set':
        this.#workers.update(pod, reason);
        this.#stats.add(pod);
        break;
      case 'removed':
        this.#workers.kill(pod, reason);
        this.#stats.remove(pod.metadata.uid);
        this.#housekeeping.mark(reason);
        break;
      default:
        this.#statuses.observe(pod, reason);
        return;
    }
    this.#volumes.mark(reason);
  }

  #subscribe(): void {
    this.#nodes.subscribe((_change, reason) => this.#volumes.mark(reason));
    this.#driverObjects.subscribe(({ object }, reason) => {
      this.#limits.sync(object.metadata.name);
      this.#volumes.endAllRests();
      this.#volumes.mark(reason);
    });
  }

  // ---- parts

  #recorder(): EventRecorder {
    return new EventRecorder({ ...this.#context, component: 'kubelet', host: this.#options.nodeName });
  }

  get #csiServices() {
    return {
      nodeName: this.#options.nodeName,
      clock: this.#context.clock,
      paths: this.#paths,
      drivers: this.#drivers,
      driverObjectOf: (driver: string) => this.#driverObjects.get(driver),
    };
  }

  #newLimits(): AllocatableUpdater {
    return new AllocatableUpdater({ context: this.#context, info: this.#info, ...this.#csiServices });
  }

  #newPlugins(): PluginWatcher {
    return new PluginWatcher({
      context: this.#context,
      plugins: this.#options.plugins,
      drivers: this.#drivers,
      info: this.#info,
      onDrivers: (name) => this.#limits.sync(name),
    });
  }

  #newVolumes(mounter: Mounter, recorder: EventRecorder): VolumeManager {
    const { log, signal } = this.#context;
    const { claimChanges, observer } = this.#options;
    return new VolumeManager({
      ...(claimChanges === undefined ? {} : { claimChanges }),
      onRestOver: (podUid) => this.#workers.endRest(podUid),
      context: this.#context,
      services: {
        ...this.#csiServices,
        mounter,
        recorder,
        log,
        cachedNode: () => this.#nodes.get(this.#options.nodeName),
        count: (metric) => {
          this.#metrics.count(metric);
          observer?.counted?.(metric);
        },
      },
      podStates: {
        pods: () => this.#pods.pods(),
        podByUid: (uid) => this.#pods.podByUid(uid),
        sourcesReady: () => this.#sourcesReady,
        shouldPodContainersBeTerminating: (uid) => this.#workers.shouldPodContainersBeTerminating(uid),
        shouldPodRuntimeBeRemoved: (uid) => this.#workers.shouldPodRuntimeBeRemoved(uid),
      },
      phases: this.#phases,
      whenDriversKnown: () => this.#driverObjects.whenSynced(signal),
      onVolumesInUse: () => this.#report.volumesChanged(),
      onAttachLimit: (driver) => this.#limits.update(driver),
      ...(this.#options.serving === undefined
        ? {}
        : { onPerformed: ({ tookMs, ...performed }) => this.#metrics.operated(performed, tookMs) }),
    });
  }

  #newStatuses(): StatusManager {
    return new StatusManager({
      context: this.#context,
      podByUid: (uid) => this.#pods.podByUid(uid),
      couldHaveRunningContainers: (uid) => this.#workers.couldHaveRunningContainers(uid),
    });
  }

  #newWorkers(parts: { mounter: Mounter; recorder: EventRecorder; runtime: ContainerRuntime }): PodWorkers {
    const { clock, log } = this.#context;
    const { emitFailedMountOnTimeout, syncFrequencyMs } = this.#settings;
    const syncer = new PodSyncer({
      ...parts,
      clock,
      log,
      paths: this.#paths,
      volumes: this.#volumes,
      statuses: this.#statuses,
      hostIP: this.#options.serving?.address ?? this.#options.address,
      emitFailedMountOnTimeout,
    });
    return new PodWorkers({
      context: this.#context,
      syncer,
      runtime: parts.runtime,
      relists: this.#grid(this.#phases.relistMs, RELIST_PERIOD_MS),
      syncs: this.#grid(this.#phases.syncMs, SYNC_TICK_MS),
      syncFrequencyMs,
      ...(this.#options.claimChanges === undefined
        ? {}
        : { isAtRest: (pod: Pod) => this.#volumes.isAtRest(pod.metadata.uid) }),
      onChange: (reason) => {
        this.#volumes.mark(reason);
        this.#housekeeping.mark(reason);
      },
    });
  }

  #grid(phaseMs: DurationMs, periodMs: DurationMs): Grid {
    return new Grid(this.#context.clock.monotonic() + phaseMs, periodMs);
  }

  #newHousekeeping(mounter: Mounter, runtime: ContainerRuntime): Housekeeping {
    return new Housekeeping({
      context: this.#context,
      phaseMs: HOUSEKEEPING_PERIOD_MS,
      mounter,
      paths: this.#paths,
      runtime,
      pods: this.#pods,
      workers: this.#workers,
      statuses: this.#statuses,
      volumes: this.#volumes,
      sourcesReady: () => this.#sourcesReady,
    });
  }

  #newReport(recorder: EventRecorder): NodeReport {
    const { nodeName, labels, taints, capacity, profile, address, serving } = this.#options;
    const { nodeStatusMs, isFirstStart } = this.#phases;
    return new NodeReport({
      context: this.#context,
      shape: { nodeName, labels, taints, capacity, address, kubeletVersion: `v${profile}`, serving },
      recorder,
      nodes: this.#nodes,
      updateMs: this.#settings.nodeStatusUpdateFrequencyMs,
      reportMs: this.#settings.nodeStatusReportFrequencyMs,
      ...(isFirstStart ? { firstPeriodMs: nodeStatusMs } : {}),
      volumesInUse: () => (this.#volumes.statesSynced ? this.#volumes.volumesInUse() : undefined),
      onReported: (volumes) => this.#volumes.markVolumesAsReportedInUse(volumes),
      onRegistered: () => supervise('CSINode', this.#info.initialize(), this.#context.log),
    });
  }

  #newLease(): LeaseRenewal {
    const { leaseMs, isFirstStart } = this.#phases;
    return new LeaseRenewal({
      context: this.#context,
      nodeName: this.#options.nodeName,
      leaseDurationSeconds: this.#settings.nodeLeaseDurationSeconds,
      ...(isFirstStart ? { firstPeriodMs: leaseMs } : {}),
    });
  }

  /** Where the node is asked for itself, calls to drivers are timed. */
  #driverOf(): KubeletOptions['driverOf'] {
    const options = this.#options;
    if (options.serving === undefined) return (name) => options.driverOf(name);
    const { clock } = this.#context;
    const timed = new WeakMap<CsiDriver, CsiDriver>();
    return (name) => {
      const driver = options.driverOf(name);
      if (driver === undefined) return undefined;
      const known = timed.get(driver) ?? timedDriver(driver, clock, this.#metrics);
      timed.set(driver, known);
      return known;
    };
  }

  #serve(runtime: ContainerRuntime): void {
    const { capacity, nodeName, profile, serving } = this.#options;
    const { clock, signal } = this.#context;
    if (serving === undefined) return;
    const server = nodeServer({
      nodeName,
      version: `v${profile}`,
      capacity,
      clock,
      runtime,
      metrics: this.#metrics,
      labels: () => {
        const node = this.#nodes.get(nodeName);
        return node === undefined ? undefined : (node.metadata.labels ?? {});
      },
      pods: () => this.#pods.pods(),
      samplesOf: (pod) => this.#stats.sampleWithin(pod, DRIVER_ANSWER_MS_MAX),
      volumeNames: () => this.#volumes.volumeNames(),
    });
    serving.serve(server, signal);
  }

  #newStats(mounter: Mounter, recorder: EventRecorder): VolumeStats {
    const { csiVolumeHealth, volumeStatsAggPeriodMs } = this.#settings;
    const { claimChanges, observer } = this.#options;
    const isHeard = claimChanges === undefined || csiVolumeHealth || observer?.sampled !== undefined;
    return new VolumeStats({
      context: this.#context,
      services: { ...this.#csiServices, mounter },
      looks: this.#grid(this.#phases.statsMs, Math.max(1, volumeStatsAggPeriodMs)),
      periodMs: isHeard ? volumeStatsAggPeriodMs : 0,
      mountedVolumes: (uid) => this.#volumes.mountedVolumes(uid),
      onSampled: (pod, samples) => {
        observer?.sampled?.(pod, samples);
        for (const { name, condition } of csiVolumeHealth ? samples : []) {
          if (condition?.abnormal !== true) continue;
          recorder.event(pod, 'Warning', VOLUME_CONDITION_ABNORMAL, `Volume ${name}: ${condition.message}`);
        }
      },
    });
  }
}

/** Given phases count; others are drawn at a node's first start and counted from the start afterwards. */
function phasesOf(
  { random }: ComponentContext,
  given: KubeletPhases,
  settings: KubeletSettings,
  isFirstStart: boolean,
): Required<KubeletPhases> & { readonly isFirstStart: boolean } {
  const phases = random.fork('phases');
  const drawn = (name: keyof KubeletPhases, periodMs: DurationMs): DurationMs => {
    const fraction = phases.fork(name).fraction();
    return isFirstStart ? Math.floor(periodMs * fraction) : 0;
  };
  return {
    leaseMs: given.leaseMs ?? drawn('leaseMs', (settings.nodeLeaseDurationSeconds * SECOND_MS) / 4),
    nodeStatusMs: given.nodeStatusMs ?? drawn('nodeStatusMs', settings.nodeStatusUpdateFrequencyMs),
    relistMs: given.relistMs ?? drawn('relistMs', RELIST_PERIOD_MS),
    syncMs: given.syncMs ?? drawn('syncMs', SYNC_TICK_MS),
    populatorMs: given.populatorMs ?? POPULATOR_PHASE_MS,
    reconcilerMs: given.reconcilerMs ?? 0,
    statsMs: given.statsMs ?? drawn('statsMs', settings.volumeStatsAggPeriodMs),
    isFirstStart,
  };
}

/** The mounter of a process that can die: what it began goes on, but nothing comes of it any more. */
function mortal(mounter: Mounter, life: AbortSignal): Mounter {
  return wrapMounter(mounter, async (_call, proceed) => {
    if (life.aborted) throw new Aborted();
    const answer = await proceed();
    if (life.aborted) throw new Aborted();
    return answer;
  });
}
