// The end of a volume whose claim is gone. Deleting and recycling run beside the sync, one at a time for a volume; a
// failed try is shown on the volume and made again at a later sync, once its rest is over.
import { unreachable } from '../../base/assert.ts';
import { isApiError } from '../../kube/api-error.ts';
import { withoutFinalizer } from '../../kube/finalizers.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type Log } from '../../base/log.ts';
import { type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type OperationExecutor } from '../../runtime/operation-executor.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { IN_TREE_DELETION_FINALIZER } from '../../volume/annotations.ts';
import { claimKeyOfReference } from '../../volume/claim-reference.ts';
import { isPodTerminated } from '../../volume/pod-termination.ts';
import { type Deleter, decideReclaim } from './decide-reclaim.ts';
import {
  RECYCLER_POD,
  VOLUME_DELETE,
  VOLUME_FAILED_DELETE,
  VOLUME_FAILED_RECYCLE,
  VOLUME_RECYCLED,
  normal,
  warning,
} from './reasons.ts';
import { type StorageCache } from './storage-cache.ts';
import { StorageWrites } from './storage-writes.ts';
import { VolumeInUseError, type VolumePlugin } from './volume-plugin.ts';

export interface ReclaimingParts {
  readonly cache: StorageCache;
  /** Indexed by `claim`. */
  readonly pods: Lister<Pod>;
  readonly plugins: readonly VolumePlugin[];
  readonly operations: OperationExecutor;
  readonly recorder: Recorder;
  readonly log: Log;
}

/** One operation: what it writes through, and what ends it. */
interface Operation {
  readonly turn: Turn;
  readonly writes: StorageWrites;
  readonly signal: AbortSignal;
}

export class Reclaiming {
  readonly #parts: ReclaimingParts;

  constructor(parts: ReclaimingParts) {
    this.#parts = parts;
  }

  /** `goes on` as long as a later sync may do more. */
  async start(volume: PersistentVolume, turn: Turn): Promise<'over' | 'goes on'> {
    const { cache, recorder, plugins } = this.#parts;
    const writes = new StorageWrites(turn.cluster, cache, recorder);
    const decision = decideReclaim(volume, plugins);
    switch (decision.type) {
      case 'stand-down':
        return 'over';
      case 'delete':
        this.#run('delete', volume, (signal) => this.#delete(volume, decision.deleter, { turn, writes, signal }));
        return 'goes on';
      case 'recycle':
        this.#run('recycle', volume, (signal) => this.#recycle(volume, decision.plugin, { turn, writes, signal }));
        return 'goes on';
      case 'fail':
        await writes.failVolume(volume, decision.event);
        return 'over';
      default:
        return unreachable(decision);
    }
  }

  #run(verb: string, volume: PersistentVolume, operation: (signal: AbortSignal) => Promise<void>): void {
    const name = `${verb}-${volume.metadata.name}[${volume.metadata.uid}]`;
    this.#parts.operations.run(name, verb, operation);
  }

  async #delete(volume: PersistentVolume, deleter: Deleter, operation: Operation): Promise<void> {
    const { writes, signal, turn } = operation;
    if (deleter.type === 'none') return writes.failVolume(volume, warning(VOLUME_FAILED_DELETE, deleter.error));
    const current = await readVolume(volume.metadata.name, turn);
    if (current === undefined || !this.#isStillReleased(current)) return;
    try {
      await deleter.plugin.delete?.(volume, signal);
      await this.#dropFinalizer(volume, operation);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof VolumeInUseError) writes.say(volume, normal(VOLUME_DELETE, message));
      else await writes.failVolume(volume, warning(VOLUME_FAILED_DELETE, message));
      throw error;
    }
    await this.#deleteObject(volume, turn);
  }

  async #dropFinalizer(volume: PersistentVolume, { turn, writes }: Operation): Promise<void> {
    const current = await turn.cluster.get(PersistentVolumes, volume.metadata.name);
    await writes.volumeSpec(current, withoutFinalizer(current, IN_TREE_DELETION_FINALIZER));
  }

  /** The backing volume is gone: a failure here does not count against the next try. */
  async #deleteObject(volume: PersistentVolume, turn: Turn): Promise<void> {
    try {
      await turn.cluster.delete(PersistentVolumes, volume.metadata.name);
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#parts.log.write('warn', `volume ${volume.metadata.name} was not deleted: ${error.message}`, { error });
    }
  }

  /** Never fails: whatever goes wrong is shown on the volume and tried again at the next sync, without a rest. */
  async #recycle(released: PersistentVolume, plugin: VolumePlugin | undefined, operation: Operation): Promise<void> {
    const { writes, signal, turn } = operation;
    try {
      const volume = await readVolume(released.metadata.name, turn);
      if (volume === undefined || !this.#isStillReleased(volume)) return;
      const users = this.#podsUsing(volume);
      if (users.length > 0) {
        writes.say(released, normal(VOLUME_FAILED_RECYCLE, `Volume is used by pods: ${users.join(',')}`));
        return;
      }
      const failure = await recycleWith(plugin, volume, { writes, signal });
      if (failure !== undefined) return await writes.failVolume(volume, warning(VOLUME_FAILED_RECYCLE, failure));
      writes.say(volume, normal(VOLUME_RECYCLED, 'Volume recycled'));
      await writes.unbindVolume(volume);
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#parts.log.write('warn', `recycling ${released.metadata.name}: ${error.message}`, { error });
    }
  }

  /** A claim of that name in the cache is another one, bound elsewhere: then its pods do not use this volume. */
  #podsUsing(volume: PersistentVolume): readonly string[] {
    const key = volume.spec.claimRef === undefined ? '' : claimKeyOfReference(volume.spec.claimRef);
    if (this.#parts.cache.claim(key) !== undefined) return [];
    return [...this.#parts.pods.by('claim', key)]
      .filter((pod) => !isPodTerminated(pod))
      .map((pod) => `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`)
      .toSorted();
  }

  #isStillReleased(volume: PersistentVolume): boolean {
    const reference = volume.spec.claimRef;
    if (reference?.uid === undefined || reference.uid === '') return false;
    return !isHeldBy(volume, this.#parts.cache.claim(claimKeyOfReference(reference)));
  }
}

/** The claim is the one the volume names, and it is not bound to another volume. */
function isHeldBy(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): boolean {
  if (claim === undefined || claim.metadata.uid !== volume.spec.claimRef?.uid) return false;
  const { volumeName = '' } = claim.spec;
  return volumeName === '' || volumeName === volume.metadata.name;
}

/** Returns why it failed. */
async function recycleWith(
  plugin: VolumePlugin | undefined,
  volume: PersistentVolume,
  { writes, signal }: Pick<Operation, 'writes' | 'signal'>,
): Promise<string | undefined> {
  if (plugin?.recycle === undefined) return 'No recycler plugin found for the volume!';
  try {
    const tell = (type: 'Normal' | 'Warning', message: string): void =>
      writes.say(volume, { type, reason: RECYCLER_POD, message: `Recycler pod: ${message}` });
    await plugin.recycle(volume, tell, signal);
    return undefined;
  } catch (error) {
    return `Recycle failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Undefined if it is gone or cannot be read: then there is nothing to do now. */
async function readVolume(name: string, turn: Turn): Promise<PersistentVolume | undefined> {
  try {
    return await turn.cluster.get(PersistentVolumes, name);
  } catch (error) {
    if (isApiError(error)) return undefined;
    throw error;
  }
}
