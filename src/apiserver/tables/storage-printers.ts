// Tables of the storage chain.
import { annotationOf } from '../../kube/annotations.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import type { VolumeAttributesClass } from '../../kube/resources/volume-attributes-class.ts';
import { ageOf } from './age.ts';
import { AGE, NAME, type Printer, boolean, integer, text, wideText } from './printer.ts';

const UNSET = '<unset>';
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const SHORT_MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** Always in the same order, each once, whatever the object says. */
const modesText = (modes: readonly string[] = []): string =>
  SHORT_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');

const classOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  annotationOf(object, BETA_CLASS) ?? object.spec.storageClassName ?? '';

export const claimPrinter: Printer<PersistentVolumeClaim> = {
  columns: [
    NAME,
    ...['Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass'].map(text),
    AGE,
    wideText('VolumeMode'),
  ],
  cells: (claim, now) => {
    const { metadata, spec, status } = claim;
    const { volumeName = '' } = spec;
    return [
      metadata.name,
      metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
      volumeName,
      volumeName === '' ? '' : (status.capacity?.['storage'] ?? '0'),
      volumeName === '' ? '' : modesText(status.accessModes),
      classOf(claim),
      spec.volumeAttributesClassName ?? UNSET,
      ageOf(metadata.creationTimestamp, now),
      spec.volumeMode ?? UNSET,
    ];
  },
};

export const volumePrinter: Printer<PersistentVolume> = {
  columns: [
    NAME,
    ...['Capacity', 'Access Modes', 'Reclaim Policy', 'Status', 'Claim', 'StorageClass'].map(text),
    text('VolumeAttributesClass'),
    text('Reason'),
    AGE,
    wideText('VolumeMode'),
  ],
  cells: (volume, now) => {
    const { metadata, spec, status } = volume;
    const { claimRef } = spec;
    return [
      metadata.name,
      spec.capacity?.['storage'] ?? '0',
      modesText(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
      claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
      classOf(volume),
      spec.volumeAttributesClassName ?? UNSET,
      status.reason ?? '',
      ageOf(metadata.creationTimestamp, now),
      spec.volumeMode ?? UNSET,
    ];
  },
};

export const storageClassPrinter: Printer<StorageClass> = {
  columns: [NAME, ...['Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion'].map(text), AGE],
  cells: (storageClass, now) => {
    const { name, creationTimestamp } = storageClass.metadata;
    const isDefault = DEFAULT_CLASS.some((annotation) => annotationOf(storageClass, annotation) === 'true');
    return [
      isDefault ? `${name} (default)` : name,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? 'Delete',
      storageClass.volumeBindingMode ?? 'Immediate',
      storageClass.allowVolumeExpansion ?? false,
      ageOf(creationTimestamp, now),
    ];
  },
};

export const attachmentPrinter: Printer<VolumeAttachment> = {
  columns: [NAME, { ...NAME, name: 'Attacher' }, text('PV'), text('Node'), boolean('Attached'), AGE],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name,
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status.attached,
    ageOf(metadata.creationTimestamp, now),
  ],
};

export const csiDriverPrinter: Printer<CSIDriver> = {
  columns: [
    NAME,
    ...['AttachRequired', 'PodInfoOnMount', 'StorageCapacity'].map(boolean),
    text('TokenRequests'),
    boolean('RequiresRepublish'),
    text('Modes'),
    AGE,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? UNSET,
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
    ageOf(metadata.creationTimestamp, now),
  ],
};

export const csiNodePrinter: Printer<CSINode> = {
  columns: [NAME, integer('Drivers'), AGE],
  cells: ({ metadata, spec }, now) => [
    metadata.name,
    spec.drivers?.length ?? 0,
    ageOf(metadata.creationTimestamp, now),
  ],
};

export const attributesClassPrinter: Printer<VolumeAttributesClass> = {
  columns: [NAME, text('DriverName'), AGE],
  cells: ({ metadata, driverName }, now) => [metadata.name, driverName, ageOf(metadata.creationTimestamp, now)],
};
