import { type Infer, always, bool, bytes, map, message, omitempty, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const SecretSchema = message('io.k8s.api.core.v1.Secret', {
  metadata: always(1, metadata),
  immutable: pointer(5, bool),
  data: omitempty(2, map(bytes)),
  stringData: omitempty(4, map(string)),
  type: omitempty(3, string),
});

export interface Secret extends Infer<typeof SecretSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
}

export const Secrets: Resource<Secret> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
  schema: SecretSchema,
};
