// Equality of two decoded values as upstream's semantic equality sees them: an unset field, null and an empty list are
// one and the same, an empty object is not the same as none.

export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => sameValue(each, right[index]));
  }
  return isFields(left) && isFields(right) && sameFields(left, right);
}

/** Equality to the letter, but for fields that are undefined, which are none. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => sameJson(each, right[index]));
  }
  if (!isFields(left) || !isFields(right)) return false;
  return (
    Object.keys(left).every((key) => sameJson(left[key], right[key])) &&
    Object.keys(right).every((key) => Object.hasOwn(left, key) || right[key] === undefined)
  );
}

type FieldsOf = Readonly<Record<string, unknown>>;

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const isFields = (value: unknown): value is FieldsOf =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sameFields(left: FieldsOf, right: FieldsOf): boolean {
  return (
    Object.keys(left).every((key) => sameValue(left[key], right[key])) &&
    Object.keys(right).every((key) => Object.hasOwn(left, key) || isUnset(right[key]))
  );
}
