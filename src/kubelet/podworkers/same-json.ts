/** Whether two values are written the same; a field that is undefined counts as left out. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [a, b] = [left, right].map((value) => Object.entries(value).filter(([, field]) => field !== undefined));
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  const fields = new Map(b);
  return a.every(([key, field]) => fields.has(key) && isSameJson(field, fields.get(key)));
}
