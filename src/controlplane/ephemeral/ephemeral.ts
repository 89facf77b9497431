// Makes the claim of every generic ephemeral volume: named after pod and volume, owned by the pod, and so deleted with it.
// kubernetes:pkg/controller/volume/ephemeral/controller.go
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Reconciler, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import { type EphemeralVolume, decideVolume, ephemeralVolumesOf } from './decide-volume.ts';

const NAME = 'ephemeral-volume-controller';
/** Events bear another name than the controller. kubernetes:pkg/controller/volume/ephemeral/controller.go */
const EVENT_COMPONENT = 'ephemeral_volume';
/** kubernetes:pkg/controller/volume/ephemeral/config/v1alpha1/defaults.go */
const CONCURRENT_SYNCS = 5;

export function ephemeralVolumeController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const pods = informers.of(Pods, { claim: claimKeysOf });
  const claims = informers.of(PersistentVolumeClaims);
  const recorder = new EventRecorder({ ...context, component: EVENT_COMPONENT });
  startController({
    reconciler: new EphemeralReconciler(pods, claims, recorder),
    triggers: [
      // The volumes of a pod never change: its updates say nothing new.
      trigger(pods, ({ type, object }) => (type === 'added' && needsClaims(object) ? [keyOf(object)] : [])),
      trigger(claims, ({ type, object }) =>
        type === 'deleted' ? [...pods.by('claim', keyOf(object))].filter(needsClaims).map(keyOf) : [],
      ),
    ],
    workers: CONCURRENT_SYNCS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

const needsClaims = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && ephemeralVolumesOf(pod).length > 0;

class EphemeralReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = Pods.kind;
  readonly #pods: Lister<Pod>;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #recorder: Recorder;

  constructor(pods: Lister<Pod>, claims: Lister<PersistentVolumeClaim>, recorder: Recorder) {
    this.#pods = pods;
    this.#claims = claims;
    this.#recorder = recorder;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const pod = this.#pods.get(key);
    if (pod === undefined || !needsClaims(pod)) return { type: 'settled' };
    for (const volume of ephemeralVolumesOf(pod)) await this.#syncVolume(pod, volume, turn);
    return { type: 'settled' };
  }

  /** The first volume that fails ends the pass; the pod is tried again after a wait. */
  async #syncVolume(pod: Pod, volume: EphemeralVolume, turn: Turn): Promise<void> {
    try {
      const decision = decideVolume(pod, volume, this.#claims.get(volume.claim));
      if (decision.type === 'refuse') throw new Error(decision.message);
      if (decision.type === 'create') await createClaim(decision.draft, turn.cluster);
    } catch (error) {
      const message = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
      this.#recorder.via(turn.cluster).event(pod, 'Warning', 'FailedBinding', message);
      throw error;
    }
  }
}

async function createClaim(draft: Draft<PersistentVolumeClaim>, cluster: Cluster): Promise<void> {
  try {
    await cluster.create(PersistentVolumeClaims, draft);
  } catch (error) {
    throw new Error(`create PVC ${draft.metadata.name ?? ''}: ${messageOf(error)}`, { cause: error });
  }
}
