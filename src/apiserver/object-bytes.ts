// The JSON of objects, written once for each stored revision, whoever needs it first: objects are frozen, so their bytes hold
// for as long as they live, and go with them.
import type { KubeObject } from '../kube/object.ts';

export interface EncodedObject {
  /** The object itself, without a line end. */
  readonly whole: Buffer;
  /** Where the fields after kind and apiVersion begin. */
  readonly fieldsAt: number;
}

export class ObjectBytes {
  readonly #known = new WeakMap<KubeObject, EncodedObject>();

  of(object: KubeObject): EncodedObject {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const encoded = encode(object);
    this.#known.set(object, encoded);
    return encoded;
  }

  /** The same for one who will not ask again: what is not known is not kept. */
  once(object: KubeObject): Buffer {
    return (this.#known.get(object) ?? encode(object)).whole;
  }
}

function encode({ kind, apiVersion, ...fields }: KubeObject): EncodedObject {
  const head = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  return { whole: Buffer.from(head + JSON.stringify(fields).slice(1)), fieldsAt: Buffer.byteLength(head) };
}
