// Reads a store back: the newest snapshot, then the log behind it. A log that breaks off at its very end was cut by a crash,
// before anyone was told: the broken end is taken off. Anything else that is broken or missing is damage, and is refused
// rather than papered over.
import type { Log } from '../../../base/log.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import type { ObjectStore } from '../../objectstore/object-store.ts';
import { UnparsedObject } from '../../objectstore/unparsed-object.ts';
import { StorageRefused } from '../storage.ts';
import type { Disk } from './disk.ts';
import { type LogRecord, RECORD_HEAD_BYTES, type Scan, hasHead, recordsOf, scan } from './frame.ts';
import { logName } from './log-writer.ts';
import { readSnapshot, snapshotName } from './snapshot.ts';

export interface Recovered {
  /** Above every revision that was ever given out. */
  readonly revision: number;
  /** Of the segment to go on with. */
  readonly nextSequence: number;
  readonly segments: number;
  readonly logBytes: number;
  readonly snapshotBytes: number;
}

export interface RecoveryOptions {
  readonly disk: Disk;
  /** Empty. */
  readonly store: ObjectStore;
  /** By `plural.group`. */
  readonly resourceOf: (name: string) => Resource<KubeObject>;
  readonly log: Log;
  /** Changes that may have been numbered without being written down. */
  readonly unwrittenMax: number;
}

interface Segment {
  readonly sequence: number;
  readonly found: Scan;
}

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const { disk, store, log, unwrittenMax } = options;
  const files = filesIn(disk);
  await removeLeftovers(disk, files);
  const snapshotBytes = loadSnapshot(options, files.snapshot);
  const segments = soundSegments(disk, files);
  const isMarked = replay(options, segments);
  const cutBytes = await trim(disk, segments, { files, log });
  // A revision that is not in the log may have been given out all the same, if the log lost its end. It must not come again.
  const skipped = isMarked && cutBytes === 0 ? 0 : unwrittenMax + Math.ceil(cutBytes / RECORD_HEAD_BYTES);
  return {
    revision: store.revision + skipped,
    nextSequence: (files.snapshot ?? 1) + segments.length,
    segments: segments.length,
    logBytes: segments.reduce((sum, { found }) => sum + found.end, 0),
    snapshotBytes,
  };
}

interface Files {
  readonly snapshot: number | undefined;
  /** Those behind the snapshot, rising. */
  readonly logs: readonly number[];
  readonly leftovers: readonly string[];
}

function filesIn(disk: Disk): Files {
  const names = disk.list();
  const numbered = (kind: string): readonly number[] =>
    names.flatMap((name) => new RegExp(`^${kind}-([0-9]{12})$`).exec(name)?.[1] ?? []).map(Number);
  const snapshots = numbered('snapshot');
  const snapshot = snapshots.at(-1);
  const isOld = (sequence: number): boolean => snapshot !== undefined && sequence < snapshot;
  const logs = numbered('log');
  return {
    snapshot,
    logs: logs.filter((sequence) => !isOld(sequence)),
    leftovers: [
      ...names.filter((name) => name.endsWith('.new')),
      ...snapshots.filter(isOld).map(snapshotName),
      ...logs.filter(isOld).map(logName),
    ],
  };
}

/** What a snapshot stands for, and what was being written when the last process ended. */
async function removeLeftovers(disk: Disk, { leftovers }: Files): Promise<void> {
  for (const name of leftovers) await disk.remove(name);
}

function loadSnapshot({ disk, store, resourceOf }: RecoveryOptions, sequence: number | undefined): number {
  if (sequence === undefined) return 0;
  const objects: Extract<LogRecord, { readonly type: 'put' }>[] = [];
  let size = 0;
  const revision = readSnapshot(disk, snapshotName(sequence), (record) => {
    objects.push(record);
    size += record.object.length;
  });
  store.load({ revision, objects: [] });
  for (const { resource, key, object } of objects) store.keep(resourceOf(resource), key, new UnparsedObject(object));
  return size;
}

/** All segments are there, and only the last one with anything in it may be broken, at its end. */
function soundSegments(disk: Disk, { snapshot = 1, logs }: Files): readonly Segment[] {
  const missing = logs.findIndex((sequence, index) => sequence !== snapshot + index);
  if (missing >= 0) throw new StorageRefused(`${disk.directory}/${logName(snapshot + missing)} is missing`);
  const segments = logs.map((sequence, index) => ({
    sequence,
    found: scanned(disk, logName(sequence), index === logs.length - 1),
  }));
  const used = segments.findLastIndex(({ found }) => found.frames.length > 0 || found.brokenBytes > 0);
  const damaged = segments.find(
    ({ found }, index) => found.damagedAt !== undefined || (found.brokenBytes > 0 && index < used),
  );
  if (damaged === undefined) return segments.slice(0, used + 1);
  throw damage(disk, logName(damaged.sequence), damaged.found.end);
}

const EMPTY: Scan = { frames: [], end: 0, brokenBytes: 0, damagedAt: undefined };

/** The last file may be one that was only begun: as long as its head is not there it is empty. */
function scanned(disk: Disk, name: string, isLast: boolean): Scan {
  const bytes = disk.read(name);
  if (hasHead(bytes, `${disk.directory}/${name}`)) return scan(bytes);
  if (isLast && bytes.every((byte) => byte === 0)) return EMPTY;
  throw damage(disk, name, 0);
}

const damage = (disk: Disk, name: string, at: number): StorageRefused =>
  new StorageRefused(`${disk.directory}/${name} is damaged at byte ${at}: restore the directory from a copy`);

/** Whether the last thing that was written down is that everything was. */
function replay(options: RecoveryOptions, segments: readonly Segment[]): boolean {
  let isMarked = true;
  for (const { sequence, found } of segments) {
    for (const frame of found.frames) isMarked = replayFrame(options, sequence, frame);
  }
  return isMarked;
}

function replayFrame({ disk, store, resourceOf }: RecoveryOptions, sequence: number, frame: Buffer): boolean {
  let isMark = false;
  // A copy, so that an object keeps its own frame alive and not the whole file.
  for (const record of recordsOf(Buffer.from(frame))) {
    isMark = record.type === 'mark';
    const isBehind = isMark ? record.revision < store.revision : record.revision <= store.revision;
    if (isBehind)
      throw new StorageRefused(`${disk.directory}/${logName(sequence)} does not follow what comes before it`);
    replayRecord(store, record, resourceOf);
  }
  return isMark;
}

function replayRecord(store: ObjectStore, record: LogRecord, resourceOf: (name: string) => Resource<KubeObject>): void {
  if (record.type === 'mark') {
    store.advance(record.revision);
    return;
  }
  const after = record.type === 'put' ? new UnparsedObject(record.object) : undefined;
  store.replay(resourceOf(record.resource), record.key, after, record.revision);
}

/** Leaves of the log what holds something. Answers how much was cut off that did. */
async function trim(disk: Disk, used: readonly Segment[], { files, log }: { files: Files; log: Log }): Promise<number> {
  for (const sequence of files.logs.slice(used.length)) await disk.remove(logName(sequence));
  const last = used.at(-1);
  if (last === undefined) return 0;
  const { brokenBytes, end } = last.found;
  const name = logName(last.sequence);
  const file = await disk.open(name);
  await file.truncate(end);
  await file.sync();
  await file.close();
  const message = 'the log ended in an unfinished write, which was cut off; nobody was told that it succeeded';
  if (brokenBytes > 0) log.write('warn', message, { file: name, atByte: end, bytes: brokenBytes });
  return brokenBytes;
}
