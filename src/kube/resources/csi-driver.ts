import { type Infer, always, bool, int64, list, message, of, omitempty, pointer, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const TokenRequestSchema = message('io.k8s.api.storage.v1.TokenRequest', {
  audience: always(1, string),
  expirationSeconds: pointer(2, int64),
});
export interface TokenRequest extends Infer<typeof TokenRequestSchema> {}

const CSIDriverSpecSchema = message('io.k8s.api.storage.v1.CSIDriverSpec', {
  attachRequired: pointer(1, bool),
  podInfoOnMount: pointer(2, bool),
  volumeLifecycleModes: omitempty(3, list(string, { apply: { type: 'set' } })),
  storageCapacity: pointer(4, bool),
  fsGroupPolicy: pointer(5, string),
  tokenRequests: omitempty(6, list(of(TokenRequestSchema))),
  requiresRepublish: pointer(7, bool),
  seLinuxMount: pointer(8, bool),
  nodeAllocatableUpdatePeriodSeconds: pointer(9, int64),
  serviceAccountTokenInSecrets: pointer(10, bool),
  preventPodSchedulingIfMissing: pointer(11, bool),
});
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpecSchema> {}

const CSIDriverSchema = message('io.k8s.api.storage.v1.CSIDriver', {
  metadata: always(1, metadata),
  spec: always(2, of(CSIDriverSpecSchema)),
});

export interface CSIDriver extends Infer<typeof CSIDriverSchema> {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSIDriver';
}

export const CSIDrivers: Resource<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csidrivers',
  kind: 'CSIDriver',
  namespaced: false,
  schema: CSIDriverSchema,
};
