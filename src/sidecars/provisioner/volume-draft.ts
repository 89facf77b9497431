// The PersistentVolume that is written for a provisioned volume.
// external-provisioner:pkg/controller/controller.go, sig-storage-lib-external-provisioner:controller/controller.go
import type { CreateVolumeRequest, CsiVolume, StringMap, Topology } from '../../csi/driver.ts';
import type { Draft } from '../../kube/cluster.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { formatBytes } from '../../kube/quantity.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { VolumeNodeAffinity } from '../../kube/resources/persistent-volume-source.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { SecretReference } from '../../kube/resources/references.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { EXTERNAL_DELETION_FINALIZER, PROVISIONED_BY } from '../../volume/annotations.ts';
import { claimClass } from '../../volume/claim-class.ts';
import {
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  MODIFY_SECRET_NAME,
  MODIFY_SECRET_NAMESPACE,
  PROVISIONER_IDENTITY,
} from './marks.ts';

export type Reference = Required<SecretReference>;
/** Which secrets the later calls will need. */
export interface SecretReferences {
  readonly provisioner?: Reference;
  readonly controllerPublish?: Reference;
  readonly nodeStage?: Reference;
  readonly nodePublish?: Reference;
  readonly controllerExpand?: Reference;
  readonly nodeExpand?: Reference;
  readonly controllerModify?: Reference;
}
export interface VolumeFacts {
  readonly driverName: string;
  readonly identity: string;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly request: CreateVolumeRequest;
  readonly volume: CsiVolume;
  readonly capacityBytes: bigint;
  readonly fsType: string;
  readonly secrets: SecretReferences;
  readonly supportsTopology: boolean;
  readonly controllerPublishReadonly: boolean;
}

export function volumeDraft(facts: VolumeFacts): Draft<PersistentVolume> {
  const { claim, storageClass, request } = facts;
  const { volumeMode, volumeAttributesClassName = '' } = claim.spec;
  const nodeAffinity = facts.supportsTopology ? nodeAffinityOf(facts.volume.accessibleTopology) : undefined;
  const className = claimClass(claim);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: request.name,
      annotations: annotationsOf(facts),
      finalizers: [EXTERNAL_DELETION_FINALIZER],
    },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      ...(storageClass.mountOptions === undefined ? {} : { mountOptions: storageClass.mountOptions }),
      capacity: { storage: formatBytes(facts.capacityBytes) },
      csi: csiSource(facts),
      ...(storageClass.reclaimPolicy === undefined
        ? {}
        : { persistentVolumeReclaimPolicy: storageClass.reclaimPolicy }),
      ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(volumeAttributesClassName === '' ? {} : { volumeAttributesClassName }),
      claimRef: referenceTo(claim),
      ...(className === '' ? {} : { storageClassName: className }),
    },
  };
}

function annotationsOf({ secrets, storageClass }: VolumeFacts): StringMap {
  const { provisioner, controllerModify } = secrets;
  return {
    [DELETION_SECRET_NAME]: provisioner?.name ?? '',
    [DELETION_SECRET_NAMESPACE]: provisioner?.namespace ?? '',
    ...(controllerModify === undefined
      ? {}
      : { [MODIFY_SECRET_NAME]: controllerModify.name, [MODIFY_SECRET_NAMESPACE]: controllerModify.namespace }),
    [PROVISIONED_BY]: storageClass.provisioner,
  };
}

function csiSource(facts: VolumeFacts): NonNullable<PersistentVolume['spec']['csi']> {
  const { claim, secrets, volume, request } = facts;
  const [only, ...others] = request.volumeCapabilities;
  const isReadOnly = others.length === 0 && only?.accessMode === 'MULTI_NODE_READER_ONLY';
  const hasFilesystem = claim.spec.volumeMode !== 'Block' && facts.fsType !== '';
  return {
    driver: facts.driverName,
    volumeHandle: volume.volumeId,
    ...(facts.controllerPublishReadonly && isReadOnly ? { readOnly: true } : {}),
    ...(hasFilesystem ? { fsType: facts.fsType } : {}),
    volumeAttributes: { [PROVISIONER_IDENTITY]: facts.identity, ...volume.volumeContext },
    ...(secrets.controllerPublish === undefined ? {} : { controllerPublishSecretRef: secrets.controllerPublish }),
    ...(secrets.nodeStage === undefined ? {} : { nodeStageSecretRef: secrets.nodeStage }),
    ...(secrets.nodePublish === undefined ? {} : { nodePublishSecretRef: secrets.nodePublish }),
    ...(secrets.controllerExpand === undefined ? {} : { controllerExpandSecretRef: secrets.controllerExpand }),
    ...(secrets.nodeExpand === undefined ? {} : { nodeExpandSecretRef: secrets.nodeExpand }),
  };
}

/** One term a place; upstream's order within a term is random, ours is by key. */
export function nodeAffinityOf(places: readonly Topology[]): VolumeNodeAffinity | undefined {
  const nodeSelectorTerms = places.flatMap(({ segments }) => {
    const entries = Object.entries(segments).sort(([a], [b]) => (a < b ? -1 : 1));
    const matchExpressions = entries.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
    return matchExpressions.length === 0 ? [] : [{ matchExpressions }];
  });
  return nodeSelectorTerms.length === 0 ? undefined : { required: { nodeSelectorTerms } };
}
