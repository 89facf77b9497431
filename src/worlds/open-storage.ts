// From the words of a user to a store and what makes its writes last.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ObjectBytes } from '../apiserver/object-bytes.ts';
import { ObjectStore, SERVED_HISTORY_BYTES_MAX } from '../apiserver/objectstore/object-store.ts';
import type { Machine } from '../apiserver/storage/embedded/directory-lock.ts';
import { openEmbedded } from '../apiserver/storage/embedded/embedded.ts';
import { openEtcd } from '../apiserver/storage/etcd/etcd.ts';
import { type Storage, StorageRefused } from '../apiserver/storage/storage.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { KubeObject, Resource } from '../kube/object.ts';

export interface OpenStorageOptions {
  /** `memory`, `embedded` or `etcd://HOST:PORT`. */
  readonly kind: string;
  /** The embedded store lies in a folder of its own in it. */
  readonly directory: string;
  readonly resources: readonly Resource<KubeObject>[];
  readonly bytes: ObjectBytes;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: Machine;
}

export interface OpenedStorage {
  readonly store: ObjectStore;
  /** undefined: nothing lasts. */
  readonly storage: Storage | undefined;
}

/** No such kind of store: nothing was tried. */
export class UnknownStore extends StorageRefused {}

/** Throws StorageRefused. */
export async function openStorage(options: OpenStorageOptions): Promise<OpenedStorage> {
  const { kind, directory, resources, bytes, clock, log, machine } = options;
  if (kind === 'memory')
    return { store: new ObjectStore({ historyBytesMax: SERVED_HISTORY_BYTES_MAX }), storage: undefined };
  if (kind === 'embedded') {
    const soon = (work: () => void): void => void setImmediate(work);
    return openEmbedded({ directory: path.join(directory, 'store'), resources, bytes, log, machine, soon });
  }
  if (kind.startsWith('etcd:')) {
    const readFile = (file: string): string => readFileSync(file, 'utf8');
    return openEtcd({ address: kind, readFile, resources, bytes, clock, log });
  }
  throw new UnknownStore(`unknown store "${kind}": write memory, embedded or etcd://HOST:PORT`);
}
