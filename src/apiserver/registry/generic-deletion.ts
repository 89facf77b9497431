// What a DELETE does to an object: nothing more (it is already going), a mark that others wait for, removal, or both.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go, …/rest/delete.go
import { type InstantMs, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { DeleteOptions } from '../../kube/cluster.ts';
import type { ObjectMeta } from '../../kube/object.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export interface DeletionFacts {
  readonly metadata: ObjectMeta;
  readonly policy: DeleteOptions['propagationPolicy'];
  readonly requestedGraceSeconds: number | undefined;
  /** The kind's own answer; undefined for kinds without graceful deletion. */
  readonly graceSeconds: number | undefined;
  readonly now: InstantMs;
}

export type Deletion =
  /** A deletion with no longer grace is under way. */
  | { readonly type: 'pending' }
  /** The object stays, marked, until grace has passed and every finalizer is gone. */
  | { readonly type: 'mark'; readonly metadata: ObjectMeta }
  /** The end of a graceful deletion: watchers see the mark, then the removal. */
  | { readonly type: 'mark-and-remove'; readonly metadata: ObjectMeta }
  | { readonly type: 'remove' };

export function decideDeletion(facts: DeletionFacts): Deletion {
  const graceful = gracefulMark(facts);
  if (graceful === 'pending') return { type: 'pending' };
  const finalizers = finalizersFor(facts.metadata.finalizers ?? [], facts.policy);
  if (graceful === undefined) {
    if (finalizers.length === 0) return { type: 'remove' };
    return { type: 'mark', metadata: withFinalizers(markedNow(facts.metadata, facts.now), finalizers) };
  }
  const metadata = withFinalizers(graceful, finalizers);
  const waits = finalizers.length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
  return { type: waits ? 'mark' : 'mark-and-remove', metadata };
}

/** The marked metadata; undefined where grace plays no part (any more). */
function gracefulMark(facts: DeletionFacts): ObjectMeta | 'pending' | undefined {
  const { metadata, now } = facts;
  if (facts.graceSeconds === undefined) return undefined;
  if (metadata.deletionTimestamp !== undefined) return shortened(facts);
  return {
    ...metadata,
    ...bumped(metadata),
    deletionTimestamp: timestamp(now + facts.graceSeconds * SECOND_MS),
    deletionGracePeriodSeconds: facts.graceSeconds,
  };
}

/** A second DELETE may only shorten the grace; the timestamp moves back with it, but never into the past. */
function shortened({ metadata, requestedGraceSeconds, now }: DeletionFacts): ObjectMeta | 'pending' | undefined {
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  if (current === 0) return undefined;
  if (requestedGraceSeconds === undefined || requestedGraceSeconds >= current) return 'pending';
  const asked = Date.parse(metadata.deletionTimestamp ?? '') - (current - requestedGraceSeconds) * SECOND_MS;
  const past = asked < now;
  return {
    ...metadata,
    deletionTimestamp: timestamp(past ? now : asked),
    deletionGracePeriodSeconds: past && requestedGraceSeconds !== 0 ? 1 : requestedGraceSeconds,
  };
}

function markedNow(metadata: ObjectMeta, now: InstantMs): ObjectMeta {
  const { deletionTimestamp } = metadata;
  const later = deletionTimestamp === undefined || Date.parse(deletionTimestamp) > now;
  return {
    ...metadata,
    ...(deletionTimestamp === undefined ? bumped(metadata) : {}),
    deletionTimestamp: later ? timestamp(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
  };
}

/** Asking for deletion counts as a change of what is wanted. */
function bumped({ generation }: ObjectMeta): { readonly generation?: number } {
  return generation === undefined || generation === 0 ? {} : { generation: generation + 1 };
}

function withFinalizers(metadata: ObjectMeta, finalizers: readonly string[]): ObjectMeta {
  const { finalizers: _before, ...rest } = metadata;
  return finalizers.length === 0 ? rest : { ...rest, finalizers };
}

/** The garbage collector's two finalizers follow the policy; without one, those on the object decide and stay. */
function finalizersFor(existing: readonly string[], policy: DeleteOptions['propagationPolicy']): readonly string[] {
  const inEffect = policy ?? policyOf(existing);
  const others = existing.filter((each) => each !== ORPHAN && each !== FOREGROUND);
  const wanted =
    inEffect === 'Orphan' ? [...others, ORPHAN] : inEffect === 'Foreground' ? [...others, FOREGROUND] : others;
  return wanted.length === existing.length && wanted.every((each) => existing.includes(each)) ? existing : wanted;
}

function policyOf(finalizers: readonly string[]): DeleteOptions['propagationPolicy'] {
  const first = finalizers.find((each) => each === ORPHAN || each === FOREGROUND);
  return first === ORPHAN ? 'Orphan' : first === FOREGROUND ? 'Foreground' : 'Background';
}
