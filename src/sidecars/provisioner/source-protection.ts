// Takes our finalizers off the sources of clones and restores when nobody needs them any more.
// external-provisioner:pkg/controller/{clone_controller,snapshot_finalizer_controller}.go
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { hasFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { type ObjectKey, keyFrom, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type VolumeSnapshot, VolumeSnapshots } from '../../kube/resources/volume-snapshot.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Outcome, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import { CLAIM_KIND, SNAPSHOT_GROUP, SNAPSHOT_KIND } from './data-source.ts';
import { CLONING_PROTECTION_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './marks.ts';
import type { Services } from './services.ts';

/** Keys of the claim that a claim clones. */
export function cloneSourceKeys({ metadata, spec }: PersistentVolumeClaim): readonly ObjectKey[] {
  return spec.dataSource?.kind === CLAIM_KIND ? [keyFrom(metadata.namespace, spec.dataSource.name)] : [];
}

/** Keys of the snapshot that a claim restores. */
export function snapshotSourceKeys({ metadata, spec }: PersistentVolumeClaim): readonly ObjectKey[] {
  const isSnapshot = (source: { readonly kind: string; readonly apiGroup: string | null } | undefined): boolean =>
    source?.kind === SNAPSHOT_KIND && (source.apiGroup ?? SNAPSHOT_GROUP) === SNAPSHOT_GROUP;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && isSnapshot(dataSource)) return [keyFrom(metadata.namespace, dataSource.name)];
  if (dataSourceRef === undefined || !isSnapshot(dataSourceRef)) return [];
  const namespace = (dataSourceRef.namespace ?? '') === '' ? metadata.namespace : dataSourceRef.namespace;
  return [keyFrom(namespace, dataSourceRef.name)];
}

/** Lets a claim that is being deleted go when all its clones are there. */
export async function syncCloneSource(
  key: ObjectKey,
  claims: Lister<PersistentVolumeClaim>,
  turn: Turn,
): Promise<Outcome> {
  const claim = claims.get(key);
  if (claim === undefined || !hasFinalizer(claim, CLONING_PROTECTION_FINALIZER)) return { type: 'settled' };
  for (const clone of claims.by('cloneSource', key)) {
    if (clone.status.phase !== 'Pending') continue;
    throw new Error(`PVC '${clone.metadata.name}' is in 'Pending' state, cloning in progress`);
  }
  try {
    await turn.cluster.update(PersistentVolumeClaims, withoutFinalizer(claim, CLONING_PROTECTION_FINALIZER));
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  return { type: 'settled' };
}

/** A restore that ended without taking its finalizer off (a crash, a deleted claim) leaves it to this sweep. */
export async function sweepSnapshots(services: Services, cluster: Cluster): Promise<void> {
  const listed = await attempt(() => cluster.list(VolumeSnapshots));
  if (listed.failed) {
    services.log.write('info', `snapshots cannot be swept now: ${listed.error.message}`);
    return;
  }
  for (const snapshot of listed.value.items) {
    if (!isOrphaned(snapshot, services.claims)) continue;
    const released = withoutFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER);
    const written = await attempt(() => cluster.update(VolumeSnapshots, released));
    if (written.failed) services.log.write('info', `snapshot ${keyOf(snapshot)}: ${written.error.message}`);
  }
}

function isOrphaned(snapshot: VolumeSnapshot, claims: Lister<PersistentVolumeClaim>): boolean {
  if (!hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) return false;
  for (const { status } of claims.by('snapshotSource', keyOf(snapshot))) {
    if ((status.phase ?? 'Pending') === 'Pending') return false;
  }
  return true;
}
