import { isJsonObject } from '../../kube/json.ts';

/** Equality of JSON to the letter: an empty list, an empty object, null and nothing at all are four things. */
export function equalValues(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((each, index) => equalValues(each, right[index]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  return (
    Object.keys(left).every((key) => equalValues(left[key], ownValue(right, key))) &&
    Object.keys(right).every((key) => right[key] === undefined || ownValue(left, key) !== undefined)
  );
}

/** Keys of maps are anyone's choice: `constructor` is one. */
export const ownValue = (map: object, key: string): unknown =>
  Object.hasOwn(map, key) ? (Reflect.get(map, key) as unknown) : undefined;
