// Objects in a directory: a log that every change is appended to before anyone hears of it, and now and then a snapshot that
// stands for the log before it. Everything is in memory as well, so the directory is only read when the server starts.
import type { Log } from '../../../base/log.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import type { ObjectBytes } from '../../object-bytes.ts';
import type { Change } from '../../objectstore/change-history.ts';
import { ObjectStore, SERVED_HISTORY_BYTES_MAX } from '../../objectstore/object-store.ts';
import { JournaledStorage } from '../journaled-storage.ts';
import { type Journal, NotStored, type Storage, StorageRefused } from '../storage.ts';
import { type DirectoryLock, type Machine, lockDirectory } from './directory-lock.ts';
import { type Disk, NodeDisk, codeOf } from './disk.ts';
import { FrameBuilder } from './frame.ts';
import { LogWriter, logName } from './log-writer.ts';
import { type Recovered, recover } from './recovery.ts';
import { snapshotName, writeSnapshot } from './snapshot.ts';

const MEBIBYTE = 1024 * 1024;
const SEGMENT_BYTES = 16 * MEBIBYTE;
/** A snapshot is due when the log is as large as the last one, or as this, whichever is more: each byte is written twice at most. */
const LOG_BYTES_MIN = 64 * MEBIBYTE;
/** Each start begins a segment; many small ones are as good a reason for a snapshot as a few large ones. */
const SEGMENTS_MAX = 16;
/** One batch, give or take its last change. */
const BATCH_BYTES_MAX = 4 * MEBIBYTE;
const BATCH_CHANGES_MAX = 4096;

export interface EmbeddedOptions {
  readonly directory: string;
  /** The kinds that are served; objects of others are kept as they are. */
  readonly resources: readonly Resource<KubeObject>[];
  readonly bytes: ObjectBytes;
  readonly log: Log;
  readonly machine: Machine;
  readonly soon: (work: () => void) => void;
  readonly historyCapacity?: number;
  /** Another disk than the machine's, for tests. */
  readonly disk?: Disk;
  readonly segmentBytes?: number;
  readonly logBytesMin?: number;
}

/** Throws StorageRefused. */
export async function openEmbedded(options: EmbeddedOptions): Promise<{ store: ObjectStore; storage: Storage }> {
  const { log, soon, historyCapacity, directory } = options;
  const disk = options.disk ?? ownDisk(directory);
  const lock = await writable(directory, () => lockDirectory(directory, options.machine));
  try {
    const store = new ObjectStore({
      holdsBack: true,
      historyBytesMax: SERVED_HISTORY_BYTES_MAX,
      ...(historyCapacity === undefined ? {} : { historyCapacity }),
    });
    const resourceOf = finder(options.resources);
    const recovered = await recover({ disk, store, log, resourceOf, unwrittenMax: BATCH_CHANGES_MAX });
    store.advance(recovered.revision);
    const journal = await writable(directory, () => EmbeddedJournal.start(options, { disk, store, lock, recovered }));
    return { store, storage: new JournaledStorage({ store, journal, log, soon }) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function ownDisk(directory: string): Disk {
  try {
    return new NodeDisk(directory);
  } catch (error) {
    throw unwritable(directory, error);
  }
}

async function writable<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageRefused || codeOf(error) === '' ? error : unwritable(directory, error);
  }
}

const unwritable = (directory: string, error: unknown): StorageRefused =>
  new StorageRefused(`${directory} cannot be written: ${codeOf(error)}`);

/** Resources by `plural.group`. One that is not served is known by its name alone. */
function finder(resources: readonly Resource<KubeObject>[]): (name: string) => Resource<KubeObject> {
  const known = new Map(resources.map((resource) => [nameOf(resource), resource]));
  return (name) => {
    const served = known.get(name);
    if (served !== undefined) return served;
    const [plural = '', ...group] = name.split('.');
    const bare = { group: group.join('.'), version: '', plural, kind: '', namespaced: true };
    known.set(name, bare);
    return bare;
  };
}

const nameOf = ({ plural, group }: Resource<KubeObject>): string => `${plural}.${group}`;

interface Parts {
  readonly disk: Disk;
  readonly store: ObjectStore;
  readonly lock: DirectoryLock;
  readonly recovered: Recovered;
}

class EmbeddedJournal implements Journal {
  readonly #options: EmbeddedOptions;
  readonly #parts: Parts;
  readonly #log: LogWriter;
  readonly #builder = new FrameBuilder();
  readonly #names = new Map<Resource<KubeObject>, string>();
  #snapshotBytes: number;
  /** How much log there was, in bytes of this run, when the last snapshot was begun; below zero for what was there before. */
  #snapshotAt: number;
  #snapshotting: Promise<void> | undefined;
  #isBroken = false;

  private constructor(options: EmbeddedOptions, parts: Parts, log: LogWriter) {
    this.#options = options;
    this.#parts = parts;
    this.#log = log;
    const { segments, logBytes, snapshotBytes } = parts.recovered;
    this.#snapshotBytes = snapshotBytes;
    this.#snapshotAt = segments > SEGMENTS_MAX ? Number.NEGATIVE_INFINITY : -logBytes;
  }

  static async start(options: EmbeddedOptions, parts: Parts): Promise<EmbeddedJournal> {
    const { disk, recovered } = parts;
    const segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    const log = await LogWriter.start(disk, recovered.nextSequence, segmentBytes);
    const journal = new EmbeddedJournal(options, parts, log);
    await journal.#mark(recovered.revision);
    return journal;
  }

  async append(changes: readonly Change[]): Promise<number> {
    await this.#snapshotIfDue();
    let count = 0;
    for (const change of changes) {
      if (this.#builder.size > BATCH_BYTES_MAX || count === BATCH_CHANGES_MAX) break;
      this.#add(change);
      count++;
    }
    await this.#write(this.#builder.build());
    return count;
  }

  async close(): Promise<void> {
    await this.#snapshotting;
    try {
      if (this.#isBroken) return;
      await this.#mark(this.#parts.store.revision);
      await this.#log.close();
    } finally {
      await this.#parts.lock.release();
    }
  }

  #mark(revision: number): Promise<void> {
    this.#builder.mark(revision);
    return this.#write(this.#builder.build());
  }

  async #write(frame: Buffer): Promise<void> {
    try {
      await this.#log.append(frame);
    } catch (error) {
      if (!(error instanceof NotStored)) this.#isBroken = true;
      throw error;
    }
  }

  #add({ resource, key, revision, after }: Change): void {
    let name = this.#names.get(resource);
    if (name === undefined) this.#names.set(resource, (name = nameOf(resource)));
    if (after === undefined) this.#builder.remove(revision, name, key);
    else this.#builder.put(revision, name, key, this.#options.bytes.of(after).whole);
  }

  /** Between two batches everything durable is told: what the store told is exactly what the segments so far hold. */
  async #snapshotIfDue(): Promise<void> {
    const limit = Math.max(this.#options.logBytesMin ?? LOG_BYTES_MIN, this.#snapshotBytes);
    if (this.#snapshotting !== undefined || this.#log.written - this.#snapshotAt < limit) return;
    this.#snapshotAt = this.#log.written;
    try {
      const sequence = await this.#log.rotate();
      this.#snapshotting = this.#snapshot(sequence);
    } catch (error) {
      this.#unable(error);
    }
  }

  /** Never rejects. The log is enough without it. */
  async #snapshot(sequence: number): Promise<void> {
    const { disk, store } = this.#parts;
    try {
      const [kinds, revision] = [store.keptKinds(), store.toldRevision];
      this.#snapshotBytes = await writeSnapshot(disk, { sequence, revision, kinds, bytes: this.#options.bytes });
      await removeBefore(disk, sequence);
    } catch (error) {
      this.#unable(error);
    }
    this.#snapshotting = undefined;
  }

  #unable(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#options.log.write('warn', 'no snapshot could be written; the log grows until one can', { why });
  }
}

async function removeBefore(disk: Disk, sequence: number): Promise<void> {
  const [firstLog, snapshot] = [logName(sequence), snapshotName(sequence)];
  for (const name of disk.list()) {
    const isOld = name.startsWith('log-') ? name < firstLog : name.startsWith('snapshot-') && name < snapshot;
    if (isOld) await disk.remove(name);
  }
  await disk.syncDirectory();
}
