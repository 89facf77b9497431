import { type Infer, always, int32, message, of, omitempty, string } from '../schema.ts';
import { metadata } from './meta.ts';

export const ScaleSpecSchema = message('io.k8s.api.autoscaling.v1.ScaleSpec', {
  replicas: omitempty(1, int32),
});
export interface ScaleSpec extends Infer<typeof ScaleSpecSchema> {}

export const ScaleStatusSchema = message('io.k8s.api.autoscaling.v1.ScaleStatus', {
  replicas: always(1, int32),
  selector: omitempty(2, string),
});
export interface ScaleStatus extends Infer<typeof ScaleStatusSchema> {}

export const ScaleSchema = message('io.k8s.api.autoscaling.v1.Scale', {
  metadata: always(1, metadata),
  spec: always(2, of(ScaleSpecSchema)),
  status: always(3, of(ScaleStatusSchema)),
});

export interface Scale extends Infer<typeof ScaleSchema> {
  readonly apiVersion: 'autoscaling/v1';
  readonly kind: 'Scale';
}
