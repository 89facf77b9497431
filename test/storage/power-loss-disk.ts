// A disk that loses power: what was not synced is there in part, by chance, a sector at a time and in any order; files whose
// names were not synced may be missing. It can also be full, refuse to sync, or refuse to be written at all.
import { assert } from '../../src/base/assert.ts';
import type { Random } from '../../src/base/random.ts';
import type { Disk, DiskFile } from '../../src/apiserver/storage/embedded/disk.ts';

const SECTOR_BYTES = 512;

interface Content {
  /** As it is after a loss of power, at least. */
  durable: Buffer;
  /** As programs see it. */
  seen: Buffer;
}

export class PowerLossDisk implements Disk {
  readonly directory = '/disk';
  readonly #seen = new Map<string, Content>();
  #durable = new Map<string, Content>();
  #freeBytes = Number.POSITIVE_INFINITY;
  #fault: { readonly of: 'sync' | 'create'; readonly code: string } | undefined;
  /** How often something was synced. */
  syncs = 0;

  list(): readonly string[] {
    return [...this.#seen.keys()].toSorted();
  }

  read(name: string): Buffer {
    return Buffer.from(this.#content(name).seen);
  }

  create(name: string): Promise<DiskFile> {
    if (this.#fault?.of === 'create') return Promise.reject(failure(this.#fault.code));
    this.#seen.set(name, { durable: Buffer.alloc(0), seen: Buffer.alloc(0) });
    return this.open(name);
  }

  open(name: string): Promise<DiskFile> {
    const content = this.#content(name);
    return Promise.resolve({
      write: (bytes: Uint8Array, position: number) => this.#write(content, bytes, position),
      sync: () => this.#sync(content),
      truncate: (size: number) => {
        content.seen = sized(content.seen, size);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  }

  async openDurable(name: string): Promise<DiskFile> {
    const file = await this.open(name);
    const write = async (bytes: Uint8Array, position: number): Promise<void> => {
      await file.write(bytes, position);
      await file.sync();
    };
    return { ...file, write };
  }

  rename(from: string, to: string): Promise<void> {
    this.#seen.set(to, this.#content(from));
    this.#seen.delete(from);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#seen.delete(name);
    return Promise.resolve();
  }

  syncDirectory(): Promise<void> {
    this.#durable = new Map(this.#seen);
    return Promise.resolve();
  }

  /** So much more can be written. */
  fill(freeBytes: number): void {
    this.#freeBytes = freeBytes;
  }

  break(of: 'sync' | 'create', code: string): void {
    this.#fault = { of, code };
  }

  /** Changes a file behind everyone's back. */
  damage(name: string, change: (bytes: Buffer) => Buffer): void {
    const content = this.#content(name);
    content.seen = change(Buffer.from(content.seen));
    content.durable = content.seen;
  }

  /** What is left of it afterwards. */
  losePower(random: Random): PowerLossDisk {
    const left = new PowerLossDisk();
    for (const name of new Set([...this.#durable.keys(), ...this.#seen.keys()])) {
      const [durable, seen] = [this.#durable.get(name), this.#seen.get(name)];
      const content = durable === seen || random.chance(0.5) ? durable : seen;
      if (content === undefined) continue;
      const bytes = torn(content, random);
      const kept = { durable: bytes, seen: bytes };
      left.#seen.set(name, kept);
      left.#durable.set(name, kept);
    }
    return left;
  }

  #content(name: string): Content {
    const content = this.#seen.get(name);
    assert(content !== undefined, `there is a file ${name}`);
    return content;
  }

  #write(content: Content, bytes: Uint8Array, position: number): Promise<void> {
    const grows = Math.max(0, position + bytes.length - content.seen.length);
    const room = Math.min(grows, this.#freeBytes);
    this.#freeBytes -= room;
    const fits = bytes.length - (grows - room);
    content.seen = sized(content.seen, Math.max(content.seen.length, position + fits));
    content.seen.set(bytes.subarray(0, fits), position);
    return fits < bytes.length ? Promise.reject(failure('ENOSPC')) : Promise.resolve();
  }

  #sync(content: Content): Promise<void> {
    if (this.#fault?.of === 'sync') return Promise.reject(failure(this.#fault.code));
    this.syncs++;
    content.durable = Buffer.from(content.seen);
    return Promise.resolve();
  }
}

/** Grows and shrinks without touching the bytes of whoever holds the old ones. */
function sized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return Buffer.from(bytes.subarray(0, size));
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
}

function torn({ durable, seen }: Content, random: Random): Buffer {
  const size = durable.length === seen.length || random.chance(0.5) ? durable.length : seen.length;
  const bytes = sized(durable, size);
  for (let at = 0; at < Math.min(size, seen.length); at += SECTOR_BYTES)
    if (random.chance(0.5)) seen.copy(bytes, at, at, Math.min(at + SECTOR_BYTES, size));
  return bytes;
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: by order of a test`), { code });
