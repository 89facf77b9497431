import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PowerLossDisk } from '../../../../test/storage/power-loss-disk.ts';
import type { Log } from '../../../base/log.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import { ConfigMaps } from '../../../kube/resources/config-map.ts';
import { ObjectBytes } from '../../object-bytes.ts';
import { type EmbeddedOptions, openEmbedded } from './embedded.ts';

const maps = ConfigMaps as unknown as Resource<KubeObject>;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mooring-embedded-'));
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
});

const configMap = (name: string, data: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' },
    data,
  }) as KubeObject;

interface Said {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function open(more: Partial<EmbeddedOptions> = {}) {
  const said: Said[] = [];
  const log: Log = { write: (level, message, fields = {}) => said.push({ level, message, fields }) };
  const machine = { pid: 1, platform: 'linux', isAlive: () => true };
  const { store, storage } = await openEmbedded({
    directory: folder,
    resources: [maps],
    bytes: new ObjectBytes(),
    log,
    machine,
    soon: (work) => work(),
    ...more,
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await storage.close();
    isOpen = false;
  };
  closing.push(close);
  const put = (name: string, data?: Record<string, string>): Promise<string> =>
    storage
      .serve({ isWrite: true, run: () => store.put(maps, `ns/${name}`, configMap(name, data)).after })
      .then(({ result }) => result.metadata.resourceVersion);
  const remove = (name: string) => storage.serve({ isWrite: true, run: () => store.remove(maps, `ns/${name}`) });
  return { store, storage, said, put, remove, close };
}

/** Lets go of the directory as a killed process does: nothing is written any more. */
async function killed(opened: Awaited<ReturnType<typeof open>>, disk: PowerLossDisk): Promise<PowerLossDisk> {
  const image = imageOf(disk);
  await opened.close();
  return image;
}

function imageOf(disk: PowerLossDisk): PowerLossDisk {
  const image = new PowerLossDisk();
  for (const name of disk.list()) {
    void image.create(name);
    image.damage(name, () => disk.read(name));
  }
  return image;
}

const namesIn = ({ store }: Awaited<ReturnType<typeof open>>): readonly string[] =>
  store.all(maps).map(({ metadata }) => metadata.name);

describe('openEmbedded', () => {
  it('P-ST-5 closed and opened again -> objects, their versions and the counter are as they were', async () => {
    const first = await open();
    await first.put('a', { k: 'ü' });
    await first.put('b');
    await first.put('a', { k: '2' });
    await first.remove('b');
    const [objects, revision] = [first.store.all(maps), first.store.revision];
    await first.close();
    const second = await open();
    expect([second.store.all(maps), second.store.revision]).toEqual([objects, revision]);
    expect(second.store.changesSince(maps, 2)?.map(({ key, after }) => [key, after?.metadata.resourceVersion])).toEqual(
      [
        ['ns/a', '3'],
        ['ns/b', undefined],
      ],
    );
  });

  it('P-ST-6 last write torn at any byte -> cut off and said; what came before is there', async () => {
    const disk = new PowerLossDisk();
    const first = await open({ disk, segmentBytes: 4096 });
    await first.put('a');
    const before = imageOf(disk).read('log-000000000001');
    await first.put('b');
    const image = await killed(first, disk);
    const whole = image.read('log-000000000001');
    const [start, end] = [lastUsed(before) + 1, lastUsed(whole)];
    for (let cut = start + 1; cut <= end; cut += 7) {
      const torn = imageOf(image);
      torn.damage('log-000000000001', (bytes) => bytes.fill(0, cut));
      const second = await open({ disk: torn, segmentBytes: 4096 });
      expect([cut, namesIn(second), second.said.map(({ level }) => level)]).toEqual([cut, ['a'], ['warn']]);
      expect(second.said[0]?.fields).toMatchObject({ file: 'log-000000000001' });
      expect(await second.put('c').then(Number)).toBeGreaterThan(2);
      const third = await open({ disk: await killed(second, torn), segmentBytes: 4096 });
      expect([namesIn(third), third.said]).toEqual([['a', 'c'], []]);
      await third.close();
    }
  });

  it('P-ST-6 any bit of the last write flipped -> cut off, and its revision is not given out again', async () => {
    const disk = new PowerLossDisk();
    const first = await open({ disk, segmentBytes: 4096 });
    await first.put('a');
    const start = lastUsed(imageOf(disk).read('log-000000000001')) + 1;
    await first.put('b');
    const image = await killed(first, disk);
    const end = lastUsed(image.read('log-000000000001'));
    for (let at = start; at <= end; at += 11) {
      const flipped = imageOf(image);
      flipped.damage('log-000000000001', (bytes) => bytes.fill((bytes[at] ?? 0) ^ (1 << (at % 8)), at, at + 1));
      const second = await open({ disk: flipped, segmentBytes: 4096 });
      expect([at, namesIn(second), second.said.length]).toEqual([at, ['a'], 1]);
      expect(second.store.revision).toBeGreaterThan(2);
      await second.close();
    }
  });

  it('P-ST-7 any bit before the last write flipped -> refused, with file and byte', async () => {
    const disk = new PowerLossDisk();
    const first = await open({ disk, segmentBytes: 4096 });
    await first.put('a');
    const end = lastUsed(imageOf(disk).read('log-000000000001'));
    await first.put('b');
    const image = await killed(first, disk);
    for (let at = 12; at <= end; at += 11) {
      const flipped = imageOf(image);
      flipped.damage('log-000000000001', (bytes) => bytes.fill((bytes[at] ?? 0) ^ (1 << (at % 8)), at, at + 1));
      await expect(open({ disk: flipped, segmentBytes: 4096 }), String(at)).rejects.toThrow(
        /^\/disk\/log-000000000001 is damaged at byte \d+: restore the directory from a copy$/,
      );
    }
  });

  it('P-ST-7 segment missing, or snapshot damaged -> refused', async () => {
    const disk = new PowerLossDisk();
    const first = await open({ disk, segmentBytes: 2048 });
    for (let index = 0; index < 20; index++) await first.put(`o-${index}`);
    const image = await killed(first, disk);
    await image.remove('log-000000000002');
    await expect(open({ disk: image })).rejects.toThrow('/disk/log-000000000002 is missing');
    const other = new PowerLossDisk();
    const second = await open({ disk: other, segmentBytes: 2048, logBytesMin: 4096 });
    for (let index = 0; index < 40; index++) await second.put(`o-${index}`);
    await second.close();
    const snapshot = other.list().find((name) => name.startsWith('snapshot-')) ?? '';
    other.damage(snapshot, (bytes) => bytes.fill(1, 100, 101));
    await expect(open({ disk: other })).rejects.toThrow(`/disk/${snapshot} is damaged at byte 12`);
  });

  it('P-ST-8 written by a newer version -> refused', async () => {
    const disk = new PowerLossDisk();
    const first = await open({ disk });
    await first.close();
    disk.damage('log-000000000001', (bytes) => bytes.fill(9, 8, 9));
    await expect(open({ disk })).rejects.toThrow(
      '/disk/log-000000000001 was written by a newer version of this program (format 9, this one reads up to 1)',
    );
  });

  it('P-ST-8 second server on the same directory -> refused until the first has gone', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(`${folder} is in use by another server (process 1)`);
    await first.close();
    await (await open()).close();
  });

  it('P-ST-8 directory that cannot be written -> refused', async () => {
    const disk = new PowerLossDisk();
    disk.break('create', 'EROFS');
    await expect(open({ disk })).rejects.toThrow(`${folder} cannot be written: EROFS`);
    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    await expect(open({ directory: `${file}/below` })).rejects.toThrow(`${file}/below cannot be written: ENOTDIR`);
  });

  it('P-ST-3 full disk -> writes are refused, reads go on, and writes succeed when there is room', async () => {
    const disk = new PowerLossDisk();
    const opened = await open({ disk, segmentBytes: 4096 });
    await opened.put('a');
    disk.fill(1000);
    const results: string[] = [];
    for (let index = 0; index < 40; index++)
      await opened.put(`o-${index}`, { text: 'x'.repeat(200) }).catch((error: Error) => results.push(error.message));
    const why = 'Internal error occurred: the write was not stored: no space left on the disk (ENOSPC)';
    expect(new Set(results)).toEqual(new Set([why]));
    const stored = namesIn(opened);
    expect(stored.length).toBe(41 - results.length);
    disk.fill(1 << 20);
    await opened.put('z');
    const second = await open({ disk: await killed(opened, disk), segmentBytes: 4096 });
    expect(namesIn(second)).toEqual([...stored, 'z']);
  });

  it('P-ST-4 failed sync -> nothing more is written, not even at the end', async () => {
    const disk = new PowerLossDisk();
    const opened = await open({ disk });
    await opened.put('a');
    disk.break('sync', 'EIO');
    await expect(opened.put('b')).rejects.toThrow('EIO: by order of a test');
    await expect(opened.put('c')).rejects.toThrow('EIO: by order of a test');
    expect([namesIn(opened), opened.storage.fault]).toEqual([['a'], 'EIO: by order of a test']);
  });

  it('P-ST-9 log grown large -> a snapshot takes its place while writes go on', async () => {
    const disk = new PowerLossDisk();
    const options = { disk, segmentBytes: 4096, logBytesMin: 16_384 };
    const opened = await open(options);
    const acknowledged: Promise<string>[] = [];
    for (let index = 0; index < 400; index++) {
      acknowledged.push(opened.put(`o-${index % 50}`, { text: 'x'.repeat(index % 90) }));
      if (index % 10 === 0) await Promise.all(acknowledged);
    }
    await Promise.all(acknowledged);
    const objects = opened.store.all(maps);
    await opened.close();
    const files = disk.list();
    expect(files.filter((name) => name.startsWith('snapshot-')).length).toBe(1);
    expect(files.reduce((sum, name) => sum + disk.read(name).length, 0)).toBeLessThan(60_000);
    const second = await open(options);
    expect(second.store.all(maps)).toEqual(objects);
  });

  it('P-ST-5 kind that is not served any more -> its objects are kept', async () => {
    const disk = new PowerLossDisk();
    const options = { disk, segmentBytes: 4096, logBytesMin: 0 };
    const first = await open(options);
    await first.put('a');
    await first.close();
    const without = await open({ ...options, resources: [] });
    await without.put('b');
    await without.close();
    const third = await open(options);
    expect(namesIn(third)).toEqual(['a', 'b']);
  });
});

function lastUsed(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}
