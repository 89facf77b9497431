// The scale of a workload: one number read and written in a shape that all of them share.
// kubernetes:pkg/registry/apps/{deployment,replicaset,statefulset}/storage/storage.go
import { conflict, invalid } from '../../../kube/api-error.ts';
import { invalid as invalidField } from '../../../kube/field-error.ts';
import { labelMatcherOf } from '../../../kube/label-selector.ts';
import type { Patch } from '../../../kube/cluster.ts';
import type { Resource, ResourceName } from '../../../kube/object.ts';
import { applyPatch, undecodableResult } from '../../../kube/patch/patch.ts';
import { type LabelSelector, metadata } from '../../../kube/resources/meta.ts';
import { type Scale, ScaleSpecSchema, ScaleStatusSchema } from '../../../kube/resources/scale.ts';
import { always, message, of } from '../../../kube/schema.ts';
import type { Call, StoredObject } from '../generic-call.ts';
import { decodePatched } from '../generic-decode.ts';
import { requirePlain } from '../generic-patch.ts';

export const Scales: Resource<Scale> = {
  group: 'autoscaling',
  version: 'v1',
  plural: 'scales',
  kind: 'Scale',
  namespaced: true,
  schema: message('io.k8s.api.autoscaling.v1.Scale', {
    metadata: always(1, metadata),
    spec: always(2, of(ScaleSpecSchema)),
    status: always(3, of(ScaleStatusSchema)),
  }),
};

const SCALABLE: readonly string[] = ['deployments', 'replicasets', 'statefulsets'];

export const isScalable = ({ group, plural }: ResourceName): boolean => group === 'apps' && SCALABLE.includes(plural);

/** A kind that can be scaled, as far as its scale is concerned. */
type Workload = StoredObject & {
  readonly spec: { readonly replicas?: number; readonly selector?: LabelSelector | null };
  readonly status?: { readonly replicas?: number };
};

export function scaleOf(object: StoredObject): Scale {
  const { spec, status } = object as Workload;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
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

export function patchedScale(scale: Scale, patch: Patch, call: Call): Scale {
  requirePlain(patch);
  const result = applyPatch(patch, scale, Scales.schema);
  const refuse = (fault: string): Error => undecodableResult(patch, result, fault);
  return decodePatched(Scales, result, call, { isServed: () => false, refuse });
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
  const version = { ...object.metadata, resourceVersion: scale.metadata.resourceVersion ?? '' };
  return { ...object, metadata: version, spec: { ...(object as Workload).spec, replicas } };
}
