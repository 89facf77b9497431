// An object as it was read from where it was kept: its bytes, until somebody asks for it. A store of a hundred thousand
// objects is back in a fraction of the time that parsing them takes, and most of them are not asked for at once.
import { assert } from '../../base/assert.ts';
import { deepFreeze } from '../../kube/deep-freeze.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/object.ts';

/** A Buffer, as far as it is needed here. */
export type ObjectText = Uint8Array & { toString(encoding: 'utf8'): string };

export class UnparsedObject {
  /** Until it is parsed. */
  #bytes: ObjectText | undefined;
  #object: KubeObject | undefined;

  constructor(bytes: ObjectText) {
    this.#bytes = bytes;
  }

  get bytes(): ObjectText | undefined {
    return this.#bytes;
  }

  /** The same frozen object every time. */
  get object(): KubeObject {
    this.#object ??= this.#parsed();
    return this.#object;
  }

  #parsed(): KubeObject {
    // What was kept was valid when it was stored, and its checksum was right when it was read.
    const object: unknown = JSON.parse(this.#bytes?.toString('utf8') ?? '{}');
    this.#bytes = undefined;
    assert(isStoredObject(object), 'what was kept is an object with metadata');
    return deepFreeze(object);
  }
}

/** What a store keeps of an object. */
export type Kept = KubeObject | UnparsedObject;

export const objectOf = (kept: Kept): KubeObject => (kept instanceof UnparsedObject ? kept.object : kept);

/** As far as it must be known of what was stored: it was valid then. */
export const isStoredObject = (value: unknown): value is KubeObject =>
  isJsonObject(value) && isJsonObject(value['metadata']);
