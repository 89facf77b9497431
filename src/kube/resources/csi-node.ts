import { type Infer, always, int32, list, message, nullable, of, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const VolumeNodeResourcesSchema = message('io.k8s.api.storage.v1.VolumeNodeResources', {
  count: pointer(1, int32),
});
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResourcesSchema> {}

const CSINodeDriverSchema = message('io.k8s.api.storage.v1.CSINodeDriver', {
  name: always(1, string),
  nodeID: always(2, string),
  topologyKeys: nullable(3, list(string)),
  allocatable: pointer(4, of(VolumeNodeResourcesSchema)),
});
export interface CSINodeDriver extends Infer<typeof CSINodeDriverSchema> {}

const CSINodeSpecSchema = message('io.k8s.api.storage.v1.CSINodeSpec', {
  drivers: nullable(
    1,
    list(of(CSINodeDriverSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
});
export interface CSINodeSpec extends Infer<typeof CSINodeSpecSchema> {}

const CSINodeSchema = message('io.k8s.api.storage.v1.CSINode', {
  metadata: always(1, metadata),
  spec: always(2, of(CSINodeSpecSchema)),
});

export interface CSINode extends Infer<typeof CSINodeSchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSINode';
}

export const CSINodes: Resource<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  namespaced: false,
  schema: CSINodeSchema,
};
