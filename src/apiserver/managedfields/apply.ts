// Server-side apply: lays a configuration over an object, takes away what its manager applied before and no longer does,
// and refuses to change the values of others unless it is forced.
// structured-merge-diff:merge/{update,conflict}.go, apimachinery:pkg/util/managedfields/internal/conflict.go
import { type ApiErrorCause, type StatusError, applyConflict } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import type { JsonObject } from '../../kube/json.ts';
import type { ManagedFields } from '../../kube/object.ts';
import type { MapApply } from './apply-type.ts';
import type { Comparison } from './comparison.ts';
import { equalValues } from './equal-values.ts';
import { fieldSetOf } from './field-set-of.ts';
import { type FieldSet, NO_FIELDS, difference, intersection, isEmptySet, pathsOf, union } from './field-set.ts';
import {
  type Entries,
  type Manager,
  entryFor,
  fieldsOf,
  identifierOf,
  isSameManager,
  takeFields,
  withFields,
  withoutNobodys,
} from './managed-fields.ts';
import { mergeObjects } from './merge-objects.ts';
import { compareTexts, printElement } from './path-element.ts';
import { removePaths } from './remove-paths.ts';
import { withNamedParents } from './typed-field-set.ts';

export interface Configuration {
  readonly type: MapApply;
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly entries: Entries;
  readonly by: Manager;
  readonly force: boolean;
  readonly now: string;
  /** Leaves out the fields that this path may not set. */
  readonly settable: (fields: FieldSet) => FieldSet;
  readonly compare: (before: JsonObject, after: JsonObject) => (apiVersion: string) => Comparison | undefined;
}

/** One field that another manager would lose. */
export interface Conflict {
  readonly entry: ManagedFields;
  readonly path: readonly string[];
}

export type Applied =
  | { readonly type: 'applied'; readonly object: JsonObject | undefined; readonly entries: Entries }
  | { readonly type: 'conflicts'; readonly conflicts: readonly Conflict[] };

/** The object is undefined if the configuration changes nothing; then the manager's time stays as it is. */
export function applyConfiguration(facts: Configuration): Applied {
  const { type, live, config, by } = facts;
  const last = facts.entries.find((entry) => isSameManager(entry, by));
  const others = facts.entries.filter((entry) => entry !== last);
  const own = entryFor(by, facts.settable(fieldSetOf(type, config)), last?.time);
  const merged = mergeObjects(type, live, config);
  const object = last === undefined ? merged : pruned(type, merged, last, [...others, own]);
  const { entries, conflicts } = takeFields(others, facts.compare(live, object));
  if (!facts.force && conflicts.length > 0) return { type: 'conflicts', conflicts: listed(conflicts) };
  const isChange = !equalValues(live, object);
  const fields = withoutNobodys(fieldsOf(own));
  const kept = isEmptySet(fields) ? [] : [isChange ? entryFor(by, fields, facts.now) : withFields(own, fields)];
  return { type: 'applied', object: isChange ? object : undefined, entries: [...entries, ...kept] };
}

/** Without what `last` set, unless someone in `entries` sets it or it stands below what nobody set. */
function pruned(type: MapApply, merged: JsonObject, last: ManagedFields, entries: Entries): JsonObject {
  const { apiVersion } = last;
  if (isEmptySet(fieldsOf(last)) || entries.at(-1)?.apiVersion !== apiVersion) return merged;
  const named = (fields: FieldSet): FieldSet => withNamedParents(fields, type);
  const all = named(fieldSetOf(type, merged));
  const lastly = named(fieldsOf(last));
  const managed = entries
    .filter((entry) => entry.apiVersion === apiVersion)
    .reduce((sum, entry) => union(sum, fieldsOf(entry)), NO_FIELDS);
  const bare = removePaths(type, merged, lastly);
  const wanted = union(named(fieldSetOf(type, bare)), named(managed));
  const owned = removePaths(type, merged, difference(all, wanted));
  const gone = difference(all, named(fieldSetOf(type, owned)));
  return removePaths(type, merged, intersection(gone, lastly));
}

/** By manager, then by path. */
function listed(
  conflicts: readonly { readonly entry: ManagedFields; readonly fields: FieldSet }[],
): readonly Conflict[] {
  return conflicts
    .toSorted((left, right) => compareTexts(identifierOf(left.entry), identifierOf(right.entry)))
    .flatMap(({ entry, fields }) => pathsOf(fields).map((path) => ({ entry, path })));
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes: readonly ApiErrorCause[] = conflicts.map(({ entry, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(entry)}`,
    field: printPath(path),
  }));
  return applyConflict(conflictMessage(conflicts), causes);
}

const printPath = (path: readonly string[]): string => path.map(printElement).join('');

function printManager({ manager, subresource = '', operation, apiVersion }: ManagedFields): string {
  const below = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`;
  return `${goQuote(manager)}${below}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first.entry)}: ${printPath(first.path)}`;
  }
  const lines = conflicts.flatMap(({ entry, path }, index) => [
    ...(conflicts[index - 1]?.entry === entry ? [] : [`conflicts with ${printManager(entry)}:`]),
    `- ${printPath(path)}`,
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}
