// One process at a time writes to a directory. The lock is a socket in the kernel's own name space, named by the directory's
// identity: it is taken atomically, however the directory is called, and goes with the process, however that ends. A file
// beside the data names the holder, for the message alone. Where there is no such name space the file has to do.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { StorageRefused } from '../storage.ts';
import { codeOf } from './disk.ts';

const HOLDER = 'holder';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** The process that this runs in, and what it can tell of others. */
export interface Machine {
  readonly pid: number;
  readonly platform: string;
  readonly isAlive: (pid: number) => boolean;
}

export async function lockDirectory(directory: string, machine: Machine): Promise<DirectoryLock> {
  const file = path.join(directory, HOLDER);
  const release = machine.platform === 'linux' ? await takeSocket(`\0${lockName(directory)}`) : takeFile(file, machine);
  if (release === undefined) throw new StorageRefused(`${directory} is in use by another server${whoIs(file)}`);
  fs.writeFileSync(file, `${machine.pid}\n`, { mode: 0o600 });
  return {
    release: async () => {
      fs.rmSync(file, { force: true });
      await release();
    },
  };
}

/** What the kernel calls the lock of a directory. */
export function lockName(directory: string): string {
  const { dev, ino } = fs.statSync(directory);
  return `mooring-store-${dev}-${ino}`;
}

/** Who says to hold a directory; whether it does is for the lock to tell. */
export const namedHolder = (directory: string): number | undefined => holderIn(path.join(directory, HOLDER));

function whoIs(file: string): string {
  const pid = holderIn(file);
  return pid === undefined ? '' : ` (process ${pid})`;
}

function holderIn(file: string): number | undefined {
  try {
    return Number.parseInt(fs.readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** undefined: somebody has it. */
function takeSocket(name: string): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ path: name }, () => {
      server.unref();
      resolve(() => new Promise((closed) => void server.close(() => closed())));
    });
  });
}

function takeFile(file: string, { isAlive }: Machine): (() => Promise<void>) | undefined {
  const pid = holderIn(file);
  return pid !== undefined && isAlive(pid) ? undefined : () => Promise.resolve();
}
