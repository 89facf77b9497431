// kubernetes:pkg/registry/storage/volumeattachment/strategy.go, pkg/apis/storage/validation/validation.go
import { type FieldError, forbidden, invalid, required, tooLong } from '../../kube/field-error.ts';
import { byteLength } from '../../kube/names.ts';
import {
  type VolumeAttachment,
  type VolumeAttachmentSource,
  type VolumeAttachmentSpec,
  type VolumeError,
  VolumeAttachments,
} from '../../kube/resources/volume-attachment.ts';
import { checkDriverName, checkRange, checkSubdomain } from './field-checks.ts';
import { goStruct } from './go-struct.ts';
import { checkInlineVolumeSpec } from './persistent-volume-spec.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const METADATA_BYTES_MAX = 256 * 1024;
const ERROR_BYTES_MAX = 1024;
const INT32_MAX = 2 ** 31 - 1;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  resource: VolumeAttachments,
  hasGeneration: false,
  hasStatus: true,
  requiresResourceVersion: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['object'] },
  nameRule: 'subdomain',
  applyDefaults: (attachment) => attachment,
  prepareForCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  prepareForUpdate: (attachment, before) => ({ ...attachment, status: before.status }),
  prepareForStatusUpdate: (attachment, before) => ({
    ...attachment,
    metadata: storedMetadata(attachment, before),
    spec: before.spec,
  }),
  validate: checkAttachment,
  validateUpdate: checkUpdate,
  validateStatusUpdate: checkUpdate,
};

/** A write to the status changes nothing else, not even labels and finalizers. */
function storedMetadata(attachment: VolumeAttachment, before: VolumeAttachment): VolumeAttachment['metadata'] {
  const { managedFields } = attachment.metadata;
  const { managedFields: _old, ...stored } = before.metadata;
  return { ...stored, ...(managedFields === undefined ? {} : { managedFields }) };
}

function checkAttachment(attachment: VolumeAttachment): Faults {
  const { spec, status } = attachment;
  const volumeName = spec.source.persistentVolumeName;
  return [
    ...checkDriverName('spec.attacher', spec.attacher),
    ...checkSource(spec.source, 'spec.source'),
    ...checkSubdomain('spec.nodeName', spec.nodeName),
    ...checkAttachmentMetadata(status?.attachmentMetadata, 'status.attachmentMetadata'),
    ...checkError(status?.attachError, 'status.attachError'),
    ...checkError(status?.detachError, 'status.detachError'),
    ...(volumeName === undefined ? [] : checkSubdomain('spec.source.persistentVolumeName', volumeName)),
  ];
}

function checkUpdate(attachment: VolumeAttachment, before: VolumeAttachment): Faults {
  const isSame = sameValue(attachment.spec, before.spec);
  return [
    ...checkAttachment(attachment),
    ...(isSame ? [] : [invalid('spec', printedSpec(attachment.spec), 'field is immutable')]),
  ];
}

function printedSpec(spec: VolumeAttachmentSpec): unknown {
  const { persistentVolumeName, inlineVolumeSpec } = spec.source;
  return {
    Attacher: spec.attacher,
    Source: { PersistentVolumeName: persistentVolumeName ?? null, InlineVolumeSpec: goStruct(inlineVolumeSpec) },
    NodeName: spec.nodeName,
  };
}

function checkSource(source: VolumeAttachmentSource, path: string): Faults {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  if (inline !== undefined && name !== undefined) return [forbidden(path, ONE_SOURCE)];
  if (inline !== undefined) return checkInlineVolumeSpec(inline, `${path}.inlineVolumeSpec`);
  if (name === undefined) return [required(path, ONE_SOURCE)];
  return name === '' ? [required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName')] : [];
}

function checkAttachmentMetadata(metadata: Readonly<Record<string, string>> | undefined, path: string): Faults {
  const bytes = Object.entries(metadata ?? {}).reduce(
    (sum, [key, value]) => sum + byteLength(key) + byteLength(value),
    0,
  );
  return bytes > METADATA_BYTES_MAX ? [tooLong(path, METADATA_BYTES_MAX)] : [];
}

/** Upstream names the limit of the metadata for a message that is too long; the limit of the message is 1024. */
function checkError(error: VolumeError | undefined, path: string): Faults {
  if (error === undefined) return [];
  const isLong = byteLength(error.message ?? '') > ERROR_BYTES_MAX;
  return [
    ...(isLong ? [tooLong(`${path}.message`, METADATA_BYTES_MAX)] : []),
    ...(error.errorCode === undefined ? [] : checkRange(`${path}.errorCode`, error.errorCode, 0, INT32_MAX)),
  ];
}
