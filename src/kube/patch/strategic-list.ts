// How lists merge under a strategic merge patch, and in which order their members come out: those that the patch names
// keep the patch's order, the others the server's, and where the server knows no order between two, the patch's is first.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
import { unclassified, unprocessable } from '../api-error.ts';
import { goPrint } from '../go-text.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import type { FieldType } from '../schema.ts';

export interface ListMerge {
  readonly element: FieldType;
  /** Whether the list merges at all; otherwise it is replaced. */
  readonly merges: boolean;
  /** What tells members apart; undefined for a set of scalars. */
  readonly key: string | undefined;
}
interface ListMergeWays extends ListMerge {
  readonly isDeletion: boolean;
  readonly mergeObjects: (original: JsonObject, patch: JsonObject, type: FieldType) => JsonObject;
}

export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  list: ListMergeWays,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!areObjects(original, patch)) {
    if (list.isDeletion) return original.filter((item) => !patch.includes(item));
    const united = [...new Set([...original, ...patch])];
    return inElementOrder(united, { patchOrder: patch, serverOrder: original, key: undefined });
  }
  const { key } = list;
  if (key === undefined) throw unclassified('cannot merge lists without merge key for struct');
  const { base, additions } = afterDirectives(original.filter(isJsonObject), patch.filter(isJsonObject), key);
  return inElementOrder(mergeByKey(base, additions, { ...list, key }), {
    patchOrder: additions,
    serverOrder: base,
    key,
  });
}

/** Members of one list are all objects or all scalars of one type. */
function areObjects(...lists: readonly (readonly unknown[])[]): boolean {
  const types = lists.flat(1).map((item) => (Array.isArray(item) ? 'list' : item === null ? 'null' : typeof item));
  if (types[0] === 'list') throw unprocessable();
  if (new Set(types).size > 1 || types[0] === 'null') {
    throw unclassified(`list element types are not identical: ${goPrint(lists)}`);
  }
  return types[0] === 'object';
}

/** Carries out `$patch` of members: deletions at once, and a replacement makes the patch's members all there is. */
function afterDirectives(original: readonly JsonObject[], patch: readonly JsonObject[], key: string) {
  const additions = patch.filter((item) => !Object.hasOwn(item, '$patch'));
  let base = original;
  let isReplaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, '$patch')) continue;
    switch (item['$patch']) {
      case 'delete': {
        const doomed = keyOfMember(item, key);
        base = base.filter((each) => each[key] !== doomed);
        break;
      }
      case 'replace':
        isReplaced = true;
        break;
      case 'merge':
        throw unclassified('merging lists cannot yet be specified in the patch');
      default:
        throw unclassified(`unknown patch type: ${goPrint(item['$patch'])} in map: ${goPrint(item)}`);
    }
  }
  return isReplaced ? { base: additions, additions: [] } : { base, additions };
}

function mergeByKey(base: readonly JsonObject[], patch: readonly JsonObject[], list: ListMergeWays & { key: string }) {
  const merged = [...base];
  for (const item of patch) {
    const value = keyOfMember(item, list.key);
    const index = merged.findIndex((each) => each[list.key] === value);
    const before = merged[index];
    if (before === undefined) merged.push(item);
    else merged[index] = list.mergeObjects(before, item, list.element);
  }
  return merged;
}

function keyOfMember(item: unknown, key: string): unknown {
  if (!isJsonObject(item)) throw unclassified(`expected a map[string]interface {}, but received a ${typeof item}`);
  if (Object.hasOwn(item, key)) return item[key];
  throw unclassified(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);
}

export interface ElementOrder {
  readonly patchOrder: readonly unknown[];
  readonly serverOrder: readonly unknown[];
  readonly key: string | undefined;
}

export function inElementOrder(
  items: readonly unknown[],
  { patchOrder, serverOrder, key }: ElementOrder,
): readonly unknown[] {
  const identityOf = (item: unknown): unknown => (key === undefined ? item : keyOfMember(item, key));
  const patchRanks = ranksOf(patchOrder.map(identityOf));
  const serverRanks = ranksOf(serverOrder.map(identityOf));
  const ranked = items.map((item) => ({
    item,
    patchRank: patchRanks.get(identityOf(item)),
    serverRank: serverRanks.get(identityOf(item)),
  }));
  const fromPatch = ranked
    .filter(({ patchRank }) => patchRank !== undefined)
    .toSorted((left, right) => (left.patchRank ?? 0) - (right.patchRank ?? 0));
  const fromServer = ranked
    .filter(({ patchRank }) => patchRank === undefined)
    .toSorted((left, right) => (left.serverRank ?? 0) - (right.serverRank ?? 0));
  const merged: unknown[] = [];
  for (const { item, serverRank } of fromPatch) {
    while (serverRank !== undefined && (fromServer[0]?.serverRank ?? Infinity) < serverRank)
      merged.push(fromServer.shift()?.item);
    merged.push(item);
  }
  return [...merged, ...fromServer.map(({ item }) => item)];
}

/**
 * The order that upstream takes for the server's once it has merged under an order directive: it deletes and appends in
 * place, so as many new members as were deleted count as the server's own and stay behind its last.
 */
export function orderWithReusedSlots(
  before: readonly unknown[],
  patch: readonly unknown[],
  merged: readonly unknown[],
  key: string | undefined,
): readonly unknown[] {
  if (key === undefined) return before;
  const identityOf = (item: unknown): unknown => keyOfMember(item, key);
  const [known, kept] = [new Set(before.map(identityOf)), new Set(merged.map(identityOf))];
  const survivors = before.filter((item) => kept.has(identityOf(item)));
  const added = patch.filter(
    (item) => isJsonObject(item) && !Object.hasOwn(item, '$patch') && !known.has(identityOf(item)),
  );
  return [...survivors, ...added.slice(0, before.length - survivors.length)];
}

function ranksOf(identities: readonly unknown[]): ReadonlyMap<unknown, number> {
  const ranks = new Map<unknown, number>();
  identities.forEach((identity, index) => {
    if (!ranks.has(identity)) ranks.set(identity, index);
  });
  return ranks;
}

/** All that the patch sets must stand in the order list, in the same order; nothing may follow what the list ends with. */
export function checkElementOrder(patch: readonly unknown[], order: readonly unknown[], key: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const identityOf = (item: unknown): unknown => (key === undefined ? item : keyOfMember(item, key));
  const directiveOf = (item: unknown): unknown => (isJsonObject(item) ? item['$patch'] : undefined);
  const kept = patch.filter((item) => key === undefined || directiveOf(item) !== 'delete');
  let position = 0;
  for (const item of order) {
    while (position < kept.length && directiveOf(kept[position]) !== undefined) position++;
    if (position < kept.length && identityOf(kept[position]) === identityOf(item)) position++;
  }
  if (position === kept.length) return;
  const [patched, ordered] = [goPrint(patch), goPrint(order)];
  throw unclassified(`The order in patch list:\n${patched}\n doesn't match $setElementOrder list:\n${ordered}\n`);
}
