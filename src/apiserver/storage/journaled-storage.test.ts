import { describe, expect, it } from 'vitest';
import { silentLog } from '../../base/log.ts';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { WatchEvent } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';
import type { ApiRequest } from '../api-request.ts';
import { ApiServer, type Commit } from '../apiserver.ts';
import { defaultStrategies } from '../registry/strategies.ts';
import { MemoryJournal, openMemory } from './memory/memory.ts';
import { NotStored } from './storage.ts';

const USER = { name: 'tester', groups: ['system:masters'] };

const create = (name: string): ApiRequest => ({
  verb: 'create',
  resource: ConfigMaps,
  namespace: 'default',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
});
const get = (name: string): ApiRequest => ({ verb: 'get', resource: ConfigMaps, key: `default/${name}` });
const list: ApiRequest = { verb: 'list', resource: ConfigMaps, options: {} };

/** Keeps batches from becoming durable until it is opened. */
class Gate {
  readonly #waiting: { open(): void; fail(error: Error): void }[] = [];

  pass(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ open: resolve, fail: reject });
    });
  }

  async open(): Promise<void> {
    this.#waiting.shift()?.open();
    await turns();
  }

  async fail(error: Error): Promise<void> {
    this.#waiting.shift()?.fail(error);
    await turns();
  }
}

/** Long enough for all promises of one batch to settle. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

async function setUp(journal = new MemoryJournal(), admission: readonly AdmissionPlugin[] = []) {
  const { store, storage } = openMemory(journal, silentLog);
  const commits: Commit[] = [];
  const server = new ApiServer({
    clock: new SteppedClock(0),
    random: new SeededRandom(1),
    store,
    storage,
    strategies: defaultStrategies(),
    admission,
    onCommit: (commit) => commits.push(commit),
  });
  await server.bootstrapStorage();
  const gate = new Gate();
  journal.beforeSync = () => gate.pass();
  return { server, store, storage, gate, journal, commits };
}

/** What became of a promise: nothing yet, its value, or the message of its refusal. */
function outcomeOf(promise: unknown): { now: unknown } {
  const outcome: { now: unknown } = { now: 'nothing yet' };
  Promise.resolve(promise).then(
    () => (outcome.now = 'answered'),
    (error: Error) => (outcome.now = error.message),
  );
  return outcome;
}

function watched(server: ApiServer, resourceVersion?: string): WatchEvent<KubeObject>[] {
  const events: WatchEvent<KubeObject>[] = [];
  const options = resourceVersion === undefined ? {} : { resourceVersion };
  server.watch(ConfigMaps, options, USER, { event: (event) => events.push(event), closed: () => undefined });
  return events;
}

describe('JournaledStorage', () => {
  it('P-ST-1 write that is not durable -> neither its answer, nor a read, a refusal or an event shows it', async () => {
    const { server, gate, commits } = await setUp();
    const [told, before] = [watched(server), commits.length];
    const write = outcomeOf(server.request(create('a'), USER));
    const asked = [get('a'), list, create('a'), get('missing')].map((request) =>
      outcomeOf(server.request(request, USER)),
    );
    const opened = watched(server);
    await turns();
    expect([write.now, ...asked.map(({ now }) => now)]).toEqual(Array(5).fill('nothing yet'));
    expect([told, opened, commits.length - before]).toEqual([[], [], 0]);
    await gate.open();
    expect([write.now, asked[0]?.now, asked[1]?.now]).toEqual(['answered', 'answered', 'answered']);
    expect([asked[2]?.now, asked[3]?.now]).toEqual(['configmaps "a" already exists', 'configmaps "missing" not found']);
    expect([told.length, opened.length, commits.length - before]).toEqual([1, 1, 1]);
  });

  it('P-ST-2 writes that come while a batch is on its way -> one batch for all of them', async () => {
    const { server, gate } = await setUp();
    const first = outcomeOf(server.request(create('first'), USER));
    await turns();
    const others = Array.from({ length: 64 }, (_, index) => outcomeOf(server.request(create(`o-${index}`), USER)));
    await gate.open();
    expect([first.now, others[0]?.now]).toEqual(['answered', 'nothing yet']);
    await gate.open();
    expect(others.every(({ now }) => now === 'answered')).toBe(true);
  });

  it('P-ST-3 full disk -> writes are refused, nobody sees them, reads go on, and later writes succeed', async () => {
    const { server, gate, store, storage } = await setUp();
    const { revision } = store;
    const told = watched(server);
    const refused = ['a', 'b'].map((name) => outcomeOf(server.request(create(name), USER)));
    const opened = watched(server);
    await turns();
    const late = outcomeOf(server.request(create('late'), USER));
    await gate.fail(new NotStored('no space left on the disk'));
    const why = 'Internal error occurred: the write was not stored: no space left on the disk';
    expect([...refused, late].map(({ now }) => now)).toEqual([why, why, why]);
    expect([told, opened.map(({ type }) => type)]).toEqual([[], ['ERROR']]);
    expect(outcomeOf(server.request(list, USER))).toBeDefined();
    expect(store.all(ConfigMaps)).toEqual([]);
    expect(storage.fault).toBeUndefined();
    const again = server.request(create('a'), USER);
    await turns();
    await gate.open();
    const answer = await again;
    expect(answer.type === 'object' && Number(answer.object.metadata.resourceVersion)).toBe(revision + 4);
    expect(told.map(({ type }) => type)).toEqual(['ADDED']);
  });

  it('P-ST-4 failed sync -> no write is ever acknowledged again, reads go on', async () => {
    const { server, gate, store, storage } = await setUp();
    const refused = outcomeOf(server.request(create('a'), USER));
    await turns();
    await gate.fail(new Error('EIO: i/o error, fsync'));
    const why = 'Internal error occurred: the write was not stored: EIO: i/o error, fsync';
    expect([refused.now, storage.fault]).toEqual([why, 'EIO: i/o error, fsync']);
    const later = outcomeOf(server.request(create('b'), USER));
    const read = outcomeOf(server.request(list, USER));
    await turns();
    expect([later.now, read.now, store.all(ConfigMaps)]).toEqual([why, 'answered', []]);
  });

  it('P-ST-1 bookmark while a change is held -> none that reaches beyond what was told', async () => {
    const { server, gate, store } = await setUp();
    const before = store.revision;
    const write = outcomeOf(server.request(create('a'), USER));
    await turns();
    expect([store.revision, store.toldRevision]).toEqual([before + 1, before]);
    await gate.open();
    expect([write.now, store.toldRevision]).toEqual(['answered', before + 1]);
  });

  it('P-ST-17 asked from within the process -> answered at once; others see it, and hear of it, when it is durable', async () => {
    const { server, gate, store, commits } = await setUp();
    const [told, before] = [watched(server), commits.length];
    const answer = server.requestWithin(create('a'), USER);
    expect(answer).toMatchObject({ type: 'object', object: { metadata: { name: 'a' } } });
    expect(server.requestWithin(get('a'), USER)).toMatchObject({ type: 'object' });
    expect(() => server.requestWithin(create('a'), USER)).toThrow('configmaps "a" already exists');
    const [inner, outer] = [server.requestWithin(list, USER), server.request(get('a'), USER)].map(outcomeOf);
    await turns();
    expect([inner?.now, outer?.now, told, commits.length - before]).toEqual(['nothing yet', 'nothing yet', [], 1]);
    await gate.open();
    expect([inner?.now, outer?.now, told.length]).toEqual(['answered', 'answered', 1]);
    expect(store.held).toEqual([]);
  });

  it('P-ST-17 sixteen writes on their way -> the next one waits with them, so that others have their turn', async () => {
    const { server, gate } = await setUp();
    const made = Array.from({ length: 16 }, (_, index) => server.requestWithin(create(`o-${index}`), USER));
    expect(made.some((answer) => answer instanceof Promise)).toBe(false);
    const late = outcomeOf(server.requestWithin(create('late'), USER));
    await turns();
    expect(late.now).toBe('nothing yet');
    // The first was on its way alone.
    await gate.open();
    await gate.open();
    expect(late.now).toBe('answered');
  });

  it('P-ST-17 what was answered within the process is not stored -> it is told once, and nothing is answered so until something is stored', async () => {
    const { server, gate, storage, store } = await setUp();
    let revoked = 0;
    storage.onRevoked(() => revoked++);
    const refused = outcomeOf(server.request(create('outside'), USER));
    await turns();
    await gate.fail(new NotStored('no space left on the disk'));
    expect([refused.now, revoked]).toEqual([expect.stringContaining('was not stored'), 0]);
    const waits = outcomeOf(server.requestWithin(create('waits'), USER));
    await turns();
    await gate.open();
    expect([waits.now, revoked]).toEqual(['answered', 0]);
    expect(server.requestWithin(create('lost'), USER)).toMatchObject({ type: 'object' });
    await turns();
    await gate.fail(new NotStored('no space left on the disk'));
    expect([revoked, store.all(ConfigMaps).map(({ metadata }) => metadata.name)]).toEqual([1, ['waits']]);
    expect(server.requestWithin(create('later'), USER)).toBeInstanceOf(Promise);
  });

  it('P-ST-5 second server on the same journal -> objects and counter as they were', async () => {
    const { server, gate, journal, store } = await setUp();
    const write = server.request(create('a'), USER);
    await turns();
    await gate.open();
    await write;
    const second = openMemory(journal, silentLog);
    expect(second.store.revision).toBe(store.revision);
    expect(second.store.all(ConfigMaps)).toEqual(store.all(ConfigMaps));
  });

  it('P-ST-1 a write within a write, as a charge of a quota is -> both last together; on its own it is refused', async () => {
    const served: ApiServer[] = [];
    const charge: AdmissionPlugin = {
      name: 'Charge',
      review: ({ name }) => (name === 'a' ? void served[0]?.handle(create('charged'), USER) : undefined),
    };
    const made = await setUp(new MemoryJournal(), [charge]);
    const { server } = made;
    served.push(server);
    const answer = outcomeOf(server.request(create('a'), USER));
    await turns();
    expect(answer.now).toBe('nothing yet');
    await made.gate.open();
    expect(answer.now).toBe('answered');
    expect(made.commits.slice(-2).map(({ after }) => after?.metadata.name)).toEqual(['charged', 'a']);
    expect(() => server.handle(create('b'), USER)).toThrow('a write waits for the storage');
  });
});
