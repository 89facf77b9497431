// Ends and removes what no pod of the API explains any more: workers, containers, directories. Upstream looks every two
// seconds; here it looks at the same instants when a pod went, and while something could not be removed.
// kubernetes:pkg/kubelet/kubelet_pods.go HandlePodCleanups, kubernetes:pkg/kubelet/kubelet_volumes.go
import { SECOND_MS, type Timer } from '../../base/clock.ts';
import type { Reason } from '../../kube/reason.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Turn } from '../../runtime/controller.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import type { KubeletPaths } from '../csiplugin/kubelet-paths.ts';
import type { Mounter } from '../mounter/mounter.ts';
import type { VolumeManager } from '../volumemanager/volumemanager.ts';
import { type ContainerRuntime, isRunning } from './container-runtime.ts';
import { removeOrphanedDirectory } from './orphaned-directory.ts';
import type { PodManager } from './pod-manager.ts';
import type { PodWorkers } from './podworkers.ts';
import type { StatusManager } from './status-manager.ts';

/** kubernetes:pkg/kubelet/kubelet.go housekeepingPeriod */
export const HOUSEKEEPING_PERIOD_MS = 2 * SECOND_MS;

export interface HousekeepingOptions {
  readonly context: ComponentContext;
  readonly phaseMs: number;
  readonly mounter: Mounter;
  readonly paths: KubeletPaths;
  readonly runtime: ContainerRuntime;
  readonly pods: PodManager;
  readonly workers: PodWorkers;
  readonly statuses: StatusManager;
  readonly volumes: VolumeManager;
  readonly sourcesReady: () => boolean;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #loop: GridLoop;
  #again: Timer | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    const { clock, cluster, log, signal } = options.context;
    signal.addEventListener('abort', () => this.#again?.cancel(), { once: true });
    this.#loop = new GridLoop({
      name: 'housekeeping',
      clock,
      cluster,
      log,
      signal,
      periodMs: HOUSEKEEPING_PERIOD_MS,
      phaseMs: options.phaseMs,
      pass: (turn) => this.#pass(turn),
    });
  }

  start(): void {
    this.#loop.start();
  }

  mark(reason: Reason): void {
    this.#loop.mark(reason);
  }

  async #pass({ reason }: Turn): Promise<void> {
    const { pods, runtime, sourcesReady, statuses, volumes, workers } = this.#options;
    if (!sourcesReady()) return;
    workers.podsSynced = true;
    // Volumes of pods that nobody knows may be let go from now on.
    volumes.mark(reason);
    for (const { uid } of workers.known()) if (pods.podByUid(uid) === undefined) workers.removeOrphan(uid, reason);
    for (const uid of statuses.knownPods()) if (pods.podByUid(uid) === undefined) statuses.forget(uid);
    for (const runtimePod of runtime.pods()) {
      if (pods.podByUid(runtimePod.uid) !== undefined || workers.isKnown(runtimePod.uid)) continue;
      if (isRunning(runtimePod)) workers.killRuntimePod(runtimePod, reason);
      else runtime.remove(runtimePod.uid);
    }
    if (await this.#removeOrphanedDirectories()) this.#lookAgain();
  }

  /** Whether something is left that cannot be removed yet. */
  async #removeOrphanedDirectories(): Promise<boolean> {
    const { mounter, paths, pods, runtime, volumes } = this.#options;
    let isLeft = false;
    for (const uid of await mounter.list(paths.podsDirectory)) {
      if (pods.podByUid(uid) !== undefined) continue;
      const isInUse = isRunning(runtime.pod(uid)) || volumes.hasPossiblyMountedVolumes(uid);
      if (isInUse || !(await removeOrphanedDirectory(mounter, paths, uid))) isLeft = true;
    }
    return isLeft;
  }

  /** What is left is no reason to stay awake: nothing changes it but somebody's hand. */
  #lookAgain(): void {
    const { clock, signal } = this.#options.context;
    if (signal.aborted) return;
    const look = (): void => this.#loop.mark({ type: 'deadline', entry: null });
    this.#again?.cancel();
    this.#again = clock.after(HOUSEKEEPING_PERIOD_MS, look, { background: true });
  }
}
