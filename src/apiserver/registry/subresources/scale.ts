// The scale of a workload: one number read and written in a shape that all of them share.
// kubernetes:pkg/registry/apps/{deployment,replicaset,statefulset}/storage/storage.go
import { conflict, internal, invalid } from '../../../kube/api-error.ts';
import { invalid as invalidField } from '../../../kube/field-error.ts';
import { labelMatcherOf } from '../../../kube/label-selector.ts';
import type { Patch } from '../../../kube/cluster.ts';
import { shapeObject } from '../../../kube/go-shape.ts';
import { goQuote } from '../../../kube/go-text.ts';
import { type JsonObject, isJsonObject } from '../../../kube/json.ts';
import { type KubeObject, type Resource, type ResourceName, apiVersionOf } from '../../../kube/object.ts';
import { type PlainPatch, applyPatch, undecodableResult } from '../../../kube/patch/patch.ts';
import type { ScaleSubresource } from '../../../kube/resources/custom-resource-definition.ts';
import { type LabelSelector, metadata } from '../../../kube/resources/meta.ts';
import { type Scale, ScaleSpecSchema, ScaleStatusSchema } from '../../../kube/resources/scale.ts';
import { always, message, of } from '../../../kube/schema.ts';
import { applyTypeOf } from '../../managedfields/apply-type.ts';
import { FieldManager, type FieldWrite } from '../../managedfields/field-manager.ts';
import type { Entries } from '../../managedfields/managed-fields.ts';
import { scaleEntries, workloadEntries } from '../../managedfields/scale-fields.ts';
import type { Call, StoredObject } from '../generic-call.ts';
import { type Refuse, decodePatched } from '../generic-decode.ts';
import { unnamed } from '../generic-metadata.ts';
import { requireManager, undecodableApply } from '../generic-patch.ts';
import type { ManagedObject } from '../generic-registry.ts';

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

const SCALABLE: readonly string[] = [
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  '/replicationcontrollers',
];

export const isScalable = ({ group, plural }: ResourceName): boolean => SCALABLE.includes(`${group}/${plural}`);

type Labels = Readonly<Record<string, string>>;

/** A kind that can be scaled, as far as its scale is concerned. */
type Workload = StoredObject & {
  readonly spec: { readonly replicas?: number; readonly selector?: LabelSelector | Labels | null };
  readonly status?: { readonly replicas?: number };
};

/** What a scale shows of an object. */
interface Numbers {
  readonly replicas: number;
  readonly running: number;
  readonly selector: string;
}

/** The oldest of them selects by plain labels. */
function numbersOf({ kind, spec, status }: Workload): Numbers {
  const given = spec.selector ?? undefined;
  const wanted = kind === 'ReplicationController' ? { matchLabels: given as Labels } : (given as LabelSelector);
  const selector = labelMatcherOf(given === undefined ? undefined : wanted).toString();
  return { replicas: spec.replicas ?? 0, running: status?.replicas ?? 0, selector };
}

/** Of a kind that clients define, by the paths of its definition. */
function numbersAt(object: StoredObject, paths: ScaleSubresource): Numbers {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths;
  const replicas = valueAt(object, specReplicasPath);
  if (typeof replicas !== 'number')
    throw internal(`the spec replicas field ${goQuote(specReplicasPath)} does not exist`);
  const running = valueAt(object, statusReplicasPath);
  const selector = labelSelectorPath === '' ? '' : valueAt(object, labelSelectorPath);
  return {
    replicas,
    running: typeof running === 'number' ? running : 0,
    selector: typeof selector === 'string' ? selector : '',
  };
}

/** `.spec.replicas` */
const namesIn = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of namesIn(path)) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** A copy with another value at the path. */
function withValueAt(object: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const fields = isJsonObject(object) ? object : {};
  return { ...fields, [name]: rest.length === 0 ? value : withValueAt(fields[name], rest, value) };
}

export function scaleOf(object: StoredObject, paths?: ScaleSubresource): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas, running, selector } =
    paths === undefined ? numbersOf(object as Workload) : numbersAt(object, paths);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: running, ...(selector === '' ? {} : { selector }) },
  };
}

/** What a write does to a scale. */
export type ScaleChange =
  | { readonly type: 'whole'; readonly scale: Scale }
  | { readonly type: 'patch'; readonly patch: Patch };

const SCALE_FIELDS = new FieldManager({
  kind: { resource: Scales, hasStatus: false, isCustom: false },
  own: {
    apiVersion: apiVersionOf(Scales),
    kind: Scales.kind,
    type: applyTypeOf(Scales.schema),
    zero: shapeObject(Scales, {}) as unknown as JsonObject,
    show: (scale) => scale as unknown as JsonObject,
  },
  others: [],
});

/** The workload after a write to its scale, and who manages its fields then. */
export function rescaled(
  before: StoredObject,
  change: ScaleChange,
  {
    resource,
    paths,
    call,
    write,
  }: {
    readonly resource: Resource<KubeObject>;
    readonly paths?: ScaleSubresource | undefined;
    readonly call: Call;
    readonly write: FieldWrite;
  },
): ManagedObject {
  const replicas = paths === undefined ? undefined : namesIn(paths.specReplicasPath);
  const kind = { apiVersion: apiVersionOf(resource), ...(replicas === undefined ? {} : { replicas }) };
  const { managedFields = [] } = before.metadata;
  const shown = scaleOf(before, paths);
  const live: Scale = {
    ...shown,
    metadata: { ...shown.metadata, managedFields: scaleEntries(managedFields, kind) },
  };
  const { scale, entries } = changedScale(live, change, call, write);
  const object = scaled(before, scale, { resource, replicas });
  return { object, entries: workloadEntries(managedFields, entries, kind) };
}

interface ManagedScale {
  readonly scale: Scale;
  readonly entries: Entries;
}

function changedScale(live: Scale, change: ScaleChange, call: Call, write: FieldWrite): ManagedScale {
  const patch = change.type === 'patch' ? change.patch : undefined;
  if (patch?.type === 'apply') {
    requireManager(call);
    const { object, entries } = SCALE_FIELDS.applied(live, patch.body, patch.force, write);
    return { scale: decodedScale(object, call, (fault) => undecodableApply(Scales, patch.body, fault)), entries };
  }
  const scale = change.type === 'whole' ? change.scale : live;
  const wanted = patch === undefined ? scale : patchedScale(live, patch, call);
  return { scale: wanted, entries: SCALE_FIELDS.updated(live, wanted, write) ?? [] };
}

function patchedScale(scale: Scale, patch: PlainPatch, call: Call): Scale {
  const result = applyPatch(patch, scale, Scales.schema);
  return decodedScale(result, call, (fault, restoring) => undecodableResult(patch, result, fault, restoring));
}

const decodedScale = (result: unknown, call: Call, refuse: Refuse): Scale =>
  decodePatched(Scales, result, call, { isServed: () => false, refuse });

/** The workload with the replicas of `scale`, if the scale is about this very object. */
function scaled(
  object: StoredObject,
  scale: Scale,
  { resource, replicas: names }: { readonly resource: ResourceName; readonly replicas: readonly string[] | undefined },
): StoredObject {
  const { name, uid } = object.metadata;
  if ((scale.metadata.name ?? '') === '') throw unnamed(name);
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
  if (names !== undefined) return { ...(withValueAt(object, names, replicas) as StoredObject), metadata: version };
  return { ...object, metadata: version, spec: { ...(object as Workload).spec, replicas } };
}
