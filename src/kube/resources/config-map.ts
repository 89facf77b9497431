import { type Infer, always, bool, bytes, map, message, omitempty, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const ConfigMapSchema = message('io.k8s.api.core.v1.ConfigMap', {
  metadata: always(1, metadata),
  immutable: pointer(4, bool),
  data: omitempty(2, map(string)),
  binaryData: omitempty(3, map(bytes)),
});

export interface ConfigMap extends Infer<typeof ConfigMapSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
}

export const ConfigMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  schema: ConfigMapSchema,
};
