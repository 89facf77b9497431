// What is done for one pod: set up, end, clean up. Each is tried again until it succeeds.
// kubernetes:pkg/kubelet/kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod, SyncTerminatingRuntimePod
import { Aborted, type Clock, type DurationMs, SECOND_MS } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod, PodStatus } from '../../kube/resources/pod.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { csiIdOf } from '../csiplugin/volume-spec.ts';
import { type KubeletPaths, VOLUME_DIRECTORY_MODE } from '../csiplugin/kubelet-paths.ts';
import { isMountError, type Mounter } from '../mounter/mounter.ts';
import {
  CREATED,
  FAILED_MAKE_POD_DATA_DIRECTORIES,
  FAILED_MOUNT,
  KILLING,
  STARTED,
  VOLUME_ATTACHMENT_LIMIT_EXCEEDED,
} from '../reasons.ts';
import { pollUntil } from '../volumemanager/poll-until.ts';
import { makeSubPaths } from '../volumemanager/sub-paths.ts';
import type { VolumeManager } from '../volumemanager/volumemanager.ts';
import { type ContainerRuntime, isRunning, type RuntimePod } from './container-runtime.ts';
import { hasMountsOnDisk } from './mounts-on-disk.ts';
import { generatePodStatus, isTerminalPhase } from './pod-status.ts';
import type { StatusManager } from './status-manager.ts';

/** kubernetes:pkg/kubelet/kubelet.go SyncTerminatedPod */
const VOLUME_POLL_MS = 100;
/** Upstream looks at the disk as often as at its lists. */
const DISK_LOOK_MS: DurationMs = 2 * SECOND_MS;
/** For containers of a pod that nobody knows. kubernetes:pkg/kubelet/kubelet.go SyncTerminatingRuntimePod */
const ORPHAN_GRACE_SECONDS = 1;

export interface PodSyncerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: Recorder;
  readonly mounter: Mounter;
  readonly paths: KubeletPaths;
  readonly runtime: ContainerRuntime;
  readonly volumes: VolumeManager;
  readonly statuses: StatusManager;
  readonly hostIP: string | undefined;
  /** Kubelets of old told of a wait that only took too long. */
  readonly emitFailedMountOnTimeout: boolean;
}

/** A sync that did not come to its end; said already where it is to be said. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
}

export interface SyncOptions {
  readonly signal: AbortSignal;
  readonly reason: Reason;
}
export type SyncOutcome = 'ended' | 'started' | 'unchanged';

/** What the status of a running pod was made from, if it came out as it was before. */
interface Confirmed {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod | undefined;
  readonly status: PodStatus;
}

export class PodSyncer {
  readonly #options: PodSyncerOptions;
  /** By uid. While nothing of it is another object, making the status again gives the same. */
  readonly #confirmed = new Map<string, Confirmed>();

  constructor(options: PodSyncerOptions) {
    this.#options = options;
  }

  /** `ended`: the pod is over and its containers are to be ended. Throws a SyncError, or Aborted by the signal. */
  async syncPod(pod: Pod, sync: SyncOptions): Promise<SyncOutcome> {
    const { runtime, statuses, volumes } = this.#options;
    const { uid } = pod.metadata;
    if (!this.#isConfirmed(pod)) {
      const before = statuses.statusOf(uid);
      const status = this.#statusOf(pod, false);
      statuses.setPodStatus(pod, status, sync.reason);
      if (isTerminalPhase(status.phase)) return 'ended';
      if (before !== undefined && statuses.statusOf(uid) === before)
        this.#confirmed.set(uid, { pod, runtimePod: runtime.pod(uid), status: before });
    }
    await this.#makeDirectories(pod);
    const wait = await volumes.waitForAttachAndMount(pod, sync);
    if (wait.type === 'limit-exceeded') {
      this.#reject(pod, wait.message, sync.reason);
      return 'ended';
    }
    if (wait.type === 'failed') throw this.#mountError(pod, wait);
    if (isWholePodRunning(pod, runtime.pod(uid))) return 'unchanged';
    await this.#makeSubPaths(pod, sync.signal);
    const before = runtime.pod(uid);
    await runtime.start(pod, () => statuses.setPodStatus(pod, this.#statusOf(pod, false), sync.reason));
    this.#tellStarted(pod, before);
    return 'started';
  }

  #isConfirmed(pod: Pod): boolean {
    const { runtime, statuses } = this.#options;
    const { uid } = pod.metadata;
    const known = this.#confirmed.get(uid);
    if (known === undefined) return false;
    return known.pod === pod && known.runtimePod === runtime.pod(uid) && known.status === statuses.statusOf(uid);
  }

  #tellStarted(pod: Pod, before: RuntimePod | undefined): void {
    const { recorder, runtime } = this.#options;
    const old = new Set(before?.containers.map(({ id }) => id));
    for (const { id } of runtime.pod(pod.metadata.uid)?.containers ?? []) {
      if (old.has(id)) continue;
      recorder.event(pod, 'Normal', CREATED, 'Container created');
      recorder.event(pod, 'Normal', STARTED, 'Container started');
    }
  }

  async #makeDirectories(pod: Pod): Promise<void> {
    const { mounter, paths, recorder } = this.#options;
    try {
      await mounter.makeDirectory(paths.podVolumesDirectory(pod.metadata.uid), VOLUME_DIRECTORY_MODE);
    } catch (error) {
      if (!isMountError(error)) throw error;
      const text = `error making pod data directories: ${error.message}`;
      recorder.event(pod, 'Warning', FAILED_MAKE_POD_DATA_DIRECTORIES, text);
      throw new SyncError(text);
    }
  }

  #statusOf(pod: Pod, isTerminal: boolean): PodStatus {
    const { clock, hostIP, runtime, statuses } = this.#options;
    const { uid } = pod.metadata;
    const before = statuses.statusOf(uid) ?? pod.status;
    return generatePodStatus({ pod, runtimePod: runtime.pod(uid), before, isTerminal, now: clock.now(), hostIP });
  }

  #mountError(pod: Pod, { message, isTimeout }: { readonly message: string; readonly isTimeout: boolean }): SyncError {
    const { emitFailedMountOnTimeout, recorder } = this.#options;
    const text = `Unable to attach or mount volumes: ${message}`;
    if (!isTimeout || emitFailedMountOnTimeout) recorder.event(pod, 'Warning', FAILED_MOUNT, text);
    return new SyncError(message);
  }

  #reject(pod: Pod, message: string, reason: Reason): void {
    const { recorder, statuses } = this.#options;
    recorder.event(pod, 'Warning', VOLUME_ATTACHMENT_LIMIT_EXCEEDED, message);
    const { qosClass } = pod.status;
    const status = {
      phase: 'Failed',
      reason: VOLUME_ATTACHMENT_LIMIT_EXCEEDED,
      message: `Pod was rejected: ${message}`,
      ...(qosClass === undefined ? {} : { qosClass }),
    };
    statuses.setPodStatus(pod, status, reason);
  }

  async #makeSubPaths(pod: Pod, signal: AbortSignal): Promise<void> {
    const { paths, volumes } = this.#options;
    const { uid } = pod.metadata;
    const mounted = volumes.mountedVolumes(uid);
    const volumeOf = (outerName: string) => {
      const volume = mounted.get(outerName);
      if (volume === undefined) return undefined;
      const { spec, plugin } = volume;
      const isCsi = csiIdOf(spec, uid) !== undefined;
      const path = isCsi ? paths.csiTarget(uid, spec.name) : paths.podVolumeDirectory(uid, plugin, spec.name);
      return { specName: spec.name, path };
    };
    try {
      await makeSubPaths(this.#options, pod, volumeOf, signal);
    } catch (error) {
      throw isMountError(error) ? new SyncError(error.message) : error;
    }
  }

  /** Ends the containers. What the pod said before is said again first. */
  async syncTerminatingPod(pod: Pod, graceSeconds: number, { reason }: SyncOptions): Promise<void> {
    const { runtime, statuses } = this.#options;
    const { uid } = pod.metadata;
    this.#confirmed.delete(uid);
    statuses.setPodStatus(pod, this.#statusOf(pod, false), reason);
    this.#tellKilling(pod, runtime.pod(uid));
    await runtime.stop(uid, graceSeconds);
  }

  tellEnded(pod: Pod, reason: Reason): void {
    this.#options.statuses.setPodStatus(pod, this.#statusOf(pod, true), reason);
  }

  /** Ends containers that run without any pod that explains them. */
  async syncTerminatingRuntimePod(runtimePod: RuntimePod): Promise<void> {
    const { runtime } = this.#options;
    this.#tellKilling(podOfRuntime(runtimePod), runtimePod);
    await runtime.stop(runtimePod.uid, ORPHAN_GRACE_SECONDS);
    runtime.remove(runtimePod.uid);
  }

  #tellKilling(about: KubeObject, runtimePod: RuntimePod | undefined): void {
    for (const { name, exit } of runtimePod?.containers ?? []) {
      if (exit === undefined) this.#options.recorder.event(about, 'Normal', KILLING, `Stopping container ${name}`);
    }
  }

  /** Waits until the pod has no volume here any more, then says the last word. Throws a SyncError, or Aborted. */
  async syncTerminatedPod(pod: Pod, sync: SyncOptions): Promise<void> {
    const { mounter, paths, runtime, statuses, volumes } = this.#options;
    const { uid } = pod.metadata;
    statuses.setPodStatus(pod, this.#statusOf(pod, true), sync.reason);
    const mounted = await volumes.waitForUnmount(uid, sync);
    if (mounted !== undefined) throw new SyncError(mounted);
    await this.#untilUnmounted(uid, sync.signal);
    while (await hasMountsOnDisk(mounter, paths, uid)) {
      await this.#untilChange(uid, sync.signal);
      await this.#untilUnmounted(uid, sync.signal);
    }
    runtime.remove(uid);
    statuses.terminatePod(pod, sync.reason);
  }

  #untilUnmounted(uid: string, signal: AbortSignal): Promise<boolean> {
    const { clock, volumes } = this.#options;
    return pollUntil({
      clock,
      signal,
      periodMs: VOLUME_POLL_MS,
      isDone: () => !volumes.hasPossiblyMountedVolumes(uid),
      subscribe: (look) => volumes.subscribe(uid, look),
    });
  }

  /** Until something becomes known of the pod's volumes, or a while: what somebody unmounts by hand nobody tells. */
  async #untilChange(uid: string, signal: AbortSignal): Promise<void> {
    const { clock, volumes } = this.#options;
    const change = new AbortController();
    const unsubscribe = volumes.subscribe(uid, () => change.abort());
    try {
      await clock.sleep(DISK_LOOK_MS, AbortSignal.any([signal, change.signal]), { background: true });
    } catch (error) {
      if (signal.aborted || !(error instanceof Aborted)) throw error;
    } finally {
      unsubscribe();
    }
  }
}

function isWholePodRunning({ spec }: Pod, runtimePod: RuntimePod | undefined): boolean {
  if (!isRunning(runtimePod)) return false;
  return spec.containers.every(({ name }) =>
    runtimePod?.containers.some((each) => each.name === name && each.exit === undefined),
  );
}

/** As much of the pod as its containers tell: enough for an Event. */
function podOfRuntime({ uid, name, namespace }: RuntimePod): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { uid, name, namespace, resourceVersion: '', creationTimestamp: '' },
  };
}
