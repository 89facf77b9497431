/** Whether two values are written the same; a field that is undefined counts as left out. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  return isRecord(left) && isRecord(right) ? isSameRecord(left, right) : isSameList(left, right);
}

const isRecord = (value: object): value is Readonly<Record<string, unknown>> => !Array.isArray(value);

function isSameList(left: object, right: object): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
  return true;
}

function isSameRecord(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): boolean {
  let count = 0;
  for (const key of Object.keys(left)) {
    const field = left[key];
    if (field === undefined) continue;
    count++;
    if (!isSameJson(field, right[key])) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) count--;
  return count === 0;
}
