// Which paths a write adds, changes and removes. Parts that both objects share are not walked, so the cost follows the
// change and not the object. A field that is undefined is an unset one.
// structured-merge-diff:typed/compare.go
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type ApplyType, type ListApply, type MapApply, type PlainApply, deduced } from './apply-type.ts';
import { equalValues, ownValue } from './equal-values.ts';
import { type FieldSet, MEMBER, NO_FIELDS, SELF, isEmptySet, uniteNodes } from './field-set.ts';
import { stepTo } from './list-member.ts';
import { compareElements, fieldElement } from './path-element.ts';

/** No path is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What happened at one place and below it. All three are always there: objects of one hidden class make the walk fast. */
interface Change {
  readonly added: FieldSet | undefined;
  readonly modified: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}
type Kind = keyof Comparison;

const ADDED: Change = { added: MEMBER, modified: undefined, removed: undefined };
const MODIFIED: Change = { added: undefined, modified: MEMBER, removed: undefined };
const REMOVED: Change = { added: undefined, modified: undefined, removed: MEMBER };
const NOTHING: JsonObject = {};

export function compareObjects(type: MapApply, before: JsonObject, after: JsonObject): Comparison {
  const change = before === after ? undefined : compareMaps(type, before, after).finish(undefined);
  return {
    added: change?.added ?? NO_FIELDS,
    modified: change?.modified ?? NO_FIELDS,
    removed: change?.removed ?? NO_FIELDS,
  };
}

export const isNoChange = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);

/** At least one of the values is there. */
function compare(type: ApplyType, before: unknown, after: unknown): Change | undefined {
  if (before === after) return undefined;
  if (type.type !== 'any') return compareAs(type, before, after);
  const [first, second] = [deduced(type, before), deduced(type, after)];
  if (after === undefined || first === second) return compareAs(first, before, after);
  if (before === undefined) return compareAs(second, before, after);
  return together(compareAs(first, before, after), compareAs(second, before, after));
}

function compareAs(type: PlainApply, before: unknown, after: unknown): Change | undefined {
  const self = before === undefined ? 'added' : after === undefined ? 'removed' : undefined;
  if (type.type === 'map' && !type.isAtomic) {
    const [left, right] = [isJsonObject(before) ? before : NOTHING, isJsonObject(after) ? after : NOTHING];
    // Where both are empty or unset they are compared as one value: that tells empty from unset.
    if (!isEmptyMap(left) || !isEmptyMap(right)) return compareMaps(type, left, right).finish(self);
  }
  if (type.type === 'list' && type.relation !== 'atomic') {
    const [left, right] = [listOf(before), listOf(after)];
    if (left.length > 0 || right.length > 0) return compareLists(type, left, right).finish(self);
  }
  return compareLeaves(before, after);
}

function compareLeaves(before: unknown, after: unknown): Change | undefined {
  if (before === undefined) return ADDED;
  if (after === undefined) return REMOVED;
  return equalValues(before, after) ? undefined : MODIFIED;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function isEmptyMap(map: JsonObject): boolean {
  for (const _key of Object.keys(map)) return false;
  return true;
}

function compareMaps(type: MapApply, before: JsonObject, after: JsonObject): ChangeDraft {
  const draft = new ChangeDraft();
  for (const key of Object.keys(after))
    compareField(type, key, { before: ownValue(before, key), after: after[key] }, draft);
  for (const key of Object.keys(before)) {
    if (ownValue(after, key) === undefined) compareField(type, key, { before: before[key], after: undefined }, draft);
  }
  return draft;
}

interface Values {
  readonly before: unknown;
  readonly after: unknown;
}

function compareField(type: MapApply, key: string, { before, after }: Values, draft: ChangeDraft): void {
  if (before === after) return;
  const field = type.fields.get(key);
  const of = field?.of ?? type.others;
  if (of !== undefined) draft.note(field?.step ?? fieldElement(key), compare(of, before, after));
}

function compareLists(type: ListApply, before: readonly unknown[], after: readonly unknown[]): ChangeDraft {
  const draft = new ChangeDraft();
  const left = membersOf(type, before);
  const right = membersOf(type, after);
  for (const [step, members] of left) draft.note(step, compareMembers(type, members, right.get(step) ?? []));
  for (const [step, members] of right) if (!left.has(step)) draft.note(step, compareMembers(type, [], members));
  return draft;
}

function membersOf(type: ListApply, list: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const members = new Map<string, unknown[]>();
  for (const member of list) {
    const step = stepTo(type, member);
    const same = members.get(step);
    if (same === undefined) members.set(step, [member]);
    else same.push(member);
  }
  return members;
}

/** Members of one name. Where there are several they are one value, owned as a whole. */
function compareMembers({ of }: ListApply, before: readonly unknown[], after: readonly unknown[]): Change | undefined {
  if (before.length <= 1 && after.length <= 1) return compare(of, before[0], after[0]);
  if (before.length > 1 && after.length > 1) return equalValues(before, after) ? undefined : MODIFIED;
  if (before.length > 1) return together(after.length === 0 ? undefined : compare(of, undefined, after[0]), REMOVED);
  return together(before.length === 0 ? undefined : compare(of, before[0], undefined), ADDED);
}

function together(first: Change | undefined, second: Change | undefined): Change | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const both = (left: FieldSet | undefined, right: FieldSet | undefined): FieldSet | undefined =>
    left === undefined || right === undefined ? (left ?? right) : uniteNodes(left, right);
  return {
    added: both(first.added, second.added),
    modified: both(first.modified, second.modified),
    removed: both(first.removed, second.removed),
  };
}

interface Noted {
  readonly step: string;
  readonly change: Change;
}

const inOrder = (left: Noted, right: Noted): number => compareElements(left.step, right.step);

/** Changes at the steps below one place, noted in any order. */
class ChangeDraft {
  readonly #noted: Noted[] = [];

  note(step: string, change: Change | undefined): void {
    if (change !== undefined) this.#noted.push({ step, change });
  }

  /** `self` tells what happened to the place itself. */
  finish(self: 'added' | 'removed' | undefined): Change | undefined {
    const noted = this.#noted;
    if (noted.length === 0) return self === undefined ? undefined : self === 'added' ? ADDED : REMOVED;
    if (noted.length > 1) noted.sort(inOrder);
    return {
      added: setOfNoted(noted, 'added', self === 'added'),
      modified: setOfNoted(noted, 'modified', false),
      removed: setOfNoted(noted, 'removed', self === 'removed'),
    };
  }
}

function setOfNoted(noted: readonly Noted[], kind: Kind, isMember: boolean): FieldSet | undefined {
  let set: Record<string, FieldSet> | undefined;
  for (const { step, change } of noted) {
    const below = change[kind];
    if (below !== undefined) (set ??= isMember ? { [SELF]: MEMBER } : {})[step] = below;
  }
  if (set === undefined) return isMember ? MEMBER : undefined;
  return Object.freeze(set);
}
