import {
  type Infer,
  always,
  bool,
  int32,
  map,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';
import { PersistentVolumeSpecSchema } from './persistent-volume.ts';

const VolumeAttachmentSourceSchema = message('io.k8s.api.storage.v1.VolumeAttachmentSource', {
  persistentVolumeName: pointer(1, string),
  inlineVolumeSpec: pointer(2, of(PersistentVolumeSpecSchema)),
});
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSourceSchema> {}

const VolumeAttachmentSpecSchema = message('io.k8s.api.storage.v1.VolumeAttachmentSpec', {
  attacher: always(1, string),
  source: always(2, of(VolumeAttachmentSourceSchema)),
  nodeName: always(3, string),
});
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpecSchema> {}

const VolumeErrorSchema = message('io.k8s.api.storage.v1.VolumeError', {
  time: nullable(1, time),
  message: omitempty(2, string),
  errorCode: pointer(3, int32),
});
export interface VolumeError extends Infer<typeof VolumeErrorSchema> {}

const VolumeAttachmentStatusSchema = message('io.k8s.api.storage.v1.VolumeAttachmentStatus', {
  attached: always(1, bool),
  attachmentMetadata: omitempty(2, map(string)),
  attachError: pointer(3, of(VolumeErrorSchema)),
  detachError: pointer(4, of(VolumeErrorSchema)),
});
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatusSchema> {}

const VolumeAttachmentSchema = message('io.k8s.api.storage.v1.VolumeAttachment', {
  metadata: always(1, metadata),
  spec: always(2, of(VolumeAttachmentSpecSchema)),
  status: always(3, of(VolumeAttachmentStatusSchema)),
});

export interface VolumeAttachment extends Infer<typeof VolumeAttachmentSchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'VolumeAttachment';
}

export const VolumeAttachments: Resource<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
  schema: VolumeAttachmentSchema,
};
