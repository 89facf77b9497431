import { isOf, keyOf } from '../../kube/object.ts';
import { bytesOf } from '../../kube/quantity.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { MakeChecker } from './checker.ts';
import { isUser } from './people.ts';
import type { Scene } from './scene.ts';

/** What a volume or a bound claim has never becomes less, nor does the disk behind it; and neither says more than the disk has. */
export const capacityMonotonic: MakeChecker = (scene, tell) => {
  const disks = new Map<string, bigint>();
  return {
    name: 'capacity-monotonic',
    observe(fact) {
      if (fact.type === 'effect') {
        const { driver, volumeId } = fact.effect;
        const [before, now] = [disks.get(`${driver} ${volumeId}`), scene.disk(driver, volumeId)?.capacityBytes];
        if (before !== undefined && now !== undefined && now < before) {
          tell({
            severity: 'violation',
            about: `volume ${volumeId}`,
            says: `it shrank from ${before} to ${now} bytes`,
          });
        }
        if (now === undefined) disks.delete(`${driver} ${volumeId}`);
        else disks.set(`${driver} ${volumeId}`, now);
      }
      if (fact.type !== 'write' || fact.before === undefined || fact.after === undefined || isUser(fact.actor)) return;
      if (fact.before.metadata.uid !== fact.after.metadata.uid) return;
      const [before, after] = [capacityOf(fact.before), capacityOf(fact.after)];
      const disk = diskOf(scene, fact.after);
      if (after !== undefined && after !== before && disk !== undefined && BigInt(bytesOf(after)) > disk)
        tell({
          severity: 'violation',
          about: nameOf(fact.after),
          says: `its capacity is said to be ${after}, and its disk has ${disk} bytes`,
        });
      if (before === undefined || after === undefined || bytesOf(after) >= bytesOf(before)) return;
      tell({
        severity: 'violation',
        about: nameOf(fact.after),
        says: `its capacity shrank from ${before} to ${after}`,
      });
    },
  };
};

function capacityOf(object: KubeObject): string | undefined {
  if (isOf(PersistentVolumes, object)) return object.spec.capacity?.['storage'];
  return isOf(PersistentVolumeClaims, object) ? object.status?.capacity?.['storage'] : undefined;
}

/** The bytes of the disk behind a volume or a bound claim. */
function diskOf(scene: Scene, object: KubeObject): bigint | undefined {
  const name = isOf(PersistentVolumeClaims, object) ? (object.spec.volumeName ?? '') : object.metadata.name;
  const csi = scene.get(PersistentVolumes, name)?.spec.csi;
  return csi === undefined ? undefined : scene.disk(csi.driver, csi.volumeHandle)?.capacityBytes;
}

const nameOf = (object: KubeObject): string => `${isOf(PersistentVolumes, object) ? 'pv' : 'pvc'}/${keyOf(object)}`;
