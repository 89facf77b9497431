// Kinds that are posted to a path below an object and never stored: decoded by the schema of the published type.
import { assert } from '../../../base/assert.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import { builtInSchema } from '../../../kube/schema-table-messages.ts';

export function postedResource<T extends KubeObject>(resource: Resource<T>): Resource<T> {
  const schema = builtInSchema(resource);
  assert(schema !== undefined, `the table of messages has ${resource.kind}`);
  return { ...resource, schema };
}
