// What is left of expansion in the controller manager: it says on every bound claim that asks for more than it has that
// somebody else must act, and names the CSI driver for volumes of former in-tree plugins. It never grows anything itself.
// kubernetes:pkg/controller/volume/expand/expand_controller.go
import { unreachable } from '../../base/assert.ts';
import { annotationOf } from '../../kube/annotations.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Reconciler, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import type { Change, Lister } from '../../runtime/informer.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { STORAGE_RESIZER } from '../../volume/annotations.ts';
import { decideExpand, isSizeNews } from './decide-expand.ts';

const NAME = 'expand-controller';
/** Events bear another name than the controller. kubernetes:pkg/controller/volume/expand/expand_controller.go */
const EVENT_COMPONENT = 'volume_expand';
const EXTERNAL_EXPANDING = 'ExternalExpanding';
/** kubernetes:pkg/controller/volume/expand/expand_controller.go */
const WORKERS = 10;

export function volumeExpandController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const claims = informers.of(PersistentVolumeClaims);
  const recorder = new EventRecorder({ ...context, component: EVENT_COMPONENT });
  startController({
    reconciler: new ExpandReconciler(claims, recorder),
    triggers: [trigger(claims, (change) => (isOfInterest(change) ? [keyOf(change.object)] : []))],
    workers: WORKERS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

function isOfInterest(change: Change<PersistentVolumeClaim>): boolean {
  if (change.type === 'deleted' || change.object.status.phase !== 'Bound') return false;
  return change.type === 'added' || isSizeNews(change.before, change.object);
}

class ExpandReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = PersistentVolumeClaims.kind;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #recorder: Recorder;

  constructor(claims: Lister<PersistentVolumeClaim>, recorder: Recorder) {
    this.#claims = claims;
    this.#recorder = recorder;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const claim = this.#claims.get(key);
    if (claim === undefined) return { type: 'settled' };
    const volume = await turn.cluster.get(PersistentVolumes, claim.spec.volumeName ?? '');
    const decision = decideExpand(claim, volume);
    switch (decision.type) {
      case 'nothing':
        break;
      case 'fail':
        throw new Error(decision.message);
      case 'wait-for-external':
        this.#say(claim, 'Normal', 'waiting for an external controller to expand this PVC', turn.cluster);
        break;
      case 'hand-over':
        await this.#handOver(claim, decision, turn.cluster);
        break;
      default:
        return unreachable(decision);
    }
    return { type: 'settled' };
  }

  async #handOver(
    claim: PersistentVolumeClaim,
    { plugin, driver }: { readonly plugin: string; readonly driver: string },
    cluster: Cluster,
  ): Promise<void> {
    const text = `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`;
    this.#say(claim, 'Normal', text, cluster);
    if (annotationOf(claim, STORAGE_RESIZER) === driver) return;
    const { name, resourceVersion } = claim.metadata;
    const body = { metadata: { resourceVersion, annotations: { [STORAGE_RESIZER]: driver } } };
    const patch = { type: 'strategic' as const, body };
    const key = keyOf(claim);
    const named = await attempt(() => cluster.patch(PersistentVolumeClaims, key, patch, { subresource: 'status' }));
    if (!named.failed) return;
    const why = `patchPVCStatus failed to patch PVC "${name}": ${named.error.message}`;
    const message = `error setting resizer annotation to pvc ${key}, with error ${why}`;
    this.#say(claim, 'Warning', message, cluster);
    throw new Error(message, { cause: named.error });
  }

  #say(claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', message: string, cluster: Cluster): void {
    this.#recorder.via(cluster).event(claim, type, EXTERNAL_EXPANDING, message);
  }
}
