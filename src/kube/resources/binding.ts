import { type Infer, always, message, of } from '../schema.ts';
import { metadata } from './meta.ts';
import { ObjectReferenceSchema } from './references.ts';

const BindingSchema = message('io.k8s.api.core.v1.Binding', {
  metadata: always(1, metadata),
  target: always(2, of(ObjectReferenceSchema)),
});

export interface Binding extends Infer<typeof BindingSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Binding';
}
