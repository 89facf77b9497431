import type { KubeObject, ObjectKey } from '../../kube/object.ts';
import { keyOf } from '../../kube/object.ts';
import type { Lister } from '../../runtime/informer.ts';

/** Objects as we wrote them, until the watch shows them: a step is never decided on the state before our last one. */
export class OwnWrites<T extends KubeObject> {
  readonly #lister: Lister<T>;
  readonly #written = new Map<ObjectKey, T>();

  constructor(lister: Lister<T>) {
    this.#lister = lister;
  }

  note(object: T): void {
    this.#written.set(keyOf(object), object);
  }

  get(key: ObjectKey): T | undefined {
    const listed = this.#lister.get(key);
    const written = this.#written.get(key);
    if (written === undefined) return listed;
    if (listed?.metadata.uid === written.metadata.uid && versionOf(listed) < versionOf(written)) return written;
    this.#written.delete(key);
    return listed;
  }

  forget(key: ObjectKey): void {
    this.#written.delete(key);
  }
}

/** Versions are compared as integers, as upstream does. */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion);
