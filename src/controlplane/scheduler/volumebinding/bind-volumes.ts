import { AssertionFailure } from '../../../base/assert.ts';
import { type Clock, SECOND_MS } from '../../../base/clock.ts';
import type { Cluster } from '../../../kube/cluster.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import { messageOf } from '../../../runtime/supervise.ts';
import { type ServerView, type WrittenVolumes, decideProgress } from './binding-progress.ts';
import type { PodVolumes, StaticBinding } from './pod-volumes.ts';
import { type AssumeCaches, releaseVolumes } from './reservation.ts';

/** kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go#BindPodVolumes */
const POLL_MS = SECOND_MS;

export interface BindVolumesOptions {
  readonly pod: Pod;
  readonly node: string;
  readonly volumes: PodVolumes;
  readonly caches: AssumeCaches;
  readonly server: ServerView;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told whenever what is waited for is another thing than before. */
  readonly onWait: (waitingFor: string) => void;
}

/** Says why the volumes could not be bound, undefined once all are. What was written before a failure stays written. */
export async function bindVolumes(options: BindVolumesOptions): Promise<string | undefined> {
  const { pod, node, server, clock, timeoutMs, signal } = options;
  const volumes = await writeVolumes(options);
  if (typeof volumes === 'string') return volumes;
  const written: WrittenVolumes = { pod, node, volumes };
  const deadline = clock.monotonic() + timeoutMs;
  let waitingFor = '';
  for (;;) {
    await clock.sleep(Math.min(POLL_MS, deadline - clock.monotonic()), signal);
    if (clock.monotonic() >= deadline) return 'binding volumes: context deadline exceeded';
    const progress = decideProgress(written, server);
    if (progress.type === 'done') return undefined;
    if (progress.type === 'failed') return `binding volumes: ${progress.message}`;
    if (progress.for !== waitingFor) options.onWait(progress.for);
    waitingFor = progress.for;
  }
}

/** Volumes first, then claims. The first refusal ends it; what was not sent is no longer assumed. */
async function writeVolumes(options: BindVolumesOptions): Promise<PodVolumes | string> {
  const { volumes, cluster, caches } = options;
  const bindings: StaticBinding[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  try {
    for (const { claim, volume } of volumes.bindings) {
      bindings.push({ claim, volume: await cluster.update(PersistentVolumes, volume) });
    }
    for (const claim of volumes.provisions) provisions.push(await cluster.update(PersistentVolumeClaims, claim));
    return { bindings, provisions };
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    releaseVolumes(
      {
        bindings: volumes.bindings.slice(bindings.length),
        provisions: volumes.provisions.slice(provisions.length),
      },
      caches,
    );
    return messageOf(error);
  }
}
