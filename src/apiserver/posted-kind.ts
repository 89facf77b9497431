// Kinds that are only posted: what is sent is answered with what becomes of it, and nothing is stored.
import { assert } from '../base/assert.ts';
import type { KubeObject, Resource, ResourceName } from '../kube/object.ts';
import { builtInSchema } from '../kube/schema-table-messages.ts';
import type { Call } from './registry/generic-call.ts';

export interface PostedObject {
  /** Decoded and in shape. */
  readonly object: KubeObject;
  readonly namespace: string | undefined;
  /** Of the object it is posted below; empty for a kind with a path of its own. */
  readonly name: string;
}

export interface PostedKind {
  readonly resource: Resource<KubeObject>;
  /** Set for a kind that is posted below objects of another. */
  readonly below?: { readonly resource: ResourceName; readonly subresource: string };
  /** Throws an ApiError to refuse. */
  answer(posted: PostedObject, call: Call): KubeObject;
}

/** A built-in kind with its published shape. */
export function builtInKind<T extends KubeObject>(resource: Resource<T>): Resource<T> {
  const schema = builtInSchema(resource);
  assert(schema !== undefined, `the table of messages has ${resource.kind}`);
  return { ...resource, schema };
}
