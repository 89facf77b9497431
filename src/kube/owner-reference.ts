import type { KubeObject, OwnerReference } from './object.ts';

export interface OwnerReferenceOptions {
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export function ownerReferenceTo(owner: KubeObject, options: OwnerReferenceOptions = {}): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...options,
  };
}

/** The one owner that manages the object; validation admits at most one. */
export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Compares uids: an owner that was made again under the same name does not control the old one's objects. */
export function isControlledBy(object: Pick<KubeObject, 'metadata'>, owner: Pick<KubeObject, 'metadata'>): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}
