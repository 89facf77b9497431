// What a claim shall be filled from, and whether that source can be used. The decisions are pure; reading the source is
// the caller's. external-provisioner:pkg/controller/controller.go
import type { VolumeContentSource } from '../../csi/driver.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { hasFinalizer } from '../../kube/finalizers.ts';
import { bytesOf } from '../../kube/quantity.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../kube/resources/volume-snapshot.ts';
import { ALLOW_VOLUME_MODE_CHANGE, SNAPSHOT_SOURCE_FINALIZER } from './marks.ts';

export const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
export const SNAPSHOT_KIND = 'VolumeSnapshot';
export const CLAIM_KIND = 'PersistentVolumeClaim';

export type DataSource =
  | { readonly type: 'none' }
  | { readonly type: 'snapshot' | 'claim'; readonly kind: string; readonly name: string }
  /** Somebody else fills the volume. */
  | { readonly type: 'foreign'; readonly kind: string }
  | { readonly type: 'wrong'; readonly message: string };

/** Both fields say the same where the server filled them; a namespace can only be in `dataSourceRef`. */
export function dataSourceOf(claim: PersistentVolumeClaim): DataSource {
  const { dataSource, dataSourceRef } = claim.spec;
  const given = dataSource ?? dataSourceRef;
  if (given === undefined) return { type: 'none' };
  if (dataSource === undefined && (dataSourceRef?.namespace ?? '') !== '') {
    return wrong('dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled');
  }
  if (given.name === '') return wrong(`the PVC source not found for PVC ${claim.metadata.name}`);
  const group = given.apiGroup ?? '';
  switch (given.kind) {
    case SNAPSHOT_KIND:
      if (group === SNAPSHOT_GROUP) return { type: 'snapshot', kind: given.kind, name: given.name };
      return wrong(`the PVC source does not belong to the right APIGroup. Expected ${SNAPSHOT_GROUP}, Got ${group}`);
    case CLAIM_KIND:
      return { type: 'claim', kind: given.kind, name: given.name };
    default:
      return { type: 'foreign', kind: given.kind };
  }
}

export type SourceDecision =
  | { readonly type: 'use'; readonly source: VolumeContentSource }
  | { readonly type: 'refuse'; readonly message: string };

export interface SnapshotFacts {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly snapshot: VolumeSnapshot;
  /** Undefined if it could not be read. */
  readonly content: VolumeSnapshotContent | undefined;
  readonly preventVolumeModeConversion: boolean;
}

/** A snapshot that is going away may only finish what it began. */
export function refusalOfSnapshot(snapshot: VolumeSnapshot): string | undefined {
  const { name, deletionTimestamp } = snapshot.metadata;
  if (deletionTimestamp !== undefined && !hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER)) {
    return `snapshot ${name} is being deleted`;
  }
  return snapshot.status?.boundVolumeSnapshotContentName === undefined ? `snapshot ${name} not bound` : undefined;
}

export function decideSnapshotSource(facts: SnapshotFacts): SourceDecision {
  const { claim, storageClass, snapshot, content } = facts;
  const { name } = snapshot.metadata;
  const early = refusalOfSnapshot(snapshot);
  if (early !== undefined) return refuse(early);
  const contentName = snapshot.status?.boundVolumeSnapshotContentName ?? '';
  if (content === undefined) return refuse(`error getting snapshotcontent ${contentName} for snapshot ${name}`);
  if (!isContentOf(content, snapshot)) {
    return refuse(`snapshotcontent ${contentName} for snapshot ${name} is bound to a different snapshot`);
  }
  if (content.spec.driver !== storageClass.provisioner) {
    const foreign = `is not handled by CSI driver of StorageClass ${storageClass.metadata.name}`;
    return refuse(`snapshotcontent ${contentName} for snapshot ${name} ${foreign}`);
  }
  if (snapshot.status?.readyToUse !== true) return refuse(`snapshot ${name} is not Ready`);
  const snapshotId = content.status?.snapshotHandle;
  if (snapshotId === undefined) return refuse(`snapshot handle ${name} is not available`);
  const restoreSize = snapshot.status.restoreSize;
  const wanted = requestedBytes(claim);
  if (restoreSize !== undefined && wanted < bytesOf(restoreSize)) {
    const sizes = `requested volume size ${wanted} is less than the size ${bytesOf(restoreSize)}`;
    return refuse(`${sizes} for the source snapshot ${name}`);
  }
  const conversion = facts.preventVolumeModeConversion ? refusalOfConversion(claim, content) : undefined;
  return conversion === undefined ? use({ case: 'snapshot', snapshotId }) : refuse(conversion);
}

function isContentOf(content: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { uid, namespace, name } = content.spec.volumeSnapshotRef;
  return uid === metadata.uid && namespace === metadata.namespace && name === metadata.name;
}

/** Texts that Go's strconv.ParseBool takes. */
const TRUE_TEXTS = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE_TEXTS = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

function refusalOfConversion(claim: PersistentVolumeClaim, content: VolumeSnapshotContent): string | undefined {
  const { sourceVolumeMode } = content.spec;
  const { volumeMode } = claim.spec;
  if (sourceVolumeMode === undefined || volumeMode === undefined || sourceVolumeMode === volumeMode) return undefined;
  const permission = annotationOf(content, ALLOW_VOLUME_MODE_CHANGE);
  if (permission !== undefined && TRUE_TEXTS.includes(permission)) return undefined;
  const volume = `requested volume ${claim.metadata.namespace}/${claim.metadata.name}`;
  return `${volume} modifies the mode of the source volume but does not have permission to do so. ${because(permission, content)}`;
}

function because(permission: string | undefined, { metadata }: VolumeSnapshotContent): string {
  if (permission === undefined) {
    return `${ALLOW_VOLUME_MODE_CHANGE} annotation is not present on snapshotcontent ${metadata.name}`;
  }
  if (FALSE_TEXTS.includes(permission)) {
    return `${ALLOW_VOLUME_MODE_CHANGE} is set to false on snapshotcontent ${metadata.name}`;
  }
  const parse = `strconv.ParseBool: parsing "${permission}": invalid syntax`;
  return `failed to convert ${ALLOW_VOLUME_MODE_CHANGE} annotation value to boolean with error: ${parse}`;
}

export interface CloneFacts {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** From the cache, undefined if it is not there. */
  readonly source: PersistentVolumeClaim | undefined;
  readonly sourceName: string;
}

/** Why the claim cannot be cloned, before its volume is looked at. */
export function refusalOfCloneSource({ claim, source, sourceName }: CloneFacts): string | undefined {
  if (source === undefined) {
    const lookup = `persistentvolumeclaim "${sourceName}" not found`;
    return `error getting PVC ${sourceName} (namespace "${claim.metadata.namespace}") from api server: ${lookup}`;
  }
  if (source.status.phase !== 'Bound') {
    return `the PVC DataSource ${sourceName} must have a status of Bound.  Got ${statusText(source)}`;
  }
  if (source.metadata.deletionTimestamp !== undefined) {
    return `the PVC DataSource ${sourceName} is currently being deleted`;
  }
  if (source.spec.storageClassName === undefined) return `the source PVC (${sourceName}) storageclass cannot be empty`;
  if (claim.spec.storageClassName === undefined) {
    return `the requested PVC (${claim.metadata.name}) storageclass cannot be empty`;
  }
  const [wanted, held] = [requestedBytes(claim), requestedBytes(source)];
  if (wanted < held) {
    const rule = 'new PVC request must be greater than or equal in size to the specified PVC data source';
    return `error, ${rule}, requested ${wanted} but source is ${held}`;
  }
  if ((source.spec.volumeName ?? '') === '') return `volume name is empty in source PVC ${sourceName}`;
  return undefined;
}

/** `volume` is undefined if it could not be read. Assumes that `refusalOfCloneSource` had nothing to say. */
export function decideCloneSource(facts: CloneFacts, volume: PersistentVolume | undefined): SourceDecision {
  const { claim, source, storageClass } = facts;
  const csi = volume?.spec.csi;
  const isUsable =
    volume !== undefined &&
    source !== undefined &&
    csi?.driver === storageClass.provisioner &&
    isBoundTo(volume, source) &&
    volume.status.phase === 'Bound';
  if (!isUsable) return refuse('claim in dataSource not bound or invalid');
  const [sourceMode, mode] = [volume.spec.volumeMode ?? 'Filesystem', claim.spec.volumeMode ?? 'Filesystem'];
  if (sourceMode !== mode) {
    const rule = 'the source PVC and destination PVCs must have the same volume mode for cloning.';
    return refuse(`${rule}  Source is ${sourceMode}, but new PVC requested ${mode}`);
  }
  return use({ case: 'volume', volumeId: csi.volumeHandle });
}

function isBoundTo(volume: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = volume.spec.claimRef;
  return (
    reference?.uid === metadata.uid && reference.namespace === metadata.namespace && reference.name === metadata.name
  );
}

export const requestedBytes = (claim: PersistentVolumeClaim): number =>
  bytesOf(claim.spec.resources.requests?.['storage'] ?? '0');

/** As Go prints the status of a claim that is not bound: nothing else of it is filled in. */
const statusText = ({ status }: PersistentVolumeClaim): string =>
  `{${status.phase ?? ''} [${(status.accessModes ?? []).join(' ')}] map[] [] map[] map[] <nil> <nil>}`;

const wrong = (message: string): DataSource => ({ type: 'wrong', message });
const refuse = (message: string): SourceDecision => ({ type: 'refuse', message });
const use = (source: VolumeContentSource): SourceDecision => ({ type: 'use', source });
