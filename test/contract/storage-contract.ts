// What every storage promises, asked through a server on top of it.
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiAnswer, ApiRequest } from '../../src/apiserver/api-request.ts';
import type { ApiServer } from '../../src/apiserver/apiserver.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import type { WatchEvent } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { type ConfigMap, ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { Pods } from '../../src/kube/resources/pod.ts';

/** A server on one storage. */
export interface StorageSubject {
  readonly server: ApiServer;
  /** Answers what was answered before; its storage can be opened again. */
  close(): Promise<void>;
}

/** Each call of `open` is a server on the same data. */
export interface StorageUnderTest {
  open(): Promise<StorageSubject>;
  dispose(): Promise<void>;
}

const USER = { name: 'contract', groups: ['system:masters'] };

export class Asking {
  readonly #server: ApiServer;

  constructor({ server }: StorageSubject) {
    this.#server = server;
  }

  ask(request: ApiRequest): Promise<ApiAnswer> {
    return Promise.resolve().then(() => this.#server.request(request, USER));
  }

  async object(request: ApiRequest): Promise<KubeObject> {
    const answer = await this.ask(request);
    if (answer.type !== 'object') throw new Error(`an object was asked for, not a ${answer.type}`);
    return answer.object;
  }

  create(name: string, data: Record<string, string> = {}): Promise<KubeObject> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
    return this.object({ verb: 'create', resource: ConfigMaps, namespace: 'default', object });
  }

  patch(name: string, body: object): Promise<KubeObject> {
    const patch = { type: 'merge', body } as const;
    return this.object({ verb: 'patch', resource: ConfigMaps, key: `default/${name}`, patch });
  }

  update(object: KubeObject): Promise<KubeObject> {
    return this.object({ verb: 'update', resource: ConfigMaps, key: `default/${object.metadata.name}`, object });
  }

  get(name: string): Promise<KubeObject> {
    return this.object({ verb: 'get', resource: ConfigMaps, key: `default/${name}` });
  }

  remove(name: string): Promise<ApiAnswer> {
    return this.ask({ verb: 'delete', resource: ConfigMaps, key: `default/${name}` });
  }

  async list(): Promise<{ readonly names: readonly string[]; readonly revision: number }> {
    const answer = await this.ask({ verb: 'list', resource: ConfigMaps, options: { namespace: 'default' } });
    if (answer.type !== 'list') throw new Error('a list was asked for');
    const names = answer.list.items.map(({ metadata }) => metadata.name);
    return { names, revision: Number(answer.list.resourceVersion) };
  }

  watch(resourceVersion = ''): WatchEvent<KubeObject>[] {
    const events: WatchEvent<KubeObject>[] = [];
    const options = { namespace: 'default', resourceVersion };
    this.#server.watch(ConfigMaps, options, USER, { event: (event) => events.push(event), closed: () => undefined });
    return events;
  }
}

export const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

export const told = (events: readonly WatchEvent<KubeObject>[]): readonly unknown[] =>
  events.map((event) =>
    'object' in event ? [event.type, event.object.metadata.name, versionOf(event.object)] : [event.type],
  );

const reasonOf = (error: unknown): string => (isApiError(error) ? error.reason : String(error));

export function storageContract(name: string, make: () => Promise<StorageUnderTest>): void {
  describe(`storage contract: ${name}`, () => {
    const toDispose: StorageUnderTest[] = [];
    const toClose: StorageSubject[] = [];
    afterEach(async () => {
      for (const subject of toClose.splice(0)) await subject.close();
      for (const storage of toDispose.splice(0)) await storage.dispose();
    });
    const using = async (): Promise<() => Promise<Asking>> => {
      const storage = await make();
      toDispose.push(storage);
      return async () => {
        for (const subject of toClose.splice(0)) await subject.close();
        const subject = await storage.open();
        toClose.push(subject);
        return new Asking(subject);
      };
    };

    test('P-ST-5 opened again -> objects as they were answered, and the counter never lower', async () => {
      const open = await using();
      const first = await open();
      const made = [await first.create('a', { k: 'ü' }), await first.create('b'), await first.create('c')];
      await first.patch('b', { data: { k: '2' } });
      const b = await first.get('b');
      await first.remove('c');
      const { revision } = await first.list();
      const second = await open();
      expect([await second.get('a'), await second.get('b')]).toEqual([made[0], b]);
      const list = await second.list();
      expect([list.names, list.revision >= revision]).toEqual([['a', 'b'], true]);
      expect(versionOf(await second.create('d'))).toBeGreaterThan(revision);
    });

    test('P-ST-10 write answered -> any read afterwards shows it, under the version of the answer', async () => {
      const asking = await (await using())();
      for (let round = 0; round < 5; round++) {
        const made = await asking.create(`r-${round}`);
        const list = await asking.list();
        expect([await asking.get(`r-${round}`), list.names.length, list.revision >= versionOf(made)]).toEqual([
          made,
          round + 1,
          true,
        ]);
      }
    });

    test('P-ST-11 writes -> a watch tells each once, in order, under the versions of the answers', async () => {
      const asking = await (await using())();
      const events = asking.watch();
      const a = await asking.create('a');
      const b = await asking.create('b');
      const changed = await asking.patch('a', { data: { k: '1' } });
      const removed = await asking.remove('b');
      await asking.list();
      const expected = [
        ['ADDED', 'a', versionOf(a)],
        ['ADDED', 'b', versionOf(b)],
        ['MODIFIED', 'a', versionOf(changed)],
      ];
      expect(told(events).slice(0, 3)).toEqual(expected);
      expect(told(events)[3]).toEqual(['DELETED', 'b', expect.any(Number)]);
      expect([removed.code, events.length]).toEqual([200, 4]);
      expect(told(asking.watch(String(versionOf(a))))).toEqual(told(events).slice(1));
    });

    test('P-ST-12 one name created by many at once -> one succeeds, the others are told that it exists', async () => {
      const asking = await (await using())();
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => asking.create('same')));
      const reasons = results.map((result) => (result.status === 'fulfilled' ? 'made' : reasonOf(result.reason)));
      expect(reasons.toSorted()).toEqual([...Array<string>(19).fill('AlreadyExists'), 'made']);
    });

    test('P-ST-12 one object patched by many at once -> every patch is in it', async () => {
      const asking = await (await using())();
      await asking.create('hot');
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => asking.patch('hot', { data: { [`k${index}`]: 'v' } })),
      );
      const { data } = (await asking.get('hot')) as ConfigMap;
      expect(Object.keys(data ?? {}).length).toBe(20);
    });

    test('P-ST-12 update from an old version -> Conflict, and nothing is stored', async () => {
      const asking = await (await using())();
      const made = await asking.create('a');
      const newer = await asking.patch('a', { data: { k: '1' } });
      await expect(asking.update(made).catch(reasonOf)).resolves.toBe('Conflict');
      expect(await asking.get('a')).toEqual(newer);
    });

    test('P-ST-12 write that changes nothing, and dry run -> no new version', async () => {
      const asking = await (await using())();
      const made = await asking.create('a', { k: '1' });
      const same = await asking.patch('a', { data: { k: '1' } });
      const patch = { type: 'merge', body: { data: { k: '2' } } } as const;
      const options = { dryRun: true };
      await asking.object({ verb: 'patch', resource: ConfigMaps, key: 'default/a', patch, options });
      expect([versionOf(same), await asking.get('a')]).toEqual([versionOf(made), made]);
    });

    test('P-ST-13 request of several writes -> all of them', async () => {
      const open = await using();
      const asking = await open();
      for (const each of ['a', 'b', 'c']) await asking.create(each);
      await asking.ask({ verb: 'deletecollection', resource: ConfigMaps, of: { namespace: 'default' } });
      expect((await asking.list()).names).toEqual([]);
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      };
      await asking.object({ verb: 'create', resource: Pods, namespace: 'default', object: pod });
      const gone = await asking.object({ verb: 'delete', resource: Pods, key: 'default/p' });
      expect(gone.metadata.deletionGracePeriodSeconds).toBe(0);
      const again = await open();
      await expect(again.ask({ verb: 'get', resource: Pods, key: 'default/p' }).catch(reasonOf)).resolves.toBe(
        'NotFound',
      );
    });
  });
}
