// Keeps a claim that is being deleted as long as a pod on a node uses it. There is no timer: the finalizer goes when the
// last such pod's object goes.
// kubernetes:pkg/controller/volume/pvcprotection/pvc_protection_controller.go
import { unreachable } from '../../base/assert.ts';
import { withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import {
  type Outcome,
  type Reconciler,
  type Trigger,
  type Turn,
  startController,
  trigger,
} from '../../runtime/controller.ts';
import { type Change, type Lister } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { PVC_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import { isPodTerminated } from '../../volume/pod-termination.ts';
import { protectionOf } from '../../volume/protection.ts';
import { usesClaim } from './claim-use.ts';
import { LivePods } from './live-pods.ts';

const NAME = 'persistentvolumeclaim-protection-controller';
const SETTLED: Outcome = { type: 'settled' };

export function pvcProtectionController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const claims = informers.of(PersistentVolumeClaims);
  const pods = informers.of(Pods, { claim: claimKeysOf });
  const live = new LivePods();
  startController({
    context,
    workers: 1,
    waitFor: [informers],
    triggers: [asking(live, trigger(claims, claimsNeedingWork)), asking(live, trigger(pods, claimsLetGoBy))],
    reconciler: new ProtectionSync(claims, pods, live),
  });
  informers.start();
}

function asking(live: LivePods, of: Trigger): Trigger {
  return {
    subscribe: (enqueue) =>
      of.subscribe((key, reason) => {
        live.ask(key);
        enqueue(key, reason);
      }),
  };
}

function claimsNeedingWork({ type, object }: Change<PersistentVolumeClaim>): readonly ObjectKey[] {
  return type === 'deleted' || protectionOf(object, PVC_PROTECTION_FINALIZER) === 'nothing' ? [] : [keyOf(object)];
}

/** Only pods that can let a claim go are of interest. An update may hide that one pod went and another came. */
export function claimsLetGoBy(change: Change<Pod>): readonly ObjectKey[] {
  const { object } = change;
  const isReplaced = change.type === 'updated' && change.before.metadata.uid !== object.metadata.uid;
  const gone = isReplaced ? claimKeysOf(change.before) : [];
  const isPlaced = (object.spec.nodeName ?? '') !== '';
  if (change.type !== 'deleted' && isPlaced && !isPodTerminated(object)) return gone;
  return [...claimKeysOf(object), ...gone];
}

class ProtectionSync implements Reconciler {
  readonly name = NAME;
  readonly kind = PersistentVolumeClaims.kind;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #pods: Lister<Pod>;
  readonly #live: LivePods;

  constructor(claims: Lister<PersistentVolumeClaim>, pods: Lister<Pod>, live: LivePods) {
    this.#claims = claims;
    this.#pods = pods;
    this.#live = live;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const claim = this.#claims.get(key);
    const after = claim === undefined ? undefined : await this.#protect(claim, turn);
    if (after !== undefined && after !== claim) await turn.cluster.update(PersistentVolumeClaims, after);
    this.#live.forget(key);
    return SETTLED;
  }

  /** What the claim becomes; the same object if it stays as it is. */
  async #protect(claim: PersistentVolumeClaim, turn: Turn): Promise<PersistentVolumeClaim> {
    const protection = protectionOf(claim, PVC_PROTECTION_FINALIZER);
    switch (protection) {
      case 'nothing':
        return claim;
      case 'protect':
        return withFinalizer(claim, PVC_PROTECTION_FINALIZER);
      case 'release if unused':
        return (await this.#isUsed(claim, turn)) ? claim : withoutFinalizer(claim, PVC_PROTECTION_FINALIZER);
      default:
        return unreachable(protection);
    }
  }

  /** The informer is enough to keep a claim; to let it go the server is asked. */
  async #isUsed(claim: PersistentVolumeClaim, turn: Turn): Promise<boolean> {
    const key = keyOf(claim);
    for (const pod of this.#pods.by('claim', key)) {
      if (usesClaim(pod, claim)) return true;
    }
    const pods = await this.#live.podsOf(key, turn.cluster);
    return pods.some((pod) => usesClaim(pod, claim));
  }
}
