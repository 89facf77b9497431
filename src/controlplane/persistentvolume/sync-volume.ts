import { unreachable } from '../../base/assert.ts';
import { foundObject } from '../../kube/found-object.ts';
import { type ObjectKey } from '../../kube/object.ts';
import { type Reason } from '../../kube/reason.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type Outcome, type Reconciler, type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { claimKeyOfReference } from '../../volume/claim-reference.ts';
import { type VolumeDecision, decideVolume, isReleased } from './decide-volume.ts';
import { volumeWithMarks } from './migration-marks.ts';
import { type Profile } from './profile.ts';
import { type Reclaiming } from './reclaiming.ts';
import { type ResyncPlan } from './resync-plan.ts';
import { type StorageCache } from './storage-cache.ts';
import { StorageWrites } from './storage-writes.ts';

const SETTLED: Outcome = { type: 'settled' };

export interface VolumeSyncParts {
  readonly name: string;
  readonly cache: StorageCache;
  readonly plan: ResyncPlan;
  readonly volumes: Lister<PersistentVolume>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly recorder: Recorder;
  readonly reclaiming: Reclaiming;
  readonly profile: Profile;
  enqueueClaim(key: ObjectKey, reason: Reason): void;
}

export class VolumeSync implements Reconciler {
  readonly name: string;
  readonly kind = 'PersistentVolume';
  readonly #parts: VolumeSyncParts;

  constructor(parts: VolumeSyncParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { cache, volumes, plan } = this.#parts;
    const volume = volumes.get(key);
    if (volume === undefined) this.#forget(key, turn);
    else if (cache.storeVolume(volume)) {
      plan.volumeTaken(key);
      try {
        await this.#sync(volume, turn);
      } catch (error) {
        plan.visitVolume(key);
        throw error;
      }
    }
    return SETTLED;
  }

  /** The claim learns at once that its volume is gone. */
  #forget(name: string, turn: Turn): void {
    const { cache, plan } = this.#parts;
    const reference = cache.volumes.get(name)?.spec.claimRef;
    cache.dropVolume(name);
    plan.volumeTaken(name);
    if (reference !== undefined) this.#parts.enqueueClaim(claimKeyOfReference(reference), turn.reason);
  }

  async #sync(volume: PersistentVolume, turn: Turn): Promise<void> {
    const { cache, recorder, profile } = this.#parts;
    const writes = new StorageWrites(turn.cluster, cache, recorder);
    const marked = await writes.volumeSpec(volume, volumeWithMarks(volume, profile));
    const claim = await this.#claimOf(marked, turn);
    await this.#act(marked, decideVolume(marked, claim), { claim, writes, turn });
  }

  /**
   * The claim that the volume names by uid, looked for harder and harder before the volume is released: a cache that
   * lags behind must never cost data. A volume that was released already is not worth a request.
   */
  async #claimOf(volume: PersistentVolume, turn: Turn): Promise<PersistentVolumeClaim | undefined> {
    const reference = volume.spec.claimRef;
    if (reference?.uid === undefined || reference.uid === '') return undefined;
    const key = claimKeyOfReference(reference);
    let claim = this.#parts.cache.claim(key);
    if (claim === undefined && !isReleased(volume))
      claim = this.#parts.claims.get(key) ?? (await foundObject(turn.cluster, PersistentVolumeClaims, key));
    if (claim !== undefined && claim.metadata.uid !== reference.uid)
      claim = await foundObject(turn.cluster, PersistentVolumeClaims, key);
    return claim?.metadata.uid === reference.uid ? claim : undefined;
  }

  async #act(
    volume: PersistentVolume,
    decision: VolumeDecision,
    found: { readonly claim: PersistentVolumeClaim | undefined; readonly writes: StorageWrites; readonly turn: Turn },
  ): Promise<void> {
    const { plan, reclaiming } = this.#parts;
    const { claim, writes, turn } = found;
    switch (decision.type) {
      case 'phase':
        await writes.volumePhase(volume, decision.phase);
        return;
      case 'mismatch':
        plan.visitVolume(volume.metadata.name);
        writes.say(volume, decision.onVolume);
        if (claim !== undefined) writes.say(claim, decision.onClaim);
        return;
      case 'hand-over':
        plan.visitVolume(volume.metadata.name);
        return this.#parts.enqueueClaim(decision.claim, turn.reason);
      case 'release': {
        const released = isReleased(volume) ? volume : await writes.volumePhase(volume, 'Released');
        if ((await reclaiming.start(released, turn)) === 'goes on') plan.visitVolume(volume.metadata.name);
        return;
      }
      case 'unbind':
        return writes.unbindVolume(volume);
      default:
        return unreachable(decision);
    }
  }
}
