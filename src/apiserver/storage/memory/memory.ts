// A journal in memory: for tests of everything that waits for one. It is lost with the process, but not with the server that
// writes to it: a second server that is given the same journal begins where the first one was.
import type { Log } from '../../../base/log.ts';
import type { KubeObject, ObjectKey, Resource } from '../../../kube/object.ts';
import type { Change } from '../../objectstore/change-history.ts';
import { ObjectStore } from '../../objectstore/object-store.ts';
import { JournaledStorage } from '../journaled-storage.ts';
import type { Journal } from '../storage.ts';

export class MemoryJournal implements Journal {
  readonly #changes: Change[] = [];
  /** What happens before a batch is durable: a test may wait here, or fail. */
  beforeSync: () => Promise<void> = () => Promise.resolve();

  async append(changes: readonly Change[]): Promise<number> {
    const batch = [...changes];
    await this.beforeSync();
    this.#changes.push(...batch);
    return batch.length;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The revision of the last change, and the objects that are left. */
  get saved(): {
    readonly revision: number;
    readonly objects: Iterable<readonly [Resource<KubeObject>, KubeObject]>;
  } {
    const left = new Map<string, readonly [Resource<KubeObject>, KubeObject]>();
    for (const { resource, key, after } of this.#changes) {
      const name = `${resource.plural}.${resource.group}/${key satisfies ObjectKey}`;
      if (after === undefined) left.delete(name);
      else left.set(name, [resource, after]);
    }
    return { revision: this.#changes.at(-1)?.revision ?? 0, objects: left.values() };
  }
}

export function openMemory(journal: MemoryJournal, log: Log): { store: ObjectStore; storage: JournaledStorage } {
  const store = new ObjectStore({ holdsBack: true });
  store.load(journal.saved);
  return { store, storage: new JournaledStorage({ store, journal, log, soon: (work) => work() }) };
}
