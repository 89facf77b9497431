// Appends frames to segment files, each durable before the next. A segment is filled with zeros before it is used: a write
// into blocks that are there already needs no change of the file's own record, which a sync would have to wait for. The next
// segment is prepared while the present one is filled.
import { NotStored } from '../storage.ts';
import { type Disk, type DiskFile, codeOf } from './disk.ts';
import { FILE_HEAD_BYTES, fileHead } from './frame.ts';

const ZEROS = Buffer.alloc(1 << 20);
/** The first segment of a run is small: it has to be there before the server can start. */
const FIRST_SEGMENT_BYTES = 1 << 20;

export const logName = (sequence: number): string => `log-${String(sequence).padStart(12, '0')}`;

interface Segment {
  /** Its writes are durable. */
  readonly file: DiskFile;
  readonly sequence: number;
  readonly size: number;
}

/** There is no room, now. */
const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error));

export class LogWriter {
  readonly #disk: Disk;
  readonly #segmentBytes: number;
  #current: Segment;
  /** Where the next frame goes. */
  #position = FILE_HEAD_BYTES;
  /** On its way; undefined until it is wanted. A failure is told to whoever needs it. */
  #next: Promise<Segment> | undefined;
  /** Bytes of frames that were appended. */
  #written = 0;

  private constructor(disk: Disk, segmentBytes: number, first: Segment) {
    this.#disk = disk;
    this.#segmentBytes = segmentBytes;
    this.#current = first;
  }

  static async start(disk: Disk, sequence: number, segmentBytes: number): Promise<LogWriter> {
    const first = await makeSegment(disk, sequence, Math.min(segmentBytes, FIRST_SEGMENT_BYTES));
    return new LogWriter(disk, segmentBytes, first);
  }

  get written(): number {
    return this.#written;
  }

  /** Durable when it resolves. NotStored: there is no room, and nothing has changed. */
  async append(frame: Buffer): Promise<void> {
    await this.#write(frame);
    this.#position += frame.length;
    this.#written += frame.length;
    if (this.#position > this.#current.size / 2) this.#prepare(0);
  }

  /** What comes from now on goes into a new segment, whose number is answered. */
  async rotate(): Promise<number> {
    await this.#advance(0);
    return this.#current.sequence;
  }

  async close(): Promise<void> {
    const next = await this.#next?.catch(() => undefined);
    if (next !== undefined) await this.#discard(next);
    await this.#current.file.truncate(this.#position);
    await this.#current.file.sync();
    await this.#current.file.close();
  }

  async #write(frame: Buffer): Promise<void> {
    try {
      if (this.#position + frame.length > this.#current.size) await this.#advance(frame.length);
      await this.#current.file.write(frame, this.#position);
    } catch (error) {
      throw isFull(error) ? new NotStored(`no space left on the disk (${codeOf(error)})`) : error;
    }
  }

  async #advance(frameBytes: number): Promise<void> {
    this.#prepare(frameBytes);
    let next = await this.#taken();
    if (next.size < FILE_HEAD_BYTES + frameBytes) {
      await this.#discard(next);
      this.#prepare(frameBytes);
      next = await this.#taken();
    }
    const last = this.#current;
    const end = this.#position;
    this.#current = next;
    this.#position = FILE_HEAD_BYTES;
    // The zeros behind the last frame are not needed any more. That they are still there after a crash does no harm.
    await last.file.truncate(end);
    await last.file.close();
  }

  #prepare(frameBytes: number): void {
    if (this.#next !== undefined) return;
    const size = Math.max(this.#segmentBytes, FILE_HEAD_BYTES + frameBytes);
    this.#next = makeSegment(this.#disk, this.#current.sequence + 1, size);
    this.#next.catch(() => undefined);
  }

  async #taken(): Promise<Segment> {
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) throw new Error('a segment is prepared before it is taken');
    return next;
  }

  async #discard({ file, sequence }: Segment): Promise<void> {
    await file.close();
    await this.#disk.remove(logName(sequence));
  }
}

async function makeSegment(disk: Disk, sequence: number, size: number): Promise<Segment> {
  const name = logName(sequence);
  const file = await disk.create(name);
  try {
    await file.write(fileHead(), 0);
    for (let at = FILE_HEAD_BYTES; at < size; at += ZEROS.length)
      await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, size - at)), at);
    await file.sync();
    await disk.syncDirectory();
    return { file: await disk.openDurable(name), sequence, size };
  } catch (error) {
    await disk.remove(name);
    throw error;
  } finally {
    await file.close();
  }
}
