/** Freezes plain objects and lists in place. What is frozen already is taken as frozen to the bottom and not walked. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

/** A frozen copy of JSON that shares no part with the original, unless that part is frozen. */
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  const entries = Object.entries(value).map(([key, child]) => [key, frozenCopy(child)] as const);
  return Object.freeze(Object.fromEntries(entries));
}
