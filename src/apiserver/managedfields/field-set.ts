// Sets of field paths in the very form in which managed fields store them (FieldsV1): a tree of steps, `{}` for a path that
// is in the set, `"."` beside further steps for a path that is in the set and has others below it. A tree without `"."` is
// only on the way to its members.
//
// Always true of a FieldSet: frozen to the bottom; steps in upstream's order; no branch without a member; the root has no
// `"."`. Operations share what they do not change: a union that adds nothing answers the same tree.
// structured-merge-diff:fieldpath/{set,serialize}.go
import { isJsonObject } from '../../kube/json.ts';
import { compareElements, formatElement, parseElement } from './path-element.ts';

export interface FieldSet {
  readonly [step: string]: FieldSet;
}
type Draft = Record<string, FieldSet>;

export const NO_FIELDS: FieldSet = Object.freeze({});
/** A path that is in the set, with nothing below. */
export const MEMBER: FieldSet = NO_FIELDS;
/** The mark of a path that is in the set and has others below it. */
export const SELF = '.';

export function isEmptySet(set: FieldSet): boolean {
  for (const _step of Object.keys(set)) return false;
  return true;
}

/** Whether the path that leads to this node is itself in the set. */
export const isInSet = (node: FieldSet): boolean => node[SELF] !== undefined || isEmptySet(node);

/** A node with these steps below it, in order; undefined if it has no reason to be there. */
export function nodeOf(member: boolean, below: FieldSet): FieldSet | undefined {
  if (isEmptySet(below)) return member ? MEMBER : undefined;
  return Object.freeze(member ? { [SELF]: MEMBER, ...below } : below);
}

export function isSameSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  for (const step of Object.keys(right)) if (left[step] === undefined) return false;
  for (const step of Object.keys(left)) {
    const other = right[step];
    if (other === undefined || !isSameSet(childOf(left, step), other)) return false;
  }
  return true;
}

/** All paths as lists of steps: those that end at a place before those that go deeper from it. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const steps = Object.keys(set).filter((step) => step !== SELF);
  const here = steps.filter((step) => isInSet(childOf(set, step))).map((step) => [step]);
  const below = steps.flatMap((step) => pathsOf(childOf(set, step)).map((path) => [step, ...path]));
  return [...here, ...below];
}

const childOf = (set: FieldSet, step: string): FieldSet => set[step] ?? NO_FIELDS;

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const step of path) node = node?.[step];
  return node !== undefined && path.length > 0 && isInSet(node);
}

/** The set of one path. */
export function setOf(...path: readonly [string, ...string[]]): FieldSet {
  return path.reduceRight<FieldSet>((below, step) => Object.freeze({ [step]: below }), MEMBER);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left)) return right;
  return isEmptySet(right) ? left : unitedSteps(left, right);
}

/** Of what is at one place and below it, the place itself included. */
export function uniteNodes(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  if (isEmptySet(left)) return withSelf(right);
  return isEmptySet(right) ? withSelf(left) : unitedSteps(left, right);
}

/** The same with the path to this node. */
export function withSelf(node: FieldSet): FieldSet {
  return isInSet(node) ? node : Object.freeze({ [SELF]: MEMBER, ...node });
}

function unitedSteps(left: FieldSet, right: FieldSet): FieldSet {
  let changed: Draft | undefined;
  let isOrdered = true;
  for (const step of Object.keys(right)) {
    const other = childOf(right, step);
    const own = left[step];
    if (own === undefined) isOrdered = false;
    const both = own === undefined ? other : uniteNodes(own, other);
    if (both !== own) (changed ??= { ...left })[step] = both;
  }
  if (changed === undefined) return left;
  return Object.freeze(isOrdered ? changed : inOrder(changed));
}

function inOrder(draft: FieldSet): FieldSet {
  const ordered: Draft = {};
  for (const step of Object.keys(draft).sort(compareElements)) ordered[step] = childOf(draft, step);
  return ordered;
}

/** What is left of a step; undefined leaves nothing. */
type Judge = (step: string, node: FieldSet) => FieldSet | undefined;

export function filterSteps(set: FieldSet, judge: Judge): FieldSet {
  let kept: Draft | undefined;
  for (const step of Object.keys(set)) {
    const node = childOf(set, step);
    const rest = judge(step, node);
    if (kept === undefined && rest !== node) kept = stepsBefore(set, step);
    if (kept !== undefined && rest !== undefined) kept[step] = rest;
  }
  return kept === undefined ? set : Object.freeze(kept);
}

function stepsBefore(set: FieldSet, end: string): Draft {
  const steps: Draft = {};
  for (const step of Object.keys(set)) {
    if (step === end) break;
    steps[step] = childOf(set, step);
  }
  return steps;
}

/** Whether the sets have a first step in common. */
function meets(left: FieldSet, right: FieldSet): boolean {
  for (const step of Object.keys(right)) if (left[step] !== undefined) return true;
  return false;
}

/** A branch after it lost some of its steps: one without members is none. */
function settled(branch: FieldSet): FieldSet | undefined {
  for (const step of Object.keys(branch)) if (step !== SELF) return branch;
  return branch[SELF] === undefined ? undefined : MEMBER;
}

/** The paths of `left` that are not in `right`. A path of `right` says nothing about those below it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return meets(left, right) ? filterSteps(left, differenceFrom(right)) : left;
}

const differenceFrom =
  (right: FieldSet): Judge =>
  (step, node) => {
    const other = right[step];
    return other === undefined ? node : differenceOfNodes(node, other);
  };

function differenceOfNodes(left: FieldSet, right: FieldSet): FieldSet | undefined {
  const loses = isInSet(right);
  if (isEmptySet(left)) return loses ? undefined : left;
  const judge = differenceFrom(right);
  return settled(filterSteps(left, (step, node) => (step !== SELF ? judge(step, node) : loses ? undefined : node)));
}

/** The paths of `left` that are neither in `right` nor below a path of `right`. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  if (!meets(left, right)) return left;
  return filterSteps(left, (step, node) => {
    const other = step === SELF ? undefined : right[step];
    if (other === undefined) return node;
    if (isInSet(other)) return undefined;
    return isEmptySet(node) ? node : settled(recursiveDifference(node, other));
  });
}

/** The paths that are in both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(left)) return left;
  return filterSteps(left, (step, node) => {
    const other = right[step];
    return other === undefined ? undefined : intersectionOfNodes(node, other);
  });
}

function intersectionOfNodes(left: FieldSet, right: FieldSet): FieldSet | undefined {
  if (isEmptySet(left)) return isInSet(right) ? left : undefined;
  if (isEmptySet(right)) return isInSet(left) ? MEMBER : undefined;
  return settled(intersection(left, right));
}

/** Reads a set that a client wrote. Steps that are not known are left out; a broken one throws a SyntaxError. */
export function decodeFieldSet(fields: unknown): FieldSet {
  return decodedBelow(fields);
}

function decodedBelow(fields: unknown): FieldSet {
  if (!isJsonObject(fields)) throw new SyntaxError('expected an object');
  const below: Draft = {};
  let last: string | undefined;
  let isOrdered = true;
  for (const [key, value] of Object.entries(fields)) {
    const element = key === SELF ? undefined : parseElement(key);
    if (element === undefined) continue;
    const step = formatElement(element);
    const isSelf = isJsonObject(value) && value[SELF] !== undefined;
    const children = decodedBelow(value);
    below[step] = nodeOf(isSelf, children) ?? MEMBER;
    if (last !== undefined && compareElements(last, step) > 0) isOrdered = false;
    last = step;
  }
  return Object.freeze(isOrdered ? below : inOrder(below));
}
