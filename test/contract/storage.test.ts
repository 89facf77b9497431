import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { ObjectBytes } from '../../src/apiserver/object-bytes.ts';
import type { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { openEmbedded } from '../../src/apiserver/storage/embedded/embedded.ts';
import { openEtcd } from '../../src/apiserver/storage/etcd/etcd.ts';
import { Etcd } from '../../src/apiserver/storage/etcd/etcd-messages.ts';
import { MemoryJournal, openMemory } from '../../src/apiserver/storage/memory/memory.ts';
import type { Storage } from '../../src/apiserver/storage/storage.ts';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { openChannel } from '../../src/grpc/channel.ts';
import { Events } from '../../src/kube/resources/event.ts';
import { peersFor } from '../peers.ts';
import { StartedEtcd } from '../storage/started-etcd.ts';
import { Asking, type StorageSubject, storageContract, told, versionOf } from './storage-contract.ts';

const strategies = defaultStrategies();
const resources = strategies.map(({ resource }) => resource);

async function serverOn(opened: {
  readonly store: ObjectStore;
  readonly storage: Storage;
  readonly bytes: ObjectBytes;
}): Promise<StorageSubject> {
  const server = new ApiServer({
    ...opened,
    clock: new SystemClock(),
    random: new SeededRandom(String(process.hrtime.bigint())),
    strategies,
  });
  await server.bootstrapStorage();
  return { server, close: () => opened.storage.close() };
}

storageContract('memory', () => {
  const journal = new MemoryJournal();
  const open = (): Promise<StorageSubject> => serverOn({ ...openMemory(journal, silentLog), bytes: new ObjectBytes() });
  return Promise.resolve({ open, dispose: () => Promise.resolve() });
});

storageContract('embedded', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'mooring-storage-'));
  const open = async (): Promise<StorageSubject> => {
    const bytes = new ObjectBytes();
    const machine = { pid: process.pid, platform: process.platform, isAlive: () => false };
    const soon = (work: () => void): void => void setImmediate(work);
    return serverOn({ ...(await openEmbedded({ directory, resources, bytes, log: silentLog, machine, soon })), bytes });
  };
  const dispose = (): Promise<void> => Promise.resolve(rmSync(directory, { recursive: true, force: true }));
  return Promise.resolve({ open, dispose });
});

const peers = peersFor('storage in etcd', ['etcd']);

// skipped: without etcd there is nothing to store in
describe.skipIf(peers === undefined)('etcd', () => {
  let etcd: StartedEtcd;
  beforeAll(async () => {
    etcd = await StartedEtcd.start(peers?.etcd ?? '');
  }, 120_000);
  afterAll(() => etcd.stop());

  const open = async (historyCapacity = 1000): Promise<StorageSubject> => {
    const bytes = new ObjectBytes();
    const readFile = (file: string): string => readFileSync(file, 'utf8');
    const address = `etcd://${etcd.address}`;
    const clock = new SystemClock();
    return serverOn({
      ...(await openEtcd({ address, readFile, resources, bytes, clock, log: silentLog, historyCapacity })),
      bytes,
    });
  };
  const clear = async (): Promise<void> => {
    const channel = await openChannel({ address: etcd.address, clock: new SystemClock() });
    await channel.unary(Etcd.deleteRange, { key: Buffer.from('/'), range_end: Buffer.from('0') });
    channel.close();
  };

  storageContract('etcd', () => Promise.resolve({ open: () => open(), dispose: clear }));

  const two = async (run: (one: Asking, other: Asking) => Promise<void>): Promise<void> => {
    const subjects = [await open(), await open()] as const;
    try {
      await run(new Asking(subjects[0]), new Asking(subjects[1]));
    } finally {
      for (const subject of subjects) await subject.close();
      await clear();
    }
  };

  test('P-ST-14 two servers on one etcd -> each reads at once what the other answered', () =>
    two(async (one, other) => {
      for (let round = 0; round < 10; round++) {
        const made = await one.create(`x-${round}`);
        expect(await other.get(`x-${round}`)).toEqual(made);
        const changed = await other.patch(`x-${round}`, { data: { k: String(round) } });
        expect(versionOf(await one.update({ ...changed, metadata: { ...changed.metadata, labels: { l: 'v' } } }))).toBe(
          versionOf(changed) + 1,
        );
      }
    }));

  test('P-ST-14 two servers patch one object -> no patch is lost; both watches tell the same', () =>
    two(async (one, other) => {
      await one.create('hot');
      const watches = [one.watch(), other.watch()] as const;
      const patches = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : other).patch('hot', { data: { [`k${index}`]: 'v' } }),
      );
      const versions = (await Promise.all(patches)).map(versionOf);
      const hot = await one.get('hot');
      await other.get('hot');
      expect(Object.keys((hot as unknown as { readonly data: object }).data).length).toBe(20);
      expect(new Set(versions).size).toBe(20);
      const seen = watches.map((events) => told(events).at(-1));
      expect(seen[0]).toEqual(seen[1]);
    }));

  test('P-ST-14 two servers create one name -> one of them', () =>
    two(async (one, other) => {
      const results = await Promise.allSettled([
        one.create('a'),
        other.create('a'),
        one.create('a'),
        other.create('a'),
      ]);
      expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    }));

  test('P-ST-14 keys -> where upstream puts them; an event has a lease of an hour', () =>
    two(async (one) => {
      await one.create('a');
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default' },
      };
      await one.object({ verb: 'create', resource: Events, namespace: 'default', object: event });
      const channel = await openChannel({ address: etcd.address, clock: new SystemClock() });
      const range = { key: Buffer.from('/registry/'), range_end: Buffer.from('/registry0') };
      const { kvs } = await channel.unary(Etcd.range, range);
      channel.close();
      const found = new Map(kvs.map(({ key, lease }) => [Buffer.from(key).toString('utf8'), lease]));
      expect([...found.keys()]).toEqual(
        expect.arrayContaining(['/registry/configmaps/default/a', '/registry/namespaces/kube-system']),
      );
      expect(found.get('/registry/configmaps/default/a')).toBe(0n);
      expect(found.get('/registry/events/default/e')).not.toBe(0n);
    }));

  test('P-ST-15 etcd killed and started again -> the server goes on, and its watches miss nothing', () =>
    two(async (one, other) => {
      const a = await one.create('a');
      const events = other.watch();
      await etcd.restart();
      const b = await retried(() => one.create('b'));
      await retried(() => other.get('b'));
      expect(told(events)).toEqual([
        ['ADDED', 'a', versionOf(a)],
        ['ADDED', 'b', versionOf(b)],
      ]);
    }));

  test('P-ST-8 no address, or nobody there -> refused in one sentence', async () => {
    const refused = async (address: string): Promise<unknown> =>
      openEtcd({
        address,
        readFile: () => '',
        resources,
        bytes: new ObjectBytes(),
        clock: new SystemClock(),
        log: silentLog,
      }).catch((error: Error) => error.message);
    expect(await refused('etcd:nothing')).toBe('"etcd:nothing" is no address of an etcd: write etcd://127.0.0.1:2379');
    expect(await refused('etcd://h?user=x')).toBe('etcd has no parameter "user": there are ca, cert, key, server-name');
    expect(await refused('etcd://127.0.0.1:1')).toMatch(/^etcd at 127\.0\.0\.1:1: .*the storage did not answer/);
  });
});

/** While the connection is made anew, requests may be refused. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 20; tries++) {
    try {
      return await work();
    } catch {
      await new SystemClock().sleep(100);
    }
  }
  return work();
}
