// A map from text to values in key order, copied in constant time. It is a B+ tree whose nodes belong to the map that made
// them: a map changes its own nodes in place and copies a node of another before the first change. `fork` gives both sides
// a new identity, so from then on every old node is foreign to both and neither can see what the other does.

import { assert } from '../../base/assert.ts';

/** Largest number of entries in a node. Found by trial: below, the tree is deep; above, inserting moves too much. */
const NODE_SIZE_MAX = 32;

/** From this key on, up to but without the other. */
export interface KeyRange {
  readonly from: string;
  readonly to?: string;
}

type Owner = object;

interface Leaf<V extends object> {
  owner: Owner;
  readonly keys: string[];
  readonly values: V[];
  readonly children?: undefined;
}
interface Branch<V extends object> {
  owner: Owner;
  /** The smallest key below each child, or a smaller one: removing never moves it up. */
  readonly keys: string[];
  readonly children: Node<V>[];
}
type Node<V extends object> = Leaf<V> | Branch<V>;

export class OrderedMap<V extends object> {
  #owner: Owner = {};
  #root: Node<V>;
  #size = 0;

  constructor() {
    this.#root = emptyLeaf(this.#owner);
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node.children !== undefined) node = childAt(node, childIndex(node.keys, key));
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  /** The value that was there before. */
  set(key: string, value: V): V | undefined {
    this.#root = owned(this.#root, this.#owner);
    const { before, sibling } = insert(this.#root, key, value);
    if (before === undefined) this.#size++;
    if (sibling !== undefined) {
      this.#root = {
        owner: this.#owner,
        keys: [smallestKey(this.#root), smallestKey(sibling)],
        children: [this.#root, sibling],
      };
    }
    return before;
  }

  /** The value that was there before. */
  delete(key: string): V | undefined {
    if (this.get(key) === undefined) return undefined;
    this.#root = owned(this.#root, this.#owner);
    const before = remove(this.#root, key);
    this.#size--;
    this.#root = shrunk(this.#root, this.#owner);
    return before;
  }

  /** Calls `visit` for the values with `from <= key < to` in key order until it answers false. The map must not change meanwhile. */
  visit(range: KeyRange, visit: (value: V) => boolean): void {
    walk(this.#root, range, visit);
  }

  /** The same with the keys. */
  visitEntries(range: KeyRange, visit: (key: string, value: V) => boolean): void {
    walkEntries(this.#root, range, visit);
  }

  values(): V[] {
    const values: V[] = [];
    this.visit({ from: '' }, (value) => values.push(value) > 0);
    return values;
  }

  /** An equal map. Changes of one are never seen by the other. */
  fork(): OrderedMap<V> {
    const twin = new OrderedMap<V>();
    twin.#root = this.#root;
    twin.#size = this.#size;
    this.#owner = {};
    return twin;
  }
}

const emptyLeaf = <V extends object>(owner: Owner): Leaf<V> => ({ owner, keys: [], values: [] });

/** The node itself if it belongs to `owner`, a copy that does otherwise. */
function owned<V extends object>(node: Node<V>, owner: Owner): Node<V> {
  if (node.owner === owner) return node;
  if (node.children === undefined) return { owner, keys: node.keys.slice(), values: node.values.slice() };
  return { owner, keys: node.keys.slice(), children: node.children.slice() };
}

function childAt<V extends object>(branch: Branch<V>, index: number): Node<V> {
  const child = branch.children[index];
  assert(child !== undefined, 'a branch has a child for each of its keys');
  return child;
}

/** A branch with one child is replaced by it, one with none by an empty leaf. */
function shrunk<V extends object>(root: Node<V>, owner: Owner): Node<V> {
  let node = root;
  while (node.children !== undefined && node.children.length === 1) node = childAt(node, 0);
  return node.children?.length === 0 ? emptyLeaf(owner) : node;
}

const smallestKey = <V extends object>(node: Node<V>): string => node.keys[0] ?? '';

/** The first position whose key is not smaller. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child below which `key` is, or would be. */
function childIndex(keys: readonly string[], key: string): number {
  const index = lowerBound(keys, key);
  return keys[index] === key ? index : Math.max(0, index - 1);
}

function ownChild<V extends object>(branch: Branch<V>, index: number): Node<V> {
  const child = owned(childAt(branch, index), branch.owner);
  branch.children[index] = child;
  return child;
}

function insert<V extends object>(
  node: Node<V>,
  key: string,
  value: V,
): { before: V | undefined; sibling: Node<V> | undefined } {
  if (node.children === undefined) return insertIntoLeaf(node, key, value);
  const index = childIndex(node.keys, key);
  const child = ownChild(node, index);
  const { before, sibling } = insert(child, key, value);
  node.keys[index] = smallestKey(child);
  if (sibling !== undefined) {
    node.keys.splice(index + 1, 0, smallestKey(sibling));
    node.children.splice(index + 1, 0, sibling);
  }
  return { before, sibling: node.keys.length > NODE_SIZE_MAX ? splitBranch(node) : undefined };
}

function insertIntoLeaf<V extends object>(
  leaf: Leaf<V>,
  key: string,
  value: V,
): { before: V | undefined; sibling: Node<V> | undefined } {
  const index = lowerBound(leaf.keys, key);
  if (leaf.keys[index] === key) {
    const before = leaf.values[index];
    leaf.values[index] = value;
    return { before, sibling: undefined };
  }
  leaf.keys.splice(index, 0, key);
  leaf.values.splice(index, 0, value);
  if (leaf.keys.length <= NODE_SIZE_MAX) return { before: undefined, sibling: undefined };
  const half = splitPoint(leaf.keys.length, index);
  return {
    before: undefined,
    sibling: { owner: leaf.owner, keys: leaf.keys.splice(half), values: leaf.values.splice(half) },
  };
}

/** Keys mostly come in rising order; splitting at the end then leaves full nodes behind instead of half-empty ones. */
const splitPoint = (length: number, index: number): number => (index === length - 1 ? length - 1 : length >>> 1);

function splitBranch<V extends object>(branch: Branch<V>): Branch<V> {
  const half = branch.keys.length >>> 1;
  return { owner: branch.owner, keys: branch.keys.splice(half), children: branch.children.splice(half) };
}

/** The key is known to be there. Nodes that become empty are dropped; others stay as small as they are. */
function remove<V extends object>(node: Node<V>, key: string): V | undefined {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    node.keys.splice(index, 1);
    return node.values.splice(index, 1)[0];
  }
  const index = childIndex(node.keys, key);
  const child = ownChild(node, index);
  const before = remove(child, key);
  if (child.keys.length === 0) {
    node.keys.splice(index, 1);
    node.children.splice(index, 1);
  }
  return before;
}

/** False when `visit` wanted no more or the end of the range was reached. */
function walk<V extends object>(node: Node<V>, range: KeyRange, visit: (value: V) => boolean): boolean {
  const { from, to } = range;
  const start = node.children === undefined ? lowerBound(node.keys, from) : childIndex(node.keys, from);
  for (let index = start; index < node.keys.length; index++) {
    if (to !== undefined && (node.keys[index] ?? '') >= to) return false;
    if (!walkAt(node, index, range, visit)) return false;
  }
  return true;
}

function walkEntries<V extends object>(
  node: Node<V>,
  range: KeyRange,
  visit: (key: string, value: V) => boolean,
): boolean {
  if (node.children === undefined) {
    for (let index = lowerBound(node.keys, range.from); index < node.keys.length; index++) {
      const [key, value] = [node.keys[index] ?? '', node.values[index]];
      if (range.to !== undefined && key >= range.to) return false;
      if (value !== undefined && !visit(key, value)) return false;
    }
    return true;
  }
  for (let index = childIndex(node.keys, range.from); index < node.children.length; index++)
    if (!walkEntries(childAt(node, index), range, visit)) return false;
  return true;
}

function walkAt<V extends object>(
  node: Node<V>,
  index: number,
  range: KeyRange,
  visit: (value: V) => boolean,
): boolean {
  if (node.children !== undefined) return walk(childAt(node, index), range, visit);
  const value = node.values[index];
  return value === undefined || visit(value);
}
