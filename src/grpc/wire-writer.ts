// Protobuf's wire form, written front to back into one growing buffer. A nested message is written in place: room for a
// length of one byte is left before it, and only a longer one moves what was written.
const SIZE_FIRST = 256;
/** No UTF-16 unit of a text takes more bytes in UTF-8. */
const BYTES_OF_CHARACTER_MAX = 3;

export class WireWriter {
  #bytes = Buffer.allocUnsafe(SIZE_FIRST);
  #at = 0;

  /** What was written, sharing the writer's memory: the writer is used up. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #room(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + size));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }

  #key(number: number, wireType: number): void {
    this.#varint(number * 8 + wireType);
  }

  /** A whole number from 0 to 2^53. */
  #varint(value: number): void {
    this.#room(10);
    let left = value;
    while (left >= 0x80) {
      this.#bytes[this.#at++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.#bytes[this.#at++] = left;
  }

  bool(number: number, value: boolean): void {
    this.#key(number, 0);
    this.#varint(value ? 1 : 0);
  }

  /** int32, int64, uint32, uint64 and enumerations: negative ones take ten bytes. */
  integer(number: number, value: number | bigint): void {
    this.#key(number, 0);
    if (typeof value === 'number' && value >= 0) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
  }

  #bigVarint(value: bigint): void {
    this.#room(10);
    let left = value;
    while (left >= 0x80n) {
      this.#bytes[this.#at++] = Number(left & 0x7fn) | 0x80;
      left >>= 7n;
    }
    this.#bytes[this.#at++] = Number(left);
  }

  double(number: number, value: number): void {
    this.#key(number, 1);
    this.#room(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  float(number: number, value: number): void {
    this.#key(number, 5);
    this.#room(4);
    this.#at = this.#bytes.writeFloatLE(value, this.#at);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#key(number, 2);
    this.#varint(value.length);
    this.raw(value);
  }

  /** Bytes that are wire form already. */
  raw(value: Uint8Array): void {
    this.#room(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  string(number: number, value: string): void {
    this.message(number, () => {
      this.#room(value.length * BYTES_OF_CHARACTER_MAX);
      this.#at += this.#bytes.write(value, this.#at, 'utf8');
    });
  }

  /** Everything `write` writes into this writer becomes one field. */
  message(number: number, write: () => void): void {
    this.#key(number, 2);
    this.#room(1);
    const start = ++this.#at;
    write();
    const size = this.#at - start;
    if (size < 0x80) {
      this.#bytes[start - 1] = size;
      return;
    }
    const more = sizeOfVarint(size) - 1;
    this.#room(more + 10);
    this.#bytes.copyWithin(start + more, start, this.#at);
    this.#at = start - 1;
    this.#varint(size);
    this.#at += size;
  }
}

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) size++;
  return size;
}
