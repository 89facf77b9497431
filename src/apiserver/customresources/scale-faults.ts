// The numbers that a custom object shows in its scale.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { ScaleSubresource } from '../../kube/resources/custom-resource-definition.ts';

const INT32_MAX = 2 ** 31 - 1;

/** Of a write to the object, or to its status only. */
export function scaleFaults(
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScaleSubresource,
  object: unknown,
  { isStatus }: { readonly isStatus: boolean },
): readonly FieldError[] {
  return [
    ...(isStatus ? [] : countFaults(specReplicasPath, object)),
    ...countFaults(statusReplicasPath, object),
    ...(labelSelectorPath === undefined ? [] : selectorFaults(labelSelectorPath, object)),
  ];
}

function countFaults(path: string, object: unknown): readonly FieldError[] {
  const value = valueAt(path, object);
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [
      invalid(
        path,
        0,
        `${path} accessor error: ${JSON.stringify(value)} is of the type ${typeof value}, expected int64`,
      ),
    ];
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > INT32_MAX ? [invalid(path, value, `should be less than or equal to ${INT32_MAX}`)] : [];
}

function selectorFaults(path: string, object: unknown): readonly FieldError[] {
  const value = valueAt(path, object);
  if (value === undefined || typeof value === 'string') return [];
  return [
    invalid(
      path,
      '',
      `${path} accessor error: ${JSON.stringify(value)} is of the type ${typeof value}, expected string`,
    ),
  ];
}

/** By a path of plain names: `.spec.replicas`. */
function valueAt(path: string, object: unknown): unknown {
  let value = object;
  for (const name of path.replace(/^\./, '').split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
