import { type Infer, always, list, message, nullable, of, omitempty, string, time } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const NamespaceSpecSchema = message('io.k8s.api.core.v1.NamespaceSpec', {
  finalizers: omitempty(1, list(string)),
});
export interface NamespaceSpec extends Infer<typeof NamespaceSpecSchema> {}

const NamespaceConditionSchema = message('io.k8s.api.core.v1.NamespaceCondition', {
  type: always(1, string),
  status: always(2, string),
  lastTransitionTime: nullable(4, time),
  reason: omitempty(5, string),
  message: omitempty(6, string),
});
export interface NamespaceCondition extends Infer<typeof NamespaceConditionSchema> {}

const NamespaceStatusSchema = message('io.k8s.api.core.v1.NamespaceStatus', {
  phase: omitempty(1, string),
  conditions: omitempty(
    2,
    list(of(NamespaceConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
});
export interface NamespaceStatus extends Infer<typeof NamespaceStatusSchema> {}

const NamespaceSchema = message('io.k8s.api.core.v1.Namespace', {
  metadata: always(1, metadata),
  spec: always(2, of(NamespaceSpecSchema)),
  status: always(3, of(NamespaceStatusSchema)),
});

export interface Namespace extends Infer<typeof NamespaceSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
}

export const Namespaces: Resource<Namespace> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  schema: NamespaceSchema,
};
