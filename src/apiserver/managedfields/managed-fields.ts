// The record of who manages which fields: its entries, who they belong to, how a write changes them.
// Entries in here hold their sets as FieldSet; what comes from a client passes `decodeEntries` first.
// apimachinery:pkg/util/managedfields/internal/*.go, structured-merge-diff:merge/update.go
import type { ManagedFields } from '../../kube/object.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { Comparison } from './comparison.ts';
import {
  type FieldSet,
  NO_FIELDS,
  decodeFieldSet,
  difference,
  isEmptySet,
  isSameSet,
  setOf,
  union,
} from './field-set.ts';
import { compareTexts, fieldElement } from './path-element.ts';

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go */
const UPDATE_MANAGERS_MAX = 10;
/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go */
const OLD_UPDATES_MANAGER = 'ancient-changes';
/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/buildmanagerinfo.go */
const NAMELESS_MANAGER = 'unknown';

export type Entries = readonly ManagedFields[];

/** Who writes, and how. */
export interface Manager {
  readonly manager: string;
  readonly operation: ManagedFields['operation'];
  readonly apiVersion: string;
  readonly subresource: string | undefined;
}

export const fieldsOf = (entry: ManagedFields): FieldSet => entry.fieldsV1 as FieldSet;

/** Appliers are the same whatever version they apply; updaters are not. */
export function isSameManager(left: Manager | ManagedFields, right: Manager | ManagedFields): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    (left.subresource ?? '') === (right.subresource ?? '') &&
    (left.operation === 'Apply' || left.apiVersion === right.apiVersion)
  );
}

export function entryFor(by: Manager, fields: FieldSet, time: string | undefined): ManagedFields {
  const { operation, apiVersion, subresource = '' } = by;
  const manager = by.manager === '' ? NAMELESS_MANAGER : by.manager;
  const fieldsType = 'FieldsV1';
  // Written out, in the order of their declaration: putting entries together piece by piece costs five times as much.
  if (time === undefined) {
    return Object.freeze(
      subresource === ''
        ? { manager, operation, apiVersion, fieldsType, fieldsV1: fields }
        : { manager, operation, apiVersion, fieldsType, fieldsV1: fields, subresource },
    );
  }
  return Object.freeze(
    subresource === ''
      ? { manager, operation, apiVersion, time, fieldsType, fieldsV1: fields }
      : { manager, operation, apiVersion, time, fieldsType, fieldsV1: fields, subresource },
  );
}

const managerOf = ({ manager, operation, apiVersion, subresource }: ManagedFields): Manager => ({
  manager,
  operation,
  apiVersion,
  subresource,
});

/** The entry with another set. */
export const withFields = (entry: ManagedFields, fields: FieldSet): ManagedFields =>
  fields === entry.fieldsV1 ? entry : entryFor(managerOf(entry), fields, entry.time);

/** An empty list, or one empty entry, asks to forget everything. */
export function isReset(sent: readonly object[] | undefined): boolean {
  if (sent === undefined || sent.length > 1) return false;
  const [only = {}] = sent;
  return Object.keys(only).length === 0;
}

/** Undefined if the entries cannot be read. Where two belong to the same manager the later counts. */
export function decodeEntries(sent: Entries): Entries | undefined {
  const entries: ManagedFields[] = [];
  for (const each of sent) {
    const entry = decodeEntry(each);
    if (entry === undefined) return undefined;
    const known = entries.findIndex((other) => isSameManager(other, entry));
    if (known >= 0) entries.splice(known, 1);
    entries.push(entry);
  }
  return entries;
}

/** What stands in an entry is not known before it is read, whatever its type says. */
function decodeEntry(sent: Partial<ManagedFields>): ManagedFields | undefined {
  const { manager = '', operation, apiVersion = '', subresource, fieldsType, fieldsV1 = NO_FIELDS, time } = sent;
  if ((operation !== 'Apply' && operation !== 'Update') || apiVersion === '' || fieldsType !== 'FieldsV1') {
    return undefined;
  }
  try {
    const fields = isJsonObject(fieldsV1) ? decodeFieldSet(fieldsV1) : NO_FIELDS;
    return entryFor({ manager, operation, apiVersion, subresource }, fields, time);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const sortedEntries = (entries: Entries): Entries =>
  Object.freeze(entries.length < 2 ? [...entries] : entries.toSorted(compareEntries));

const compareEntries = (left: ManagedFields, right: ManagedFields): number =>
  compareTexts(left.operation, right.operation) ||
  compareTexts(left.time ?? '', right.time ?? '') ||
  compareTexts(left.manager, right.manager) ||
  compareTexts(left.apiVersion, right.apiVersion) ||
  compareTexts(left.subresource ?? '', right.subresource ?? '');

/** The same but for the times, in the same order. */
export function isSameButTimes(left: Entries, right: Entries): boolean {
  return (
    left.length === right.length &&
    left.every((entry, index) => {
      const other = right[index];
      return other !== undefined && isSameManager(entry, other) && sameFields(entry, other);
    })
  );
}

function sameFields(left: ManagedFields, right: ManagedFields): boolean {
  return left.apiVersion === right.apiVersion && isSameSet(fieldsOf(left), fieldsOf(right));
}

/** What a write did to the fields in each version of the kind; undefined for a version that is no longer known. */
export type ComparisonIn = (apiVersion: string) => Comparison | undefined;

export interface Taken {
  readonly entries: Entries;
  /** What each manager lost because the value changed. */
  readonly conflicts: readonly { readonly entry: ManagedFields; readonly fields: FieldSet }[];
}

/** A write takes the fields that it changes or removes from all others. Who has none left is forgotten. */
export function takeFields(others: Entries, comparisonIn: ComparisonIn): Taken {
  const entries: ManagedFields[] = [];
  const conflicts: { entry: ManagedFields; fields: FieldSet }[] = [];
  for (const entry of others) {
    const comparison = comparisonIn(entry.apiVersion);
    if (comparison === undefined) continue;
    const fields = fieldsOf(entry);
    const touched = difference(difference(fields, comparison.added), comparison.modified);
    const rest = difference(touched, comparison.removed);
    if (touched !== fields) conflicts.push({ entry, fields: difference(fields, touched) });
    if (!isEmptySet(rest)) entries.push(withFields(entry, rest));
  }
  return { entries, conflicts };
}

const METADATA = fieldElement('metadata');

/** Fields that are nobody's. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/stripmeta.go */
const NOBODYS: FieldSet = [
  setOf(fieldElement('apiVersion')),
  setOf(fieldElement('kind')),
  setOf(METADATA),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => setOf(METADATA, fieldElement(name))),
].reduce(union, NO_FIELDS);

export const withoutNobodys = (fields: FieldSet): FieldSet => difference(fields, NOBODYS);

export interface Update {
  readonly by: Manager;
  readonly now: string;
  readonly comparison: Comparison;
  /** Answers an equal set that is kept already, if there is one. */
  readonly shared: (by: Manager, fields: FieldSet) => FieldSet;
}

/** The record after a write that was not an apply. The changed fields belong to its manager from now on. */
export function updateEntries(
  before: Entries,
  comparisonIn: ComparisonIn,
  { by, now, comparison, shared }: Update,
): Entries {
  const { entries } = takeFields(before, comparisonIn);
  const own = withoutNobodys(union(comparison.modified, comparison.added));
  if (isEmptySet(own)) return sortedEntries(capped(entries));
  const named = by.manager === '' ? { ...by, manager: NAMELESS_MANAGER } : by;
  const previous = entries.find((entry) => isSameManager(entry, named));
  const fields = previous === undefined ? own : union(fieldsOf(previous), own);
  const others = previous === undefined ? entries : entries.filter((entry) => entry !== previous);
  return sortedEntries(capped([...others, entryFor(named, shared(named, fields), now)]));
}

/** Of more than ten updaters the oldest become one, for each version apart. */
function capped(entries: Entries): Entries {
  const updaters = entries.filter(({ operation }) => operation === 'Update');
  let surplus = updaters.length - UPDATE_MANAGERS_MAX;
  if (surplus <= 0) return entries;
  let kept = entries;
  const firsts = new Map<string, ManagedFields>();
  for (const entry of oldestFirst(updaters)) {
    if (surplus === 0) break;
    const first = firsts.get(entry.apiVersion);
    if (first === undefined) {
      firsts.set(entry.apiVersion, entry);
      continue;
    }
    kept = withBucket(kept, first, entry);
    surplus--;
  }
  return kept;
}

/** The texts by which upstream names managers decide between equal times. */
function oldestFirst(updaters: Entries): Entries {
  return updaters.toSorted(
    (left, right) =>
      compareTexts(left.time ?? '', right.time ?? '') || compareTexts(identifierOf(left), identifierOf(right)),
  );
}

/** How upstream names a manager: what tells it from all others, as JSON. */
export function identifierOf({ manager, operation, apiVersion, subresource = '' }: ManagedFields): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** `entry` goes into the bucket of its version, which is made of `first` where there is none yet. */
function withBucket(entries: Entries, first: ManagedFields, entry: ManagedFields): Entries {
  const { apiVersion } = entry;
  const by: Manager = { manager: OLD_UPDATES_MANAGER, operation: 'Update', apiVersion, subresource: undefined };
  const bucket = entries.find((each) => isSameManager(each, by));
  const base = bucket ?? first;
  const fields = union(fieldsOf(base), fieldsOf(entry));
  const others = entries.filter((each) => each !== base && each !== entry);
  return [...others, entryFor(by, fields, entry.time)];
}
