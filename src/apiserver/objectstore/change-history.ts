// The newest changes of one kind, oldest first. It answers "what came after revision R" and says so when it no longer knows.
import type { KubeObject, ObjectKey, Resource } from '../../kube/object.ts';

/** One committed write. Created: no `before`. Deleted: no `after`. */
export interface Change {
  readonly revision: number;
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

export class ChangeHistory {
  readonly #capacity: number;
  /** How many more may gather before the oldest go, many at a time. */
  readonly #slack: number;
  /** Rising revisions, all above #floor. At least the newest #capacity changes are kept, at most #slack more. */
  readonly #changes: Change[] = [];
  /** Everything after this revision is known. */
  #floor: number;

  constructor(capacity: number, floor: number) {
    this.#capacity = capacity;
    this.#slack = Math.floor(capacity / 8);
    this.#floor = floor;
  }

  /** Revision of the newest change, or the floor. */
  get last(): number {
    return this.#changes.at(-1)?.revision ?? this.#floor;
  }

  push(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length <= this.#capacity + this.#slack) return;
    const dropped = this.#changes.splice(0, this.#changes.length - this.#capacity);
    this.#floor = dropped.at(-1)?.revision ?? this.#floor;
  }

  /** Forgets the changes after `revision`: they did not come to stay. */
  revoke(revision: number): void {
    this.#changes.length = this.#firstAfter(revision);
  }

  /** undefined when changes after `revision` were already dropped. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#floor) return undefined;
    return this.#changes.slice(this.#firstAfter(revision));
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
