// What comes to a process passes a gate. While it is open, deliveries pass at once and cost nothing; while it is closed
// they wait, and when it opens they pass in the order in which they came. Several faults may hold one gate closed.
import { SETTLED } from '../../base/clock.ts';

export class Gate {
  readonly #closedBy = new Set<object>();
  #held: (() => unknown)[] = [];

  get isOpen(): boolean {
    return this.#closedBy.size === 0;
  }

  close(by: object): void {
    this.#closedBy.add(by);
  }

  open(by: object): void {
    this.#closedBy.delete(by);
    while (this.isOpen) {
      const next = this.#held.shift();
      if (next === undefined) return;
      next();
    }
  }

  /** Runs `deliver` now and answers as it does, or runs it when the gate opens. */
  run(deliver: () => unknown): unknown {
    if (this.isOpen) return deliver();
    this.#held.push(deliver);
    return SETTLED;
  }

  pass(): Promise<void> {
    return new Promise((resolve) => this.run(resolve));
  }

  /** Whom it was meant for is gone. */
  forget(): void {
    this.#held = [];
  }
}
