// The machines of a world as faults see them: whether they have power, whether time passes for them, what they reach.
import type { DurationMs } from '../../base/clock.ts';
import { Gate } from './gate.ts';

export class Machine {
  readonly name: string;
  /** Closed while the machine stands still. */
  readonly time = new Gate();
  /** Closed while it does not reach the API server. */
  readonly api = new Gate();
  /** Closed while it does not reach its storage. */
  readonly storage = new Gate();
  hasPower = true;
  /** Counts boots: what was begun in one is not finished in another. */
  boot = 1;
  offsetMs: DurationMs = 0;

  constructor(name: string) {
    this.name = name;
  }
}

export class Machines {
  readonly #machines = new Map<string, Machine>();

  of(node: string): Machine {
    const known = this.#machines.get(node);
    if (known !== undefined) return known;
    const machine = new Machine(node);
    this.#machines.set(node, machine);
    return machine;
  }
}
