import type { InstantMs } from '../../base/clock.ts';
import type { MemoryVolume } from '../../csi/drivers/memory/backend.ts';
import { isOf } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { MakeChecker } from './checker.ts';
import { isUser } from './people.ts';
import type { Scene } from './scene.ts';

/** Every volume of a backend is known by a PersistentVolume, was kept on purpose, or upstream loses it as well. */
export const noLostVolume: MakeChecker = (scene, tell) => {
  /** Volumes that CreateVolume made, by driver and id. */
  const made = new Map<string, { readonly driver: string; readonly at: InstantMs }>();
  /** What became of a PersistentVolume that is gone, by driver and handle. */
  const gone = new Map<string, 'kept' | 'stripped' | 'deleted'>();
  return {
    name: 'no-lost-volume',
    observe(fact) {
      if (fact.type === 'effect' && fact.effect.call === 'CreateVolume') {
        made.set(`${fact.effect.driver} ${fact.effect.volumeId}`, { driver: fact.effect.driver, at: fact.at });
      }
      if (fact.type !== 'write' || fact.before === undefined || fact.after !== undefined) return;
      if (!isOf(PersistentVolumes, fact.before) || fact.before.spec.csi === undefined) return;
      const { driver, volumeHandle } = fact.before.spec.csi;
      gone.set(`${driver} ${volumeHandle}`, fateOf(fact.before, fact.actor));
    },
    atRest() {
      for (const { driver, volume } of scene.disks()) {
        const key = `${driver} ${volume.volumeId}`;
        const origin = made.get(key);
        if (origin === undefined || scene.volumeBehind(driver, volume.volumeId) !== undefined) continue;
        const fate = gone.get(key);
        if (fate === 'kept' || fate === 'stripped' || isUnderWay(scene, volume)) continue;
        const excuse = fate === undefined ? excuseFor(scene, { ...origin, volume }) : undefined;
        tell({
          severity: excuse === undefined ? 'violation' : 'known',
          about: `volume ${volume.volumeId}`,
          says: `no PersistentVolume knows it${excuse === undefined ? '' : `: ${excuse}`}`,
        });
      }
    },
  };
};

function fateOf(volume: PersistentVolume, actor: string): 'kept' | 'stripped' | 'deleted' {
  if (volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return 'kept';
  return isUser(actor) ? 'stripped' : 'deleted';
}

/** The claim is still there: the provisioner will ask again under the same name. */
function isUnderWay(scene: Scene, { name }: MemoryVolume): boolean {
  for (const claim of scene.all(PersistentVolumeClaims)) if (name.endsWith(claim.metadata.uid)) return true;
  return false;
}

function excuseFor(
  scene: Scene,
  { driver, at, volume }: { readonly driver: string; readonly at: InstantMs; readonly volume: MemoryVolume },
): string | undefined {
  if (scene.isHiddenVolume(driver, volume.volumeId))
    return 'CreateVolume made it and answered in the end with a final error';
  const restartedAt = scene.startedAt(`external-provisioner/${driver}`) ?? 0;
  return restartedAt >= at ? 'its claim went while it was made, and the provisioner lost its memory' : undefined;
}
