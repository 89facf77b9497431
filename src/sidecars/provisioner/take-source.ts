// Finds what a claim is filled from and protects it: a finalizer keeps the source until the new volume is there.
import { unreachable } from '../../base/assert.ts';
import type { VolumeContentSource } from '../../csi/driver.ts';
import { withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { keyFrom } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { type VolumeSnapshot, VolumeSnapshotContents, VolumeSnapshots } from '../../kube/resources/volume-snapshot.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { Found } from './class-parameters.ts';
import {
  type DataSource,
  type SourceDecision,
  decideCloneSource,
  decideSnapshotSource,
  refusalOfCloneSource,
  refusalOfSnapshot,
} from './data-source.ts';
import { CLONING_PROTECTION_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './marks.ts';
import type { Services } from './services.ts';

interface Wanted {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}
type Usable = Exclude<DataSource, { type: 'wrong' | 'foreign' }>;

export async function takeSource(
  dataSource: Usable,
  wanted: Wanted,
  services: Services,
  turn: Turn,
): Promise<Found<VolumeContentSource | undefined>> {
  switch (dataSource.type) {
    case 'none':
      return { type: 'found', value: undefined };
    case 'claim':
      return takeClaim(dataSource.name, wanted, services, turn);
    case 'snapshot':
      return takeSnapshot(dataSource.name, wanted, services, turn);
    default:
      return unreachable(dataSource);
  }
}

async function takeClaim(
  sourceName: string,
  wanted: Wanted,
  services: Services,
  turn: Turn,
): Promise<Found<VolumeContentSource>> {
  const key = keyFrom(wanted.claim.metadata.namespace, sourceName);
  const source = services.claims.get(key);
  const facts = { ...wanted, source, sourceName };
  const refusal = refusalOfCloneSource(facts);
  if (refusal !== undefined || source === undefined)
    return unusable('PersistentVolumeClaim', sourceName, refusal ?? '');
  const volume = await attempt(() => turn.cluster.get(PersistentVolumes, source.spec.volumeName ?? ''));
  const decision = decideCloneSource(facts, volume.failed ? undefined : volume.value);
  if (decision.type === 'refuse') return unusable('PersistentVolumeClaim', sourceName, decision.message);
  const protectedSource = withFinalizer(source, CLONING_PROTECTION_FINALIZER);
  if (protectedSource !== source) {
    const written = await attempt(() => turn.cluster.update(PersistentVolumeClaims, protectedSource));
    if (written.failed) return { type: 'wrong', message: written.error.message };
  }
  return { type: 'found', value: decision.source };
}

async function takeSnapshot(
  name: string,
  wanted: Wanted,
  services: Services,
  turn: Turn,
): Promise<Found<VolumeContentSource>> {
  const key = keyFrom(wanted.claim.metadata.namespace, name);
  const read = await attempt(() => turn.cluster.get(VolumeSnapshots, key));
  if (read.failed) {
    return unusable('VolumeSnapshot', name, `error getting snapshot ${name} from api server: ${read.error.message}`);
  }
  const decision = await decideSnapshot(read.value, wanted, services, turn);
  if (decision.type === 'refuse') return unusable('VolumeSnapshot', name, decision.message);
  const protectedSnapshot = withFinalizer(read.value, SNAPSHOT_SOURCE_FINALIZER);
  if (protectedSnapshot !== read.value) {
    const written = await attempt(() => turn.cluster.update(VolumeSnapshots, protectedSnapshot));
    // Older installations do not let the provisioner write snapshots; they go without the protection.
    if (written.failed && written.error.reason !== 'Forbidden') {
      return { type: 'wrong', message: written.error.message };
    }
  }
  return { type: 'found', value: decision.source };
}

async function decideSnapshot(
  snapshot: VolumeSnapshot,
  wanted: Wanted,
  services: Services,
  turn: Turn,
): Promise<SourceDecision> {
  const refusal = refusalOfSnapshot(snapshot);
  if (refusal !== undefined) return { type: 'refuse', message: refusal };
  const contentName = snapshot.status?.boundVolumeSnapshotContentName ?? '';
  const content = await attempt(() => turn.cluster.get(VolumeSnapshotContents, contentName));
  return decideSnapshotSource({
    ...wanted,
    snapshot,
    content: content.failed ? undefined : content.value,
    preventVolumeModeConversion: services.settings.preventVolumeModeConversion,
  });
}

const unusable = (
  kind: string,
  name: string,
  message: string,
): { readonly type: 'wrong'; readonly message: string } => ({
  type: 'wrong',
  message: `error getting handle for DataSource Type ${kind} by Name ${name}: ${message}`,
});

/** After the new volume is there. What cannot be removed now is found by the sweep. */
export async function releaseSnapshot(claim: PersistentVolumeClaim, services: Services, turn: Turn): Promise<void> {
  const { dataSource } = claim.spec;
  if (dataSource?.kind !== 'VolumeSnapshot') return;
  const key = keyFrom(claim.metadata.namespace, dataSource.name);
  const outcome = await attempt(async () => {
    const snapshot = await turn.cluster.get(VolumeSnapshots, key);
    const released = withoutFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER);
    if (released !== snapshot) await turn.cluster.update(VolumeSnapshots, released);
  });
  if (outcome.failed && outcome.error.reason !== 'NotFound') {
    services.log.write('warn', `snapshot ${key} keeps our finalizer for now: ${outcome.error.message}`);
  }
}
