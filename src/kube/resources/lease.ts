import { type Infer, always, int32, message, microTime, of, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const LeaseSpecSchema = message('io.k8s.api.coordination.v1.LeaseSpec', {
  holderIdentity: pointer(1, string),
  leaseDurationSeconds: pointer(2, int32),
  acquireTime: pointer(3, microTime),
  renewTime: pointer(4, microTime),
  leaseTransitions: pointer(5, int32),
  strategy: pointer(6, string),
  preferredHolder: pointer(7, string),
});
export interface LeaseSpec extends Infer<typeof LeaseSpecSchema> {}

const LeaseSchema = message('io.k8s.api.coordination.v1.Lease', {
  metadata: always(1, metadata),
  spec: always(2, of(LeaseSpecSchema)),
});

export interface Lease extends Infer<typeof LeaseSchema> {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
}

export const Leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
  schema: LeaseSchema,
};
