import type { MessageSchema } from './schema.ts';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFields[];
}
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: object;
}
/** `namespace/name`, or `name` for cluster-scoped kinds. */
export type ObjectKey = string;

/** Names a kind and carries its type: `cluster.get(VolumeAttachments, key)` is a VolumeAttachment. */
export interface Resource<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** For a kind that lives under another's path: `StatefulSetScales` is a Resource of Scale at `…/scale`. */
  readonly subresource?: string;
  readonly kind: T['kind'];
  readonly namespaced: boolean;
  /** The declared shape, for kinds that have one: types, zero values, merge keys, protobuf numbers, OpenAPI. */
  readonly schema?: MessageSchema;
  /** For kinds that clients define: their shape is no declaration but comes from what the client said of it. */
  readonly shape?: (value: unknown, options: { readonly unknownFields?: string[] }) => unknown;
}

/** The parts of a Resource that its name on the wire is made of. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
  readonly subresource?: string;
}

export function keyFrom(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function keyOf(object: {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): ObjectKey {
  return keyFrom(object.metadata.namespace, object.metadata.name);
}

/** The inverse of `keyFrom`; the namespace of a cluster-scoped key is undefined. */
export function splitKey(key: ObjectKey): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: undefined, name: key };
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** How messages name a resource: `pods`, `volumeattachments.storage.k8s.io`, `pods/binding`. */
export function qualifiedResource(resource: ResourceName): string {
  const path = resource.subresource === undefined ? resource.plural : `${resource.plural}/${resource.subresource}`;
  return resource.group === '' ? path : `${path}.${resource.group}`;
}

/** How messages name a kind: `Pod`, `StatefulSet.apps`. */
export function qualifiedKind(kind: { readonly group: string; readonly kind: string }): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Narrows an object to the kind of a resource. */
export function isOf<T extends KubeObject>(resource: Resource<T>, object: KubeObject): object is T {
  return object.kind === resource.kind && object.apiVersion === apiVersionOf(resource);
}
