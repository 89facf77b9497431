// Lists and events from the JSON of objects, which is written once for each stored revision: lists are copied together from
// these bytes, events are the bytes with a type before them.
import type { WatchEvent } from '../../kube/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../kube/object.ts';
import { ObjectBytes } from '../object-bytes.ts';

const BRACE = 0x7b;
const COMMA = 0x2c;
const LIST_TAIL = Buffer.from(']}\n');

type ChangeEvent = Extract<WatchEvent<KubeObject>, { readonly object: KubeObject }>;

export class EncodedObjects {
  readonly #bytes: ObjectBytes;
  readonly #metadata = new WeakMap<ObjectMeta, string>();
  /** Watchers of the same objects ask for the same event one after the other. */
  #lastEvent: { readonly type: string; readonly object: KubeObject; readonly line: Buffer } | undefined;

  constructor(bytes: ObjectBytes = new ObjectBytes()) {
    this.#bytes = bytes;
  }

  /** The object itself, without a line end. */
  whole(object: KubeObject): Buffer {
    return this.#bytes.of(object).whole;
  }

  /** JSON of the metadata alone. */
  metadata({ metadata }: KubeObject): string {
    const known = this.#metadata.get(metadata);
    if (known !== undefined) return known;
    const json = JSON.stringify(metadata);
    this.#metadata.set(metadata, json);
    return json;
  }

  /** `head` up to and with the bracket that opens the members. Members of built-in kinds do not repeat what the list says. */
  list(head: string, items: readonly KubeObject[], { isCustom }: { readonly isCustom: boolean }): Buffer {
    const start = Buffer.from(head);
    const parts = items.map((item) => this.#bytes.of(item));
    const size = parts.reduce(
      (sum, { whole, fieldsAt }) => sum + 1 + whole.length - (isCustom ? 0 : fieldsAt - 1),
      start.length + LIST_TAIL.length,
    );
    const bytes = Buffer.allocUnsafe(size);
    let at = start.copy(bytes);
    for (const { whole, fieldsAt } of parts) {
      if (at > start.length) bytes[at++] = COMMA;
      if (!isCustom) bytes[at++] = BRACE;
      at += whole.copy(bytes, at, isCustom ? 0 : fieldsAt);
    }
    at += LIST_TAIL.copy(bytes, at);
    return bytes.subarray(0, at);
  }

  /** One line of a watch. */
  event({ type, object }: ChangeEvent): Buffer {
    const last = this.#lastEvent;
    if (last !== undefined && last.object === object && last.type === type) return last.line;
    const line = Buffer.concat([Buffer.from(`{"type":"${type}","object":`), this.whole(object), Buffer.from('}\n')]);
    this.#lastEvent = { type, object, line };
    return line;
  }
}
