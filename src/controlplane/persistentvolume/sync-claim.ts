import { unreachable } from '../../base/assert.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type Reason } from '../../kube/reason.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type StorageClass } from '../../kube/resources/storage-class.ts';
import { type Outcome, type Reconciler, type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { claimWithoutVolume } from '../../volume/binding.ts';
import { defaultClass } from '../../volume/default-class.ts';
import { isPodTerminated } from '../../volume/pod-termination.ts';
import { type ClaimDecision, type ClaimView, decideClaim } from './decide-claim.ts';
import { claimWithMigrationMark } from './migration-marks.ts';
import { type Profile } from './profile.ts';
import { type Provisioning } from './provisioning.ts';
import { type ResyncPlan } from './resync-plan.ts';
import { type StorageCache } from './storage-cache.ts';
import { StorageWrites } from './storage-writes.ts';
import { type WaitLog } from '../../runtime/wait-log.ts';

const SETTLED: Outcome = { type: 'settled' };

export interface ClaimSyncParts {
  readonly name: string;
  readonly cache: StorageCache;
  readonly plan: ResyncPlan;
  readonly claims: Lister<PersistentVolumeClaim>;
  /** Indexed by `default`. */
  readonly classes: Lister<StorageClass>;
  /** Indexed by `claim`. */
  readonly pods: Lister<Pod>;
  readonly recorder: Recorder;
  readonly provisioning: Provisioning;
  readonly profile: Profile;
  readonly waits: WaitLog;
  enqueueVolume(name: string, reason: Reason): void;
}

export class ClaimSync implements Reconciler {
  readonly name: string;
  readonly kind = 'PersistentVolumeClaim';
  readonly #parts: ClaimSyncParts;
  readonly #view: ClaimView;

  constructor(parts: ClaimSyncParts) {
    this.name = parts.name;
    this.#parts = parts;
    const { cache, classes, pods, profile } = parts;
    this.#view = {
      volumeNamed: (name) => cache.volumes.get(name),
      matchOf: (claim, delayBinding) => {
        const { volumeAttributesClass } = profile;
        return explained(claim, () => cache.volumes.find(claim, { delayBinding, volumeAttributesClass }));
      },
      classNamed: (name) => classes.get(name),
      defaultClass: () => defaultClass(classes.by('default', 'true')),
      unscheduledPodsOf: (claim) =>
        [...pods.by('claim', keyOf(claim))]
          .filter((pod) => (pod.spec.nodeName ?? '') === '' && !isPodTerminated(pod))
          .map((pod) => pod.metadata.name)
          .toSorted(),
    };
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { cache, claims, plan } = this.#parts;
    const claim = claims.get(key);
    if (claim === undefined) this.#forget(key, turn);
    // What is older than what we wrote ourselves says nothing; the newer one is on its way.
    else if (cache.storeClaim(claim)) {
      plan.claimTaken(key);
      try {
        await this.#sync(claim, turn);
      } catch (error) {
        plan.visitClaim(key);
        throw error;
      }
    }
    return SETTLED;
  }

  /** The volume learns at once that its claim is gone. */
  #forget(key: ObjectKey, turn: Turn): void {
    const { cache, plan, waits } = this.#parts;
    const volumeName = cache.claim(key)?.spec.volumeName ?? '';
    cache.dropClaim(key);
    plan.claimTaken(key);
    waits.ended(key);
    if (volumeName !== '') this.#parts.enqueueVolume(volumeName, turn.reason);
  }

  async #sync(claim: PersistentVolumeClaim, turn: Turn): Promise<void> {
    const { cache, recorder, profile } = this.#parts;
    const writes = new StorageWrites(turn.cluster, cache, recorder);
    const marked = await writes.claimSpec(claim, claimWithMigrationMark(claim));
    const decision = decideClaim(marked, this.#view, profile);
    this.#plan(keyOf(claim), decision, turn);
    await this.#act(marked, decision, { writes, turn });
  }

  async #act(
    claim: PersistentVolumeClaim,
    decision: ClaimDecision,
    { writes, turn }: { readonly writes: StorageWrites; readonly turn: Turn },
  ): Promise<void> {
    switch (decision.type) {
      case 'bind':
        return writes.bind(decision.volume, claim, this.#parts.profile);
      case 'assign-class': {
        const spec = { ...claim.spec, storageClassName: decision.className };
        await writes.claimSpec(claim, { ...claim, spec });
        return;
      }
      case 'provision': {
        const waitingFor = this.#parts.provisioning.start(claim, decision.className, turn);
        this.#parts.waits.waits(keyOf(claim), waitingFor, turn.reason);
        return;
      }
      case 'pend':
        if (decision.event !== undefined) writes.say(claim, decision.event);
        await writes.claimStatus(claim, claimWithoutVolume(claim, 'Pending'));
        return;
      case 'refuse':
        writes.say(claim, decision.event);
        throw new Error(decision.error);
      case 'lose':
        if (claim.status.phase === 'Lost') return;
        writes.say(await writes.claimStatus(claim, claimWithoutVolume(claim, 'Lost')), decision.event);
        return;
      default:
        return unreachable(decision);
    }
  }

  #plan(key: ObjectKey, decision: ClaimDecision, turn: Turn): void {
    const { plan, waits } = this.#parts;
    if (decision.type === 'pend') waits.waits(key, decision.waitingFor, turn.reason);
    else if (decision.type !== 'provision') waits.ended(key);
    if (decision.type !== 'bind' && decision.type !== 'lose') plan.visitClaim(key);
  }
}

function explained<T>(claim: PersistentVolumeClaim, find: () => T): T {
  try {
    return find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`error finding PV for claim "${keyOf(claim)}": ${why}`, { cause: error });
  }
}
