import { type Infer, always, map, message, omitempty, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const VolumeAttributesClassSchema = message('io.k8s.api.storage.v1.VolumeAttributesClass', {
  metadata: always(1, metadata),
  driverName: always(2, string),
  parameters: omitempty(3, map(string)),
});

export interface VolumeAttributesClass extends Infer<typeof VolumeAttributesClassSchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'VolumeAttributesClass';
}

export const VolumeAttributesClasses: Resource<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  namespaced: false,
  schema: VolumeAttributesClassSchema,
};
