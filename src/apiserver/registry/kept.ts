// Defaults are filled into every decoded object, and most have them already. Answering the same part when nothing was
// missing saves the server from giving it its stored form a second time.

/** `before` if `after` has nothing else in it, otherwise `after`. */
export function kept<T extends object>(before: T, after: T): T {
  const fields = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(after);
  const isSame = entries.length === fields.size && entries.every(([key, value]) => fields.get(key) === value);
  return isSame ? before : after;
}

/** A list mapped, or the list itself if no element changed. */
export function mapKept<T>(list: readonly T[], change: (each: T) => T): readonly T[] {
  const mapped = list.map(change);
  return mapped.every((each, index) => each === list[index]) ? list : mapped;
}
