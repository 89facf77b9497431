// Which process runs a cluster. A process that is to be ended must be proven to be the one: the lock of its store is a socket
// of the kernel, and the kernel tells which process has it open. A number in a file would not do, for numbers are used again.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { lockName, namedHolder } from '../apiserver/storage/embedded/directory-lock.ts';
import { readRunning } from './running-file.ts';

export type Holder =
  | { readonly type: 'nobody' }
  | { readonly type: 'cluster'; readonly pid: number }
  /** Somebody has it, but not as a cluster of `mooring up`, or it cannot be proven who. */
  | { readonly type: 'other'; readonly pid: number | undefined };

export function holderOf(directory: string): Holder {
  const store = path.join(directory, 'store');
  const pid = provenHolder(store);
  if (pid === 'nobody') return { type: 'nobody' };
  if (pid === 'unknown') return { type: 'other', pid: undefined };
  return readRunning(directory)?.pid === pid ? { type: 'cluster', pid } : { type: 'other', pid };
}

function provenHolder(store: string): number | 'nobody' | 'unknown' {
  let name: string;
  try {
    name = lockName(store);
  } catch {
    return 'nobody';
  }
  const named = namedHolder(store);
  // Without such sockets the file is all there is, as it is for the lock itself.
  if (process.platform !== 'linux') return named !== undefined && isAlive(named) ? named : 'nobody';
  const inode = inodeOf(name);
  if (inode === undefined) return 'nobody';
  return named !== undefined && hasOpen(named, inode) ? named : 'unknown';
}

/** A line of /proc/net/unix ends with the inode of a socket and its name; zeros before and after the name read as `@`. */
function inodeOf(name: string): string | undefined {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const found = lines.map((line) => line.split(' ')).find((words) => words.at(-1)?.replaceAll('@', '') === name);
  return found?.at(-2);
}

function hasOpen(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => linkOf(path.join(folder, fd)) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
