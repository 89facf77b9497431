import { type Infer, always, int64, message, pointer, raw } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const ControllerRevisionSchema = message('io.k8s.api.apps.v1.ControllerRevision', {
  metadata: always(1, metadata),
  data: pointer(2, raw),
  revision: always(3, int64),
});

export interface ControllerRevision extends Infer<typeof ControllerRevisionSchema> {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ControllerRevision';
}

export const ControllerRevisions: Resource<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
  schema: ControllerRevisionSchema,
};
