import { isOf, keyFrom } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { MakeChecker } from './checker.ts';
import type { Scene } from './scene.ts';

/** A volume that is to be retained, or that a claim has, is never deleted in the backend. */
export const noDeleteWithRetain: MakeChecker = (scene, tell) => {
  /** Handles of retained volumes whose object is gone. */
  const retained = new Set<string>();
  return {
    name: 'no-delete-with-retain',
    observe(fact) {
      if (fact.type === 'write' && fact.before !== undefined && fact.after === undefined) {
        const { before } = fact;
        if (isOf(PersistentVolumes, before) && isRetained(before)) retained.add(keyOfHandle(before));
      }
      if (fact.type !== 'effect' || fact.effect.call !== 'DeleteVolume') return;
      const { driver, volumeId } = fact.effect;
      const volume = scene.volumeBehind(driver, volumeId);
      const why = volume === undefined ? undefined : objection(scene, volume);
      const says =
        why ?? (retained.has(`${driver} ${volumeId}`) ? 'its PersistentVolume was to be retained' : undefined);
      if (says !== undefined)
        tell({ severity: 'violation', about: `volume ${volumeId}`, says: `it was deleted although ${says}` });
    },
  };
};

const isRetained = ({ spec }: PersistentVolume): boolean => spec.persistentVolumeReclaimPolicy === 'Retain';
const keyOfHandle = ({ spec }: PersistentVolume): string => `${spec.csi?.driver ?? ''} ${spec.csi?.volumeHandle ?? ''}`;

function objection(scene: Scene, volume: PersistentVolume): string | undefined {
  const { name } = volume.metadata;
  if (isRetained(volume)) return `pv/${name} is to be retained`;
  const { claimRef } = volume.spec;
  const claim = scene.get(PersistentVolumeClaims, keyFrom(claimRef?.namespace, claimRef?.name ?? ''));
  const has = claim?.metadata.uid === claimRef?.uid && claim?.spec.volumeName === name;
  return has ? `pvc/${claim.metadata.namespace ?? ''}/${claim.metadata.name} has it` : undefined;
}
