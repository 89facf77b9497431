// The scale of a workload: one number read and written in a shape that all of them share.
// kubernetes:pkg/registry/apps/{deployment,replicaset,statefulset}/storage/storage.go
import { conflict, invalid } from '../../../kube/api-error.ts';
import { invalid as invalidField } from '../../../kube/field-error.ts';
import { labelMatcherOf } from '../../../kube/label-selector.ts';
import type { ResourceName } from '../../../kube/object.ts';
import type { LabelSelector } from '../../../kube/resources/meta.ts';
import type { Scale } from '../../../kube/resources/scale.ts';
import type { StoredObject } from '../generic-call.ts';

/** A kind that can be scaled, as far as its scale is concerned. */
type Workload = StoredObject & {
  readonly spec: { readonly replicas?: number; readonly selector?: LabelSelector | null };
  readonly status?: { readonly replicas?: number };
};

export function scaleOf(object: StoredObject): Scale {
  const { spec, status, metadata } = object as Workload;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const replicas = spec.replicas ?? 0;
  const selector = labelMatcherOf(spec.selector ?? undefined).toString();
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** The workload with the replicas of `scale`, if the scale is about this very object. */
export function scaled(object: StoredObject, scale: Scale, resource: ResourceName): StoredObject {
  const { name, uid } = object.metadata;
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) {
    const fault = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [fault]);
  }
  const given = scale.metadata.uid ?? '';
  if (given !== '' && given !== uid) {
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`);
  }
  const metadata = { ...object.metadata, resourceVersion: scale.metadata.resourceVersion ?? '' };
  return { ...object, metadata, spec: { ...(object as Workload).spec, replicas } };
}
