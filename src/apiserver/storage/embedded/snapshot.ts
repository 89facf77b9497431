// A snapshot holds every object at one revision and stands for all segments before it. It is written beside the log, a piece
// at a time, and takes its name only when it is whole and durable: one that has its name is complete.
import type { ObjectBytes } from '../../object-bytes.ts';
import type { KeptKind } from '../../objectstore/object-store.ts';
import { type Kept, UnparsedObject, objectOf } from '../../objectstore/unparsed-object.ts';
import { StorageRefused } from '../storage.ts';
import type { Disk } from './disk.ts';
import { FILE_HEAD_BYTES, FrameBuilder, type LogRecord, fileHead, hasHead, recordsOf, scan } from './frame.ts';

/** About a millisecond of encoding; requests are served in between. */
const PIECE_BYTES = 128 * 1024;
/** Synced now and then, so that the sync at the end is short: writers of the log share the disk with it. */
const SYNC_BYTES = 8 * 1024 * 1024;

/** The number is that of the first segment that is not in it. */
export const snapshotName = (sequence: number): string => `snapshot-${String(sequence).padStart(12, '0')}`;
const unfinishedName = (sequence: number): string => `${snapshotName(sequence)}.new`;

export interface SnapshotOptions {
  readonly sequence: number;
  readonly revision: number;
  readonly kinds: readonly KeptKind[];
  readonly bytes: ObjectBytes;
}

/** The size of the snapshot. */
export async function writeSnapshot(disk: Disk, options: SnapshotOptions): Promise<number> {
  const { sequence, revision, kinds, bytes } = options;
  const file = await disk.create(unfinishedName(sequence));
  let [at, synced] = [FILE_HEAD_BYTES, 0];
  try {
    await file.write(fileHead(), 0);
    for (const frame of framesOf(kinds, revision, bytes)) {
      await file.write(frame, at);
      at += frame.length;
      if (at - synced < SYNC_BYTES) continue;
      await file.sync();
      synced = at;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(unfinishedName(sequence), snapshotName(sequence));
  await disk.syncDirectory();
  return at;
}

/** The mark at the end says that nothing is missing. */
function* framesOf(kinds: readonly KeptKind[], revision: number, bytes: ObjectBytes): Generator<Buffer> {
  const builder = new FrameBuilder();
  for (const kind of kinds) {
    const resource = `${kind.resource.plural}.${kind.resource.group}`;
    for (let from: string | undefined = ''; from !== undefined;) {
      let last: string | undefined;
      kind.visit(from, (key, kept) => {
        builder.put(0, resource, key, bytesOf(kept, bytes));
        last = key;
        return builder.size < PIECE_BYTES;
      });
      if (!builder.isEmpty) yield builder.build();
      from = last === undefined ? undefined : `${last}\0`;
    }
  }
  builder.mark(revision);
  yield builder.build();
}

const bytesOf = (kept: Kept, bytes: ObjectBytes): Uint8Array =>
  (kept instanceof UnparsedObject ? kept.bytes : undefined) ?? bytes.once(objectOf(kept));

/** Calls `take` for every object; answers the revision. Refuses a snapshot that is not whole. */
export function readSnapshot(
  disk: Disk,
  name: string,
  take: (record: Extract<LogRecord, { readonly type: 'put' }>) => void,
): number {
  const bytes = disk.read(name);
  const { frames, brokenBytes, end } = hasHead(bytes, name) ? scan(bytes) : { frames: [], brokenBytes: 1, end: 0 };
  let revision: number | undefined;
  for (const frame of frames) {
    // A copy, so that an object keeps its own piece alive and not the whole file.
    for (const record of recordsOf(Buffer.from(frame))) {
      if (record.type === 'put') take(record);
      revision = record.type === 'mark' ? record.revision : undefined;
    }
  }
  if (revision === undefined || brokenBytes > 0)
    throw new StorageRefused(`${disk.directory}/${name} is damaged at byte ${end}: restore it from a copy`);
  return revision;
}
