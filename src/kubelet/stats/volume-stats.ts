// How full the volumes of this node's pods are. Each pod is asked for at times of its own, drawn from one to two periods;
// a volume that does not answer is missing until it does.
// kubernetes:pkg/kubelet/server/stats/{fs_resource_analyzer,volume_stat_calculator}.go
import { type DurationMs, type InstantMs, SECOND_MS, type Timer } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { NodeGetVolumeStatsResponse, VolumeCondition, VolumeUsage } from '../../csi/driver.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { messageOf, supervise } from '../../runtime/supervise.ts';
import { claimNameOf } from '../../volume/claim-of-pod.ts';
import type { CsiServices } from '../csiplugin/csi-services.ts';
import { NodeClient } from '../csiplugin/node-client.ts';
import { csiIdOf, volumeModeOf } from '../csiplugin/volume-spec.ts';
import type { Grid } from '../podworkers/grid.ts';
import type { MountedVolume } from '../volumemanager/actual-state-of-world.ts';

/** One volume of a pod in `/stats/summary`; what the driver does not tell is zero. */
export interface VolumeSample {
  readonly time: InstantMs;
  /** As the pod calls it. */
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  readonly availableBytes: bigint;
  readonly capacityBytes: bigint;
  readonly usedBytes: bigint;
  readonly inodesFree: bigint;
  readonly inodes: bigint;
  readonly inodesUsed: bigint;
  /** Absent if the driver tells nothing of its volumes' health. */
  readonly condition?: VolumeCondition;
}

export function volumeSample(
  at: Pick<VolumeSample, 'time' | 'name' | 'pvcRef'>,
  { usage, volumeCondition }: NodeGetVolumeStatsResponse,
): VolumeSample {
  const of = (unit: VolumeUsage['unit']): Pick<VolumeUsage, 'available' | 'total' | 'used'> =>
    usage.find((each) => each.unit === unit) ?? { available: 0n, total: 0n, used: 0n };
  const [bytes, inodes] = [of('BYTES'), of('INODES')];
  return {
    ...at,
    availableBytes: bytes.available,
    capacityBytes: bytes.total,
    usedBytes: bytes.used,
    inodesFree: inodes.available,
    inodes: inodes.total,
    inodesUsed: inodes.used,
    ...(volumeCondition === undefined ? {} : { condition: volumeCondition }),
  };
}

/** What metrics show of claims: several pods with one claim make one sample, the first. */
export function samplesByClaim(samples: Iterable<VolumeSample>): ReadonlyMap<string, VolumeSample> {
  const found = new Map<string, VolumeSample>();
  for (const sample of samples) {
    const key = sample.pvcRef && `${sample.pvcRef.namespace}/${sample.pvcRef.name}`;
    if (key !== undefined && !found.has(key)) found.set(key, sample);
  }
  return found;
}

export interface VolumeStatsOptions {
  readonly context: ComponentContext;
  readonly services: CsiServices;
  /** Looks for pods that came and went. */
  readonly looks: Grid;
  /** VolumeStatsAggPeriod; zero or less: never. */
  readonly periodMs: DurationMs;
  readonly mountedVolumes: (podUid: string) => ReadonlyMap<string, MountedVolume>;
  readonly onSampled: (pod: Pod, samples: readonly VolumeSample[]) => void;
}

export class VolumeStats {
  readonly #options: VolumeStatsOptions;
  readonly #random: Random;
  /** Pods that are asked for, with the timer of the next time. */
  readonly #timers = new Map<string, Timer>();

  constructor(options: VolumeStatsOptions) {
    this.#options = options;
    this.#random = options.context.random.fork('volume stats');
    options.context.signal.addEventListener('abort', () => this.#stopAll(), { once: true });
  }

  /** From the next look on the pod is asked for. */
  add(pod: Pod): void {
    const { context, looks, periodMs } = this.#options;
    const { uid } = pod.metadata;
    if (periodMs <= 0 || this.#timers.has(uid) || context.signal.aborted) return;
    const now = context.clock.monotonic();
    this.#set(pod, looks.after(now) - now);
  }

  remove(podUid: string): void {
    this.#timers.get(podUid)?.cancel();
    this.#timers.delete(podUid);
  }

  /** How full the volumes of a pod are now, one asked after the other. */
  async sample(pod: Pod): Promise<readonly VolumeSample[]> {
    const samples: VolumeSample[] = [];
    for (const [name, volume] of this.#options.mountedVolumes(pod.metadata.uid)) {
      const sample = await this.#sampleOf(pod, name, volume);
      if (sample !== undefined) samples.push(sample);
    }
    return samples;
  }

  /** The same for somebody who waits: volumes that do not answer in time are missing. */
  async sampleWithin(pod: Pod, withinMs: DurationMs): Promise<readonly VolumeSample[]> {
    const { clock } = this.#options.context;
    const asked = [...this.#options.mountedVolumes(pod.metadata.uid)].map(([name, volume]) =>
      this.#sampleOf(pod, name, volume),
    );
    const giveUp = new AbortController();
    const late = clock.sleep(withinMs, giveUp.signal, { background: true }).catch(() => undefined);
    const samples = await Promise.all(
      asked.map((each) => Promise.race([each.catch(() => undefined), late.then(() => undefined)])),
    );
    giveUp.abort();
    return samples.filter((each) => each !== undefined);
  }

  #set(pod: Pod, delay: DurationMs): void {
    const { clock, log } = this.#options.context;
    const ask = (): void => supervise('volume stats', this.#ask(pod), log);
    this.#timers.set(pod.metadata.uid, clock.after(delay, ask, { background: true }));
  }

  async #ask(pod: Pod): Promise<void> {
    const { context, onSampled, periodMs } = this.#options;
    const { uid } = pod.metadata;
    const samples = await this.sample(pod);
    if (context.signal.aborted || !this.#timers.has(uid)) return;
    onSampled(pod, samples);
    this.#set(pod, periodMs * (1 + this.#random.fraction()));
  }

  async #sampleOf(pod: Pod, name: string, volume: MountedVolume): Promise<VolumeSample | undefined> {
    const { context, services } = this.#options;
    const { uid, namespace = '' } = pod.metadata;
    const id = csiIdOf(volume.spec, uid);
    if (id === undefined) return undefined;
    const reason = { type: 'deadline' as const, entry: null };
    try {
      const client = new NodeClient(id.driver, services, { ...context, reason });
      if (!(await client.supports('GET_VOLUME_STATS'))) return undefined;
      const request = { volumeId: id.handle, volumePath: this.#pathOf(uid, volume), stagingTargetPath: '' };
      const answer = await client.call((node) => node.nodeGetVolumeStats, request);
      const source = pod.spec.volumes?.find((each) => each.name === name);
      const claim = source && claimNameOf(pod, source);
      const pvcRef = claim === undefined ? {} : { pvcRef: { name: claim, namespace } };
      return volumeSample({ time: Math.floor(context.clock.now() / SECOND_MS) * SECOND_MS, name, ...pvcRef }, answer);
    } catch (error) {
      if (context.signal.aborted) throw error;
      context.log.write('debug', `no stats of volume ${name}: ${messageOf(error)}`, { error });
      return undefined;
    }
  }

  #pathOf(podUid: string, { spec }: MountedVolume): string {
    const { paths } = this.#options.services;
    if (volumeModeOf(spec) === 'Block') return `${paths.globalMapPath(spec.name)}/${podUid}`;
    return paths.csiTarget(podUid, spec.name);
  }

  #stopAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
  }
}
