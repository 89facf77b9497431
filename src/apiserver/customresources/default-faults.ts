// A default must itself be what its schema asks for, and name nothing that would be pruned.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { sameJson } from '../registry/semantic-equal.ts';
import { defaulted } from './defaulting.ts';
import { additionalOf, isEmbedded, itemsOf, propertiesOf } from './json-schema.ts';
import { listTypeFaults } from './list-type-faults.ts';
import { prunedObject } from './pruning.ts';
import { schemaFaults } from './schema-faults.ts';

export function defaultFaults(schema: JsonSchema, path: string, isRoot = true): readonly FieldError[] {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  return [
    ...(schema.default === undefined ? [] : ownFaults(schema, path)),
    ...(items === undefined ? [] : defaultFaults(items, `${path}.items`, false)),
    ...propertiesOf(schema).flatMap(([name, each]) =>
      // Nothing of an object's own metadata has a default; what says so is told elsewhere.
      isRoot && name === 'metadata' ? [] : defaultFaults(each, `${path}.properties[${name}]`, false),
    ),
    ...(additional === undefined ? [] : defaultFaults(additional, `${path}.additionalProperties`, false)),
  ];
}

function ownFaults(schema: JsonSchema, path: string): readonly FieldError[] {
  const at = `${path}.default`;
  const value = { value: schema.default };
  const wrapper: JsonSchema = { type: 'object', properties: { value: schema } };
  const pruned = isEmbedded(schema) ? value : prunedObject(value, wrapper, []);
  if (!sameJson(pruned, value)) return [invalid(at, schema.default, 'must not have unknown fields')];
  const filled = defaulted(schema.default, schema);
  return [...schemaFaults(schema, filled), ...listTypeFaults(schema, filled)].map((fault) => ({
    ...fault,
    field: fault.field === '' || fault.field === '<nil>' ? at : `${at}.${fault.field}`,
  }));
}
