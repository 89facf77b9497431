// Keeps a volume that is being deleted as long as it is Bound.
// kubernetes:pkg/controller/volume/pvprotection/pv_protection_controller.go
import { unreachable } from '../../base/assert.ts';
import { withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { keyOf } from '../../kube/object.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { PV_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { protectionOf } from '../../volume/protection.ts';

const NAME = 'persistentvolume-protection-controller';
const SETTLED: Outcome = { type: 'settled' };

export function pvProtectionController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const volumes = informers.of(PersistentVolumes);
  startController({
    context,
    workers: 1,
    waitFor: [informers],
    triggers: [
      trigger(volumes, ({ type, object }) => (type === 'deleted' || !needsWork(object) ? [] : [keyOf(object)])),
    ],
    reconciler: {
      name: NAME,
      kind: PersistentVolumes.kind,
      reconcile: async (key, turn) => {
        const volume = volumes.get(key);
        if (volume !== undefined) await syncProtection(volume, turn);
        return SETTLED;
      },
    },
  });
  informers.start();
}

const needsWork = (volume: PersistentVolume): boolean => protectionOf(volume, PV_PROTECTION_FINALIZER) !== 'nothing';

/** What the volume becomes; the same object if it stays as it is. */
export function decideProtection(volume: PersistentVolume): PersistentVolume {
  const protection = protectionOf(volume, PV_PROTECTION_FINALIZER);
  switch (protection) {
    case 'nothing':
      return volume;
    case 'protect':
      return withFinalizer(volume, PV_PROTECTION_FINALIZER);
    case 'release if unused':
      return volume.status.phase === 'Bound' ? volume : withoutFinalizer(volume, PV_PROTECTION_FINALIZER);
    default:
      return unreachable(protection);
  }
}

async function syncProtection(volume: PersistentVolume, turn: Turn): Promise<void> {
  const after = decideProtection(volume);
  if (after !== volume) await turn.cluster.update(PersistentVolumes, after);
}
