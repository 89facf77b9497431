import { type Infer, always, bool, int64, list, message, of, omitempty, pointer, string } from '../schema.ts';
import { metadata } from './meta.ts';

const PreconditionsSchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions', {
  uid: pointer(1, string),
  resourceVersion: pointer(2, string),
});
export interface Preconditions extends Infer<typeof PreconditionsSchema> {}

const DeleteOptionsSchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions', {
  gracePeriodSeconds: pointer(1, int64),
  preconditions: pointer(2, of(PreconditionsSchema)),
  orphanDependents: pointer(3, bool),
  propagationPolicy: pointer(4, string),
  dryRun: omitempty(5, list(string)),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(6, bool),
});
export interface DeleteOptions extends Infer<typeof DeleteOptionsSchema> {}

export const EvictionSchema = message('io.k8s.api.policy.v1.Eviction', {
  metadata: always(1, metadata),
  deleteOptions: pointer(2, of(DeleteOptionsSchema)),
});

export interface Eviction extends Infer<typeof EvictionSchema> {
  readonly apiVersion: 'policy/v1';
  readonly kind: 'Eviction';
}
