// The snapshot CRDs of external-snapshotter. They are custom resources: no protobuf numbers of their own matter, the tags
// only keep the declaration language uniform.
import {
  type Infer,
  always,
  bool,
  int64,
  map,
  message,
  of,
  omitempty,
  pointer,
  quantity,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { ObjectReferenceSchema } from './references.ts';
import { metadata } from './meta.ts';

const GROUP = 'snapshot.storage.k8s.io';

const VolumeSnapshotErrorSchema = message('snapshot.v1.VolumeSnapshotError', {
  time: pointer(1, time),
  message: pointer(2, string),
});
export interface VolumeSnapshotError extends Infer<typeof VolumeSnapshotErrorSchema> {}

const VolumeSnapshotSchema = message('snapshot.v1.VolumeSnapshot', {
  metadata: always(1, metadata),
  spec: always(
    2,
    of(
      message('snapshot.v1.VolumeSnapshotSpec', {
        source: always(
          1,
          of(
            message('snapshot.v1.VolumeSnapshotSource', {
              persistentVolumeClaimName: pointer(1, string),
              volumeSnapshotContentName: pointer(2, string),
            }),
          ),
        ),
        volumeSnapshotClassName: pointer(2, string),
      }),
    ),
  ),
  status: pointer(
    3,
    of(
      message('snapshot.v1.VolumeSnapshotStatus', {
        boundVolumeSnapshotContentName: pointer(1, string),
        creationTime: pointer(2, time),
        readyToUse: pointer(3, bool),
        restoreSize: pointer(4, quantity),
        error: pointer(5, of(VolumeSnapshotErrorSchema)),
        volumeGroupSnapshotName: pointer(6, string),
      }),
    ),
  ),
});
export interface VolumeSnapshot extends Infer<typeof VolumeSnapshotSchema> {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1';
  readonly kind: 'VolumeSnapshot';
}
export const VolumeSnapshots: Resource<VolumeSnapshot> = {
  group: GROUP,
  version: 'v1',
  plural: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
  schema: VolumeSnapshotSchema,
};

const VolumeSnapshotContentSchema = message('snapshot.v1.VolumeSnapshotContent', {
  metadata: always(1, metadata),
  spec: always(
    2,
    of(
      message('snapshot.v1.VolumeSnapshotContentSpec', {
        volumeSnapshotRef: always(1, of(ObjectReferenceSchema)),
        deletionPolicy: always(2, string),
        driver: always(3, string),
        volumeSnapshotClassName: pointer(4, string),
        source: always(
          5,
          of(
            message('snapshot.v1.VolumeSnapshotContentSource', {
              volumeHandle: pointer(1, string),
              snapshotHandle: pointer(2, string),
            }),
          ),
        ),
        sourceVolumeMode: pointer(6, string),
      }),
    ),
  ),
  status: pointer(
    3,
    of(
      message('snapshot.v1.VolumeSnapshotContentStatus', {
        snapshotHandle: pointer(1, string),
        creationTime: pointer(2, int64),
        restoreSize: pointer(3, int64),
        readyToUse: pointer(4, bool),
        error: pointer(5, of(VolumeSnapshotErrorSchema)),
      }),
    ),
  ),
});
export interface VolumeSnapshotContent extends Infer<typeof VolumeSnapshotContentSchema> {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1';
  readonly kind: 'VolumeSnapshotContent';
}
export const VolumeSnapshotContents: Resource<VolumeSnapshotContent> = {
  group: GROUP,
  version: 'v1',
  plural: 'volumesnapshotcontents',
  kind: 'VolumeSnapshotContent',
  namespaced: false,
  schema: VolumeSnapshotContentSchema,
};

const VolumeSnapshotClassSchema = message('snapshot.v1.VolumeSnapshotClass', {
  metadata: always(1, metadata),
  driver: always(2, string),
  parameters: omitempty(3, map(string)),
  deletionPolicy: always(4, string),
});
export interface VolumeSnapshotClass extends Infer<typeof VolumeSnapshotClassSchema> {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1';
  readonly kind: 'VolumeSnapshotClass';
}
export const VolumeSnapshotClasses: Resource<VolumeSnapshotClass> = {
  group: GROUP,
  version: 'v1',
  plural: 'volumesnapshotclasses',
  kind: 'VolumeSnapshotClass',
  namespaced: false,
  schema: VolumeSnapshotClassSchema,
};
