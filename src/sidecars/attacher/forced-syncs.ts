/** Attachments whose status the driver contradicts: the next look at them acts whatever the status says, once. */
export class ForcedSyncs {
  readonly #names = new Set<string>();

  add(name: string): void {
    this.#names.add(name);
  }

  take(name: string): boolean {
    return this.#names.delete(name);
  }
}
