import { type Infer, always, message, of, pointer, quantity, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { LabelSelectorSchema, metadata } from './meta.ts';

const CSIStorageCapacitySchema = message('io.k8s.api.storage.v1.CSIStorageCapacity', {
  metadata: always(1, metadata),
  nodeTopology: pointer(2, of(LabelSelectorSchema)),
  storageClassName: always(3, string),
  capacity: pointer(4, quantity),
  maximumVolumeSize: pointer(5, quantity),
});

export interface CSIStorageCapacity extends Infer<typeof CSIStorageCapacitySchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSIStorageCapacity';
}

export const CSIStorageCapacities: Resource<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
  schema: CSIStorageCapacitySchema,
};
