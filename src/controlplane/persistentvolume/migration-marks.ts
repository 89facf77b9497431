// Marks that tell who serves a volume: `migrated-to` for former in-tree plugins, and the finalizer that keeps an in-tree
// volume until its backing volume is gone. An edit that changes nothing answers the same object.
// kubernetes:pkg/controller/volume/persistentvolume/pv_controller_base.go
import { annotationOf, withAnnotation, withoutAnnotation } from '../../kube/annotations.ts';
import { withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import {
  BETA_STORAGE_PROVISIONER,
  EXTERNAL_DELETION_FINALIZER,
  IN_TREE_DELETION_FINALIZER,
  IN_TREE_PREFIX,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../volume/annotations.ts';
import { migratedDriverOf } from '../../volume/migration.ts';
import { type Profile } from './profile.ts';

export function claimWithMigrationMark(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const provisioner = annotationOf(claim, STORAGE_PROVISIONER) ?? annotationOf(claim, BETA_STORAGE_PROVISIONER);
  return provisioner === undefined ? claim : withMigrationMark(claim, provisioner);
}

/** Both forms of the annotation say the same, and the claim is marked in the same write. */
export function claimForProvisioner(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim {
  if (annotationOf(claim, STORAGE_PROVISIONER) === provisioner) return claim;
  const named = withAnnotation(
    withAnnotation(claim, BETA_STORAGE_PROVISIONER, provisioner),
    STORAGE_PROVISIONER,
    provisioner,
  );
  return claimWithMigrationMark(named);
}

export function volumeWithMarks(volume: PersistentVolume, profile: Profile): PersistentVolume {
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  if (provisioner === undefined) return volume;
  const marked = withMigrationMark(volume, provisioner);
  return profile.deletionFinalizers ? withDeletionFinalizer(marked, provisioner) : marked;
}

function withMigrationMark<T extends PersistentVolume | PersistentVolumeClaim>(object: T, provisioner: string): T {
  const driver = migratedDriverOf(provisioner);
  if (driver !== undefined) return withAnnotation(object, MIGRATED_TO, driver);
  return (annotationOf(object, MIGRATED_TO) ?? '') === '' ? object : withoutAnnotation(object, MIGRATED_TO);
}

/** Only in-tree volumes are touched; the finalizer of an external provisioner on them is left over from a migration. */
function withDeletionFinalizer(volume: PersistentVolume, provisioner: string): PersistentVolume {
  if (migratedDriverOf(provisioner) !== undefined) return withoutFinalizer(volume, IN_TREE_DELETION_FINALIZER);
  if (!provisioner.startsWith(IN_TREE_PREFIX)) return volume;
  return withoutFinalizer(withPolicyFinalizer(volume), EXTERNAL_DELETION_FINALIZER);
}

function withPolicyFinalizer(volume: PersistentVolume): PersistentVolume {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return withFinalizer(volume, IN_TREE_DELETION_FINALIZER);
    case 'Retain':
    case 'Recycle':
      return withoutFinalizer(volume, IN_TREE_DELETION_FINALIZER);
    default:
      return volume;
  }
}
