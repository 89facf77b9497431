// The one directory that a store lives in, as little of a file system as it needs. Tests put disks in its place that are
// full, break or cannot be written.
import fs from 'node:fs';
import path from 'node:path';

export interface DiskFile {
  /** All of the bytes, from `position` on. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** What was written, and the size, outlast a loss of power. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** Names are those of files in the directory. Failures are those of the operating system, with its codes. */
export interface Disk {
  readonly directory: string;
  list(): readonly string[];
  read(name: string): Buffer;
  /** Empty, whatever was there. */
  create(name: string): Promise<DiskFile>;
  open(name: string): Promise<DiskFile>;
  /** One whose every write outlasts a loss of power when it resolves. */
  openDurable(name: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Which files there are, and their names, outlast a loss of power. */
  syncDirectory(): Promise<void>;
}

export class NodeDisk implements Disk {
  readonly directory: string;

  /** Makes the directory where it is missing. */
  constructor(directory: string) {
    this.directory = directory;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  list(): readonly string[] {
    return fs.readdirSync(this.directory).toSorted();
  }

  read(name: string): Buffer {
    return fs.readFileSync(this.#at(name));
  }

  async create(name: string): Promise<DiskFile> {
    return new NodeFile(await opened(this.#at(name), 'w'));
  }

  async open(name: string): Promise<DiskFile> {
    return new NodeFile(await opened(this.#at(name), 'r+'));
  }

  async openDurable(name: string): Promise<DiskFile> {
    if (DURABLE_WRITES === undefined) return syncing(await this.open(name));
    return new NodeFile(await opened(this.#at(name), fs.constants.O_RDWR | DURABLE_WRITES));
  }

  rename(from: string, to: string): Promise<void> {
    return fs.promises.rename(this.#at(from), this.#at(to));
  }

  remove(name: string): Promise<void> {
    return fs.promises.rm(this.#at(name), { force: true });
  }

  async syncDirectory(): Promise<void> {
    const handle = await fs.promises.open(this.directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  #at(name: string): string {
    return path.join(this.directory, name);
  }
}

/** Makes the write and its sync one call of the system: half the time of both. Not every system has it. */
const DURABLE_WRITES: number | undefined = fs.constants.O_DSYNC;

function syncing(file: DiskFile): DiskFile {
  return {
    write: async (bytes, position) => {
      await file.write(bytes, position);
      await file.sync();
    },
    sync: () => file.sync(),
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
  };
}

/** By callbacks: a promise of the file system costs half as much again as the write of a small batch. */
class NodeFile implements DiskFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const rest = done === 0 ? bytes : bytes.subarray(done);
      done += await written(this.#descriptor, rest, position + done);
    }
  }

  sync(): Promise<void> {
    return settled((done) => fs.fdatasync(this.#descriptor, done));
  }

  truncate(size: number): Promise<void> {
    return settled((done) => fs.ftruncate(this.#descriptor, size, done));
  }

  close(): Promise<void> {
    return settled((done) => fs.close(this.#descriptor, done));
  }
}

type Done = (error: Error | null) => void;

const settled = (work: (done: Done) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    work((error) => (error === null ? resolve() : reject(error)));
  });

const written = (descriptor: number, bytes: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    fs.write(descriptor, bytes, 0, bytes.length, position, (error, count) =>
      error === null ? resolve(count) : reject(error),
    );
  });

const opened = (file: string, flags: string | number): Promise<number> =>
  new Promise((resolve, reject) => {
    fs.open(file, flags, 0o600, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error)));
  });

/** The code of a failure of the operating system. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
