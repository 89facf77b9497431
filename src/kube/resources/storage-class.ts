import { type Infer, always, bool, list, map, message, of, omitempty, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';
import { TopologySelectorTermSchema } from './node-selector.ts';

const StorageClassSchema = message('io.k8s.api.storage.v1.StorageClass', {
  metadata: always(1, metadata),
  provisioner: always(2, string),
  parameters: omitempty(3, map(string)),
  reclaimPolicy: pointer(4, string),
  mountOptions: omitempty(5, list(string)),
  allowVolumeExpansion: pointer(6, bool),
  volumeBindingMode: pointer(7, string),
  allowedTopologies: omitempty(8, list(of(TopologySelectorTermSchema))),
});

export interface StorageClass extends Infer<typeof StorageClassSchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'StorageClass';
}

export const StorageClasses: Resource<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
  schema: StorageClassSchema,
};
