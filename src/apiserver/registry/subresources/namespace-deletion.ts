// DELETE of a namespace: the first one only starts its end. The object goes when the finalizers in its spec are gone.
// kubernetes:pkg/registry/core/namespace/storage/storage.go
import { type InstantMs, timestamp } from '../../../base/clock.ts';
import { conflict } from '../../../kube/api-error.ts';
import type { DeleteOptions } from '../../../kube/cluster.ts';
import { type Namespace, Namespaces } from '../../../kube/resources/namespace.ts';

export type NamespaceDeletion =
  | { readonly type: 'terminate'; readonly namespace: Namespace }
  | { readonly type: 'wait' }
  /** Nothing holds it any more: as any other object. */
  | { readonly type: 'delete' };

export function decideNamespaceDeletion(
  namespace: Namespace,
  options: DeleteOptions,
  now: InstantMs,
): NamespaceDeletion {
  requirePreconditions(namespace, options.preconditions ?? {});
  if (namespace.metadata.deletionTimestamp === undefined)
    return { type: 'terminate', namespace: terminating(namespace, options, now) };
  return (namespace.spec.finalizers?.length ?? 0) > 0 ? { type: 'wait' } : { type: 'delete' };
}

function requirePreconditions(
  { metadata }: Namespace,
  { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']>,
): void {
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      Namespaces,
      metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflict(Namespaces, metadata.name, why);
  }
}

function terminating(namespace: Namespace, { propagationPolicy }: DeleteOptions, now: InstantMs): Namespace {
  const { finalizers: before = [], ...metadata } = namespace.metadata;
  const finalizers = propagationPolicy === undefined ? before : finalizersFor(before, propagationPolicy);
  return {
    ...namespace,
    metadata: { ...metadata, deletionTimestamp: timestamp(now), ...(finalizers.length === 0 ? {} : { finalizers }) },
    status: { ...namespace.status, phase: 'Terminating' },
  };
}

function finalizersFor(
  existing: readonly string[],
  policy: NonNullable<DeleteOptions['propagationPolicy']>,
): readonly string[] {
  const others = existing.filter((each) => each !== 'orphan' && each !== 'foregroundDeletion');
  return policy === 'Orphan'
    ? [...others, 'orphan']
    : policy === 'Foreground'
      ? [...others, 'foregroundDeletion']
      : others;
}
