// What becomes of one object, from its own state and what is known of its owners.
// kubernetes:pkg/controller/garbagecollector/garbagecollector.go
import type { KubeObject, OwnerReference } from '../../kube/object.ts';

export const FINALIZER_FOREGROUND = 'foregroundDeletion';
export const FINALIZER_ORPHAN = 'orphan';

/** What is known of one owner that an object names. */
export interface OwnerFact {
  readonly reference: OwnerReference;
  /**
   * `waiting`: being deleted in the foreground, so it waits for its dependents.
   * `unjudged`: of a kind nobody serves, or in a namespace while the dependent is in none.
   */
  readonly state: 'solid' | 'absent' | 'waiting' | 'unjudged';
}

export type Collection =
  | { readonly type: 'keep' }
  /** Takes the owner references out of all dependents, then lets the object go. */
  | { readonly type: 'orphan' }
  /** Deletes the dependents that block, and comes back when they are gone. */
  | { readonly type: 'wait-for-dependents' }
  | { readonly type: 'remove-foreground-finalizer' }
  /** At least one owner is solid: the other references are taken out. */
  | { readonly type: 'drop-references'; readonly uids: readonly string[] }
  /** The object's owners stop waiting for it: it and one of its dependents wait for each other. Then it is deleted. */
  | { readonly type: 'unblock-owners-and-delete' }
  | { readonly type: 'delete'; readonly propagationPolicy: 'Orphan' | 'Foreground' | 'Background' };

/** `owners` is only asked for where it matters, because an unknown owner costs a live read. */
export function decideDeleting(object: KubeObject, dependents: readonly KubeObject[]): Collection | undefined {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZER_ORPHAN)) return { type: 'orphan' };
  if (!finalizers.includes(FINALIZER_FOREGROUND)) return { type: 'keep' };
  const blocked = dependents.some((dependent) => blocks(dependent, object.metadata.uid));
  return { type: blocked ? 'wait-for-dependents' : 'remove-foreground-finalizer' };
}

export function decideOwned(
  object: KubeObject,
  owners: readonly OwnerFact[],
  dependents: readonly KubeObject[],
): Collection {
  if (owners.length === 0 || owners.some(({ state }) => state === 'unjudged')) return { type: 'keep' };
  const solid = owners.filter(({ state }) => state === 'solid');
  const gone = owners.filter(({ state }) => state !== 'solid');
  if (gone.length === 0) return { type: 'keep' };
  if (solid.length > 0) return { type: 'drop-references', uids: gone.map(({ reference }) => reference.uid) };
  const waiting = owners.some(({ state }) => state === 'waiting');
  if (waiting && dependents.some(isWaiting)) return { type: 'unblock-owners-and-delete' };
  if (waiting && dependents.length > 0) return { type: 'delete', propagationPolicy: 'Foreground' };
  return { type: 'delete', propagationPolicy: policyOf(object) };
}

/** A policy asked for earlier stands in the finalizers. */
function policyOf(object: KubeObject): 'Orphan' | 'Foreground' | 'Background' {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZER_ORPHAN)) return 'Orphan';
  return finalizers.includes(FINALIZER_FOREGROUND) ? 'Foreground' : 'Background';
}

function blocks(dependent: KubeObject, ownerUid: string): boolean {
  return (dependent.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true,
  );
}

export const isWaiting = (owner: KubeObject): boolean =>
  owner.metadata.deletionTimestamp !== undefined && (owner.metadata.finalizers ?? []).includes(FINALIZER_FOREGROUND);

/** An update after which everything that decides about the object, its owners and its dependents is as before: most are of this kind. */
export function hasSameFate({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return (
    before.uid === after.uid &&
    (before.deletionTimestamp === undefined) === (after.deletionTimestamp === undefined) &&
    isSameList(before.finalizers, after.finalizers, (one, other) => one === other) &&
    isSameList(before.ownerReferences, after.ownerReferences, isSameReference)
  );
}

function isSameList<T>(
  one: readonly T[] = [],
  other: readonly T[] = [],
  isSame: (a: T, b: T | undefined) => boolean,
): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => isSame(each, other[index])));
}

const isSameReference = (one: OwnerReference, other: OwnerReference | undefined): boolean =>
  one.uid === other?.uid &&
  one.name === other.name &&
  one.kind === other.kind &&
  one.apiVersion === other.apiVersion &&
  one.blockOwnerDeletion === other.blockOwnerDeletion;
