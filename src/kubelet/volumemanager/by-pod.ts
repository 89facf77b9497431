/** Groups by pod; the order within a group is kept. */
export function byPod<T extends { readonly podUid: string }>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(each.podUid);
    if (group === undefined) groups.set(each.podUid, [each]);
    else group.push(each);
  }
  return groups;
}
