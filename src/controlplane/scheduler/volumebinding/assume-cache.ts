// Objects as they will be once the scheduler's own writes have come back. An assumption is about one revision: as soon as
// the server shows another, that one holds. kubernetes:pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go
import { type KubeObject, type ObjectKey, keyOf } from '../../../kube/object.ts';
import type { Informer } from '../../../runtime/informer.ts';

export class AssumeCache<T extends KubeObject> {
  readonly #informer: Informer<T>;
  /** Assumed objects with the revision of the object they were made from. */
  readonly #assumed = new Map<ObjectKey, T>();

  constructor(informer: Informer<T>) {
    this.#informer = informer;
    informer.subscribe(({ object }) => this.#expire(object));
  }

  get(key: ObjectKey): T | undefined {
    const object = this.#informer.get(key);
    return object === undefined ? undefined : this.#current(key, object);
  }

  /** The index is that of the objects as the server shows them. */
  by(index: string, value: string): readonly T[] {
    return [...this.#informer.by(index, value)].map((object) => this.#current(keyOf(object), object));
  }

  /** Says why not, if the server shows another revision by now. */
  assume(object: T): string | undefined {
    const key = keyOf(object);
    const stored = this.#informer.get(key)?.metadata.resourceVersion;
    const { resourceVersion } = object.metadata;
    if (stored === undefined) return `"${key}" not found`;
    if (stored !== resourceVersion) {
      return `"${key}" is out of sync (stored: ${stored}, assume: ${resourceVersion})`;
    }
    this.#assumed.set(key, object);
    return undefined;
  }

  /** Takes the assumption back, unless a later one has taken its place. */
  restore(object: T): void {
    const key = keyOf(object);
    if (this.#assumed.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) this.#assumed.delete(key);
  }

  #current(key: ObjectKey, object: T): T {
    const assumed = this.#assumed.get(key);
    return assumed?.metadata.resourceVersion === object.metadata.resourceVersion ? assumed : object;
  }

  #expire(object: T): void {
    const key = keyOf(object);
    const stored = this.#informer.get(key)?.metadata.resourceVersion;
    if (this.#assumed.get(key)?.metadata.resourceVersion !== stored) this.#assumed.delete(key);
  }
}
