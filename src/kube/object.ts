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
}
