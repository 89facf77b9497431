// The lines of a watch, put together from chunks that break anywhere.

/** No event is longer: an object is at most a few megabytes. */
const LINE_BYTES_MAX = 128 * 1024 * 1024;
const NEWLINE = 0x0a;

export class WatchLines {
  /** The beginning of a line whose end has not come. */
  #begun: Buffer[] = [];
  #size = 0;

  /** The lines that this chunk completes. Throws when one is too long to be an event. */
  take(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#finished(chunk.subarray(start, end));
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#begun.push(chunk.subarray(start));
      this.#size += chunk.length - start;
      if (this.#size > LINE_BYTES_MAX) throw new RangeError(`an event of more than ${LINE_BYTES_MAX} bytes`);
    }
    return lines;
  }

  #finished(tail: Buffer): string {
    if (this.#begun.length === 0) return tail.toString('utf8');
    const line = Buffer.concat([...this.#begun, tail]).toString('utf8');
    this.#begun = [];
    this.#size = 0;
    return line;
  }
}
