// How changes lie on the disk. A file begins with a head that says what it is; after it come frames. A frame is what is
// written and synced at once: a batch of records under one checksum, so that it is there as a whole or not at all. The next
// frame is begun only when the last one is durable. Hence a broken frame with a sound one behind it was durable once, and
// was damaged; a broken frame with nothing sound behind it may be one that a crash cut off.
import { crc32 } from 'node:zlib';
import { StorageRefused } from '../storage.ts';

/** Raised whenever an older program could not read what is written. */
const FORMAT_VERSION = 1;
const FILE_MAGIC = Buffer.from('MOORING\0');
export const FILE_HEAD_BYTES = FILE_MAGIC.length + 4;

const FRAME_MAGIC = Buffer.from([0xf5, 0x4d, 0x52, 0xfa]);
/** Magic, length of the payload, number of records, checksum. */
const FRAME_HEAD_BYTES = 16;
/** Kind, revision, and the lengths of what follows: resource, key, object. */
export const RECORD_HEAD_BYTES = 1 + 6 + 2 + 2 + 4;

const PUT = 1;
const REMOVE = 2;
const MARK = 3;

/** `mark`: everything up to this revision is given out. */
export type LogRecord =
  | {
      readonly type: 'put';
      readonly revision: number;
      readonly resource: string;
      readonly key: string;
      readonly object: Buffer;
    }
  | { readonly type: 'remove'; readonly revision: number; readonly resource: string; readonly key: string }
  | { readonly type: 'mark'; readonly revision: number };

export function fileHead(): Buffer {
  const head = Buffer.alloc(FILE_HEAD_BYTES);
  FILE_MAGIC.copy(head);
  head.writeUInt32LE(FORMAT_VERSION, FILE_MAGIC.length);
  return head;
}

/** Refuses what a newer program wrote. False: not a file of ours, or one that was only begun. */
export function hasHead(bytes: Buffer, file: string): boolean {
  if (bytes.length < FILE_HEAD_BYTES || !bytes.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC)) return false;
  const version = bytes.readUInt32LE(FILE_MAGIC.length);
  if (version > FORMAT_VERSION) {
    throw new StorageRefused(
      `${file} was written by a newer version of this program (format ${version}, this one reads up to ${FORMAT_VERSION})`,
    );
  }
  return true;
}

/** Builds frames, one after the other, in memory of its own: a frame holds until the next one is built. */
export class FrameBuilder {
  #buffer = Buffer.alloc(1 << 16);
  #size = FRAME_HEAD_BYTES;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get size(): number {
    return this.#size;
  }

  put(revision: number, resource: string, key: string, object: Uint8Array): void {
    this.#record(PUT, revision, resource, key, object);
  }

  remove(revision: number, resource: string, key: string): void {
    this.#record(REMOVE, revision, resource, key, NOTHING);
  }

  mark(revision: number): void {
    this.#record(MARK, revision, '', '', NOTHING);
  }

  /** The frame of what was added since the last one. */
  build(): Buffer {
    const frame = this.#buffer.subarray(0, this.#size);
    FRAME_MAGIC.copy(frame);
    frame.writeUInt32LE(this.#size - FRAME_HEAD_BYTES, 4);
    frame.writeUInt32LE(this.#count, 8);
    frame.writeUInt32LE(checksum(frame), 12);
    this.#size = FRAME_HEAD_BYTES;
    this.#count = 0;
    return frame;
  }

  // oxlint's four: a record of the hottest path is not worth an object of its own.
  #record(type: number, revision: number, ...[resource, key, object]: readonly [string, string, Uint8Array]): void {
    const texts = 3 * (resource.length + key.length);
    this.#reserve(RECORD_HEAD_BYTES + texts + object.length);
    const buffer = this.#buffer;
    const at = this.#size;
    const resourceBytes = buffer.write(resource, at + RECORD_HEAD_BYTES);
    const keyBytes = buffer.write(key, at + RECORD_HEAD_BYTES + resourceBytes);
    buffer.writeUInt8(type, at);
    buffer.writeUIntLE(revision, at + 1, 6);
    buffer.writeUInt16LE(resourceBytes, at + 7);
    buffer.writeUInt16LE(keyBytes, at + 9);
    buffer.writeUInt32LE(object.length, at + 11);
    const objectAt = at + RECORD_HEAD_BYTES + resourceBytes + keyBytes;
    buffer.set(object, objectAt);
    this.#size = objectAt + object.length;
    this.#count++;
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(2 * this.#buffer.length, this.#size + bytes));
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#buffer = larger;
  }
}

const NOTHING = Buffer.alloc(0);

const checksum = (frame: Buffer): number => crc32(frame.subarray(FRAME_HEAD_BYTES), crc32(frame.subarray(4, 12)));

/** What a file holds, up to where it is sound. */
export interface Scan {
  /** The payloads, each with its number of records. */
  readonly frames: readonly Buffer[];
  /** Where the last sound frame ends. */
  readonly end: number;
  /** How much there is behind it that is not empty. */
  readonly brokenBytes: number;
  /** A broken frame lies before a sound one. */
  readonly damagedAt: number | undefined;
}

export function scan(bytes: Buffer): Scan {
  const frames: Buffer[] = [];
  let at = FILE_HEAD_BYTES;
  for (;;) {
    const frame = frameAt(bytes, at);
    if (frame === undefined) break;
    frames.push(frame);
    at += FRAME_HEAD_BYTES + frame.length;
  }
  const brokenBytes = Math.max(0, lastUsed(bytes) + 1 - at);
  return { frames, end: at, brokenBytes, damagedAt: brokenBytes > 0 && hasFrameAfter(bytes, at) ? at : undefined };
}

function frameAt(bytes: Buffer, at: number): Buffer | undefined {
  if (at + FRAME_HEAD_BYTES > bytes.length) return undefined;
  if (bytes.compare(FRAME_MAGIC, 0, FRAME_MAGIC.length, at, at + FRAME_MAGIC.length) !== 0) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  if (at + FRAME_HEAD_BYTES + length > bytes.length) return undefined;
  const frame = bytes.subarray(at, at + FRAME_HEAD_BYTES + length);
  return checksum(frame) === frame.readUInt32LE(12) ? frame.subarray(FRAME_HEAD_BYTES) : undefined;
}

function hasFrameAfter(bytes: Buffer, broken: number): boolean {
  for (let at = broken; at >= 0; at = bytes.indexOf(FRAME_MAGIC, at + 1))
    if (at > broken && frameAt(bytes, at) !== undefined) return true;
  return false;
}

/** Position of the last byte that is not zero. */
function lastUsed(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}

/** Objects are parts of `frame`. The checksum was right, so what does not fit is a fault of ours. */
export function* recordsOf(frame: Buffer): Generator<LogRecord> {
  for (let at = 0; at < frame.length;) {
    const type = frame.readUInt8(at);
    const revision = frame.readUIntLE(at + 1, 6);
    const keyAt = at + RECORD_HEAD_BYTES + frame.readUInt16LE(at + 7);
    const objectAt = keyAt + frame.readUInt16LE(at + 9);
    const end = objectAt + frame.readUInt32LE(at + 11);
    const resource = frame.toString('utf8', at + RECORD_HEAD_BYTES, keyAt);
    const key = frame.toString('utf8', keyAt, objectAt);
    at = end;
    if (type === PUT) yield { type: 'put', revision, resource, key, object: frame.subarray(objectAt, end) };
    else if (type === REMOVE) yield { type: 'remove', revision, resource, key };
    else if (type === MARK) yield { type: 'mark', revision };
    else throw new StorageRefused(`a record of unknown kind ${type}`);
  }
}
