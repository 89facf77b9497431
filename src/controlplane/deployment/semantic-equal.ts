// Equality of two decoded values as upstream's semantic equality sees them: an unset field, null and an empty list are
// one and the same.

export function isSemanticallyEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => isSemanticallyEqual(each, right[index]));
  }
  return isFields(left) && isFields(right) && areFieldsEqual(left, right);
}

type FieldsOf = Readonly<Record<string, unknown>>;

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const isFields = (value: unknown): value is FieldsOf =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areFieldsEqual = (left: FieldsOf, right: FieldsOf): boolean =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    isSemanticallyEqual(left[key], right[key]),
  );
