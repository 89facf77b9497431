// The old value that a new one takes the place of, found by the schema. Only where that is certain may an update keep a fault
// that was there before, and may a rule compare old and new.
// kubernetes:staging/src/k8s.io/apiserver/pkg/cel/common/equality.go
import { isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { sameValue } from '../registry/semantic-equal.ts';

/** An old value; undefined where there is none or it is not known which. */
export type Old = { readonly value: unknown } | undefined;

/** Of a field. Fields of an atomic map are not told apart. */
export function oldField(old: Old, name: string, schema: JsonSchema): Old {
  if (schema['x-kubernetes-map-type'] === 'atomic') return undefined;
  const value = old?.value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? { value: value[name] } : undefined;
}

/** Of a member of a list, which only lists with keys can tell apart. */
export function oldMember(old: Old, member: unknown, schema: JsonSchema): Old {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !isJsonObject(member)) return undefined;
  if (!Array.isArray(old?.value)) return undefined;
  const found = (old.value as readonly unknown[]).find(
    (each) => isJsonObject(each) && keys.every((key) => sameValue(each[key], member[key])),
  );
  return found === undefined ? undefined : { value: found };
}
