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

export interface HistoryLimits {
  /** At least so many changes stay known, unless they weigh too much. */
  readonly capacity: number;
  /** What the objects of all changes may weigh together; without it they are not weighed. */
  readonly weightMax?: number | undefined;
}

export class ChangeHistory {
  readonly #limits: HistoryLimits;
  /** How many more may gather before the oldest go, many at a time. */
  readonly #slack: number;
  /** Rising revisions, all above #floor. */
  readonly #changes: Change[] = [];
  /** Of each change, and all of them together. Empty where nothing is weighed. */
  readonly #weights: number[] = [];
  #weight = 0;
  /** Everything after this revision is known. */
  #floor: number;

  constructor(limits: HistoryLimits, floor: number) {
    this.#limits = limits;
    this.#slack = Math.floor(limits.capacity / 8);
    this.#floor = floor;
  }

  /** Everything after this revision is known. */
  get floor(): number {
    return this.#floor;
  }

  /** Revision of the newest change, or the floor. */
  get last(): number {
    return this.#changes.at(-1)?.revision ?? this.#floor;
  }

  /** `weigh` where it is known without a look at the objects. */
  push(change: Change, weigh: () => number = () => weightOf(change.after ?? change.before)): void {
    const { capacity, weightMax } = this.#limits;
    this.#changes.push(change);
    if (weightMax !== undefined) this.#add(weigh(), weightMax);
    if (this.#changes.length > capacity + this.#slack) this.#drop(this.#changes.length - capacity);
  }

  /** Forgets the changes up to `revision`, as if there had been too many. */
  compact(revision: number): void {
    this.#drop(this.#firstAfter(revision));
  }

  /** Forgets the changes after `revision`: they did not come to stay. */
  revoke(revision: number): void {
    const kept = this.#firstAfter(revision);
    this.#changes.length = kept;
    for (const weight of this.#weights.splice(kept)) this.#weight -= weight;
  }

  /** undefined when changes after `revision` were already dropped. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#floor) return undefined;
    return this.#changes.slice(this.#firstAfter(revision));
  }

  /** The newest stays, however heavy it is. */
  #add(weight: number, weightMax: number): void {
    this.#weights.push(weight);
    this.#weight += weight;
    if (this.#weight <= weightMax) return;
    const enough = weightMax - weightMax / 8;
    let [count, left] = [0, this.#weight];
    while (left > enough && count < this.#changes.length - 1) left -= this.#weights[count++] ?? 0;
    this.#drop(count);
  }

  #drop(count: number): void {
    if (count === 0) return;
    const dropped = this.#changes.splice(0, count);
    for (const weight of this.#weights.splice(0, count)) this.#weight -= weight;
    this.#floor = dropped.at(-1)?.revision ?? this.#floor;
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

/** Of everything that is no text, and what a text weighs beside its letters. */
const VALUE_WEIGHT = 16;

/** About the bytes that a value takes: it need not be right, it must not be far off for what is large. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_WEIGHT + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_WEIGHT;
  let weight = VALUE_WEIGHT;
  for (const each of Object.values(value)) weight += VALUE_WEIGHT + weightOf(each);
  return weight;
}
