import type { ZoneCount } from './zones.ts';

interface Entry {
  readonly zone: string;
  readonly counts: keyof ZoneCount;
}

const EMPTY: ZoneCount = { ready: 0, notReady: 0, excluded: 0 };

/** How many nodes of each zone are ready, kept from what was last found of each node. */
export class ZoneLedger {
  readonly #entries = new Map<string, Entry>();
  /** No zone in here is empty. */
  readonly #counts = new Map<string, ZoneCount>();

  get counts(): ReadonlyMap<string, ZoneCount> {
    return this.#counts;
  }

  set(node: string, entry: Entry): void {
    this.delete(node);
    this.#entries.set(node, entry);
    this.#add(entry, 1);
  }

  /** The node is gone or could not be judged. */
  delete(node: string): void {
    const entry = this.#entries.get(node);
    if (entry === undefined) return;
    this.#entries.delete(node);
    this.#add(entry, -1);
  }

  #add({ zone, counts }: Entry, by: 1 | -1): void {
    const before = this.#counts.get(zone) ?? EMPTY;
    const after = { ...before, [counts]: before[counts] + by };
    if (after.ready + after.notReady + after.excluded === 0) this.#counts.delete(zone);
    else this.#counts.set(zone, after);
  }
}
