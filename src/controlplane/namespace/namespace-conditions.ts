// What a terminating namespace says of itself. kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { NamespaceCondition } from '../../kube/resources/namespace.ts';

/** What is left of one kind in the namespace. */
export interface Remainder {
  /** `persistentvolumeclaims.`: the plural, a dot and the group. */
  readonly resource: string;
  readonly count: number;
  /** How many of them carry each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** A condition without its time. */
type Claim = Omit<NamespaceCondition, 'lastTransitionTime'>;

export function conditionsOf(
  remainders: readonly Remainder[],
  failures: readonly string[],
  before: readonly NamespaceCondition[],
  now: InstantMs,
): readonly NamespaceCondition[] {
  const wanted = [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failures.length > 0
      ? condition(
          'NamespaceDeletionContentFailure',
          true,
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
        )
      : condition(
          'NamespaceDeletionContentFailure',
          false,
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ),
    contentCondition(remainders),
    finalizersCondition(remainders),
  ];
  return wanted.map((each) => keepTransition(each, before, now));
}

function contentCondition(remainders: readonly Remainder[]): Claim {
  const left = remainders
    .filter(({ count }) => count > 0)
    .map(({ resource, count }) => `${resource} has ${count} resource instances`);
  if (left.length === 0)
    return condition('NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed');
  return condition(
    'NamespaceContentRemaining',
    true,
    'SomeResourcesRemain',
    `Some resources are remaining: ${left.toSorted().join(', ')}`,
  );
}

function finalizersCondition(remainders: readonly Remainder[]): Claim {
  const counts = new Map<string, number>();
  for (const { finalizers } of remainders) {
    for (const [finalizer, count] of finalizers) counts.set(finalizer, (counts.get(finalizer) ?? 0) + count);
  }
  const left = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  if (left.length === 0)
    return condition(
      'NamespaceFinalizersRemaining',
      false,
      'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
    );
  return condition(
    'NamespaceFinalizersRemaining',
    true,
    'SomeFinalizersRemain',
    `Some content in the namespace has finalizers remaining: ${left.toSorted().join(', ')}`,
  );
}

function condition(type: string, holds: boolean, reason: string, message: string): Claim {
  return { type, status: holds ? 'True' : 'False', reason, message };
}

/** The time of the last change stays while the status does. */
function keepTransition(wanted: Claim, before: readonly NamespaceCondition[], now: InstantMs): NamespaceCondition {
  const known = before.find(({ type }) => type === wanted.type);
  const unchanged = known !== undefined && sameConditions([known], [wanted]);
  return { ...wanted, lastTransitionTime: unchanged ? known.lastTransitionTime : timestamp(now) };
}

export function sameConditions(a: readonly Claim[], b: readonly Claim[]): boolean {
  const text = (list: readonly Claim[]): string =>
    JSON.stringify(list.map(({ type, status, reason, message }) => [type, status, reason, message]));
  return text(a) === text(b);
}
