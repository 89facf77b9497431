import { type Cluster } from '../../kube/cluster.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import {
  type VolumePhase,
  claimBoundTo,
  claimWithVolume,
  unboundVolume,
  volumeBoundTo,
  volumeInPhase,
} from '../../volume/binding.ts';
import { type Profile } from './profile.ts';
import { type Saying } from './reasons.ts';
import { type StorageCache } from './storage-cache.ts';

/**
 * Writes of one pass. An edit that answers the same object is not written; what the server answers is kept before
 * anything else is decided. The first failure ends the pass, and the next one goes on from what is stored.
 */
export class StorageWrites {
  readonly #cluster: Cluster;
  readonly #cache: StorageCache;
  readonly #recorder: Recorder;

  constructor(cluster: Cluster, cache: StorageCache, recorder: Recorder) {
    this.#cluster = cluster;
    this.#cache = cache;
    this.#recorder = recorder.via(cluster);
  }

  say(about: PersistentVolume | PersistentVolumeClaim, { type, reason, message }: Saying): void {
    this.#recorder.event(about, type, reason, message);
  }

  async volumeSpec(before: PersistentVolume, after: PersistentVolume): Promise<PersistentVolume> {
    if (after === before) return before;
    const stored = await this.#cluster.update(PersistentVolumes, after);
    this.#cache.storeVolume(stored);
    return stored;
  }

  async volumePhase(volume: PersistentVolume, phase: VolumePhase, message = ''): Promise<PersistentVolume> {
    const after = volumeInPhase(volume, phase, message);
    if (after === volume) return volume;
    const stored = await this.#cluster.update(PersistentVolumes, after, { subresource: 'status' });
    this.#cache.storeVolume(stored);
    return stored;
  }

  /** Told once: not if the volume is Failed already. */
  async failVolume(volume: PersistentVolume, event: Saying): Promise<void> {
    if (volume.status.phase === 'Failed') return;
    this.say(await this.volumePhase(volume, 'Failed', event.message), event);
  }

  async unbindVolume(volume: PersistentVolume): Promise<void> {
    await this.volumePhase(await this.volumeSpec(volume, unboundVolume(volume)), 'Available');
  }

  async claimSpec(before: PersistentVolumeClaim, after: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (after === before) return before;
    const stored = await this.#cluster.update(PersistentVolumeClaims, after);
    this.#cache.storeClaim(stored);
    return stored;
  }

  async claimStatus(before: PersistentVolumeClaim, after: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (after === before) return before;
    const stored = await this.#cluster.update(PersistentVolumeClaims, after, { subresource: 'status' });
    this.#cache.storeClaim(stored);
    return stored;
  }

  /** Volume first: if the pass ends in between, the volume names the claim and no other claim can take it. */
  async bind(volume: PersistentVolume, claim: PersistentVolumeClaim, profile: Profile): Promise<void> {
    const named = await this.volumeSpec(volume, volumeBoundTo(volume, claim));
    const bound = await this.volumePhase(named, 'Bound');
    const completed = await this.claimSpec(claim, claimBoundTo(claim, bound));
    await this.claimStatus(completed, claimWithVolume(completed, bound, profile));
  }
}
