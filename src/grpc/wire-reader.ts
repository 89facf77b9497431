// Protobuf's wire form, read field by field from bytes nobody vouches for. Every length is checked against what is left, and
// nothing is allocated for a length that the bytes do not hold; whatever is wrong is a WireError.
import { WireError } from './wire-error.ts';

/** Deeper nesting is refused, so that hostile bytes cannot exhaust the stack. protobuf's own limit for parsers. */
const DEPTH_MAX = 100;
const FIELD_NUMBER_MAX = 2 ** 29 - 1;
const TWO_32 = 2 ** 32;

export type WireType = 'varint' | 'fixed64' | 'bytes' | 'group' | 'group end' | 'fixed32';
const WIRE_TYPES: readonly WireType[] = ['varint', 'fixed64', 'bytes', 'group', 'group end', 'fixed32'];

/** Bytes that are no UTF-8 are replaced, as Go's JSON encoder does. Shared, because it keeps no state between texts. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  readonly #depth: number;
  #at: number;
  /** Of the field that `next` found last. */
  number = 0;
  wireType: WireType = 'varint';

  constructor(bytes: Uint8Array, depth = 0) {
    if (depth > DEPTH_MAX) throw new WireError(`messages are nested more than ${DEPTH_MAX} deep`);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
    this.#end = bytes.length;
    this.#depth = depth;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.isAtEnd) return false;
    const key = this.#unsigned();
    const wireType = WIRE_TYPES[key % 8];
    const number = Math.floor(key / 8);
    if (wireType === undefined) throw new WireError(`illegal wireType ${key % 8}`);
    if (number === 0 || number > FIELD_NUMBER_MAX) throw new WireError(`illegal tag ${number} (wire type ${key % 8})`);
    this.number = number;
    this.wireType = wireType;
    return true;
  }

  #require(wireType: WireType): void {
    if (this.wireType !== wireType)
      throw new WireError(`wrong wireType = ${WIRE_TYPES.indexOf(this.wireType)} for field ${this.number}`);
  }

  #unsigned(): number {
    const { low, high } = this.#varint();
    return high * TWO_32 + low;
  }

  /** Halves of 32 bits, unsigned. */
  #varint(): { readonly low: number; readonly high: number } {
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || this.#at >= this.#end) throw new WireError('unexpected EOF');
      this.#at++;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= shift < 64 ? bits << (shift - 32) : 0;
      if (byte < 0x80) return { low: low >>> 0, high: high >>> 0 };
    }
    throw new WireError('integer overflow');
  }

  bool(): boolean {
    this.#require('varint');
    const { low, high } = this.#varint();
    return low !== 0 || high !== 0;
  }

  /** Truncated to 32 bits, as every protobuf library does. Enumerations are read so too. */
  int32(): number {
    this.#require('varint');
    return this.#varint().low | 0;
  }

  uint32(): number {
    this.#require('varint');
    return this.#varint().low;
  }

  /** Beyond 2^53 the nearest number, as JSON readers have it. `bigInt64` is exact. */
  int64(): number {
    this.#require('varint');
    const { low, high } = this.#varint();
    return (high | 0) * TWO_32 + low;
  }

  uint64(): number {
    this.#require('varint');
    return this.#unsigned();
  }

  bigInt64(): bigint {
    return BigInt.asIntN(64, this.bigUint64());
  }

  bigUint64(): bigint {
    this.#require('varint');
    const { low, high } = this.#varint();
    return (BigInt(high) << 32n) | BigInt(low);
  }

  double(): number {
    this.#require('fixed64');
    return this.#view.getFloat64(this.#take(8), true);
  }

  float(): number {
    this.#require('fixed32');
    return this.#view.getFloat32(this.#take(4), true);
  }

  /** A view, not a copy: it lives as long as the bytes of the whole message. */
  bytes(): Uint8Array {
    this.#require('bytes');
    const size = this.#unsigned();
    const start = this.#take(size);
    return this.#bytes.subarray(start, start + size);
  }

  string(): string {
    return UTF8.decode(this.bytes());
  }

  message(): WireReader {
    return new WireReader(this.bytes(), this.#depth + 1);
  }

  /** Values of one wire type in a row, without keys: read while `isAtEnd` is false. */
  packed(as: WireType): WireReader {
    const reader = this.message();
    reader.wireType = as;
    return reader;
  }

  /** Where the next `size` bytes begin; moves behind them. */
  #take(size: number): number {
    if (size > this.#end - this.#at) throw new WireError('unexpected EOF');
    const start = this.#at;
    this.#at += size;
    return start;
  }

  /** Passes over the field that `next` found. */
  skip(): void {
    switch (this.wireType) {
      case 'varint':
        this.#varint();
        return;
      case 'fixed64':
        this.#take(8);
        return;
      case 'bytes':
        this.#take(this.#unsigned());
        return;
      case 'fixed32':
        this.#take(4);
        return;
      case 'group':
        this.#skipGroup(this.number);
        return;
      case 'group end':
        throw new WireError('unexpected end of group');
    }
  }

  /** Groups are of old protobuf; nobody we know sends them, and readers must still pass over them. */
  #skipGroup(outermost: number): void {
    const open = [outermost];
    while (open.length > 0) {
      if (!this.next()) throw new WireError('unexpected EOF');
      if (this.wireType === 'group') {
        open.push(this.number);
        if (open.length > DEPTH_MAX) throw new WireError(`groups are nested more than ${DEPTH_MAX} deep`);
      } else if (this.wireType !== 'group end') this.skip();
      else if (open.pop() !== this.number) throw new WireError('unexpected end of group');
    }
  }
}
