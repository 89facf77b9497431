// What the embedded store adds to the disk: durable writes of 64 writers against bare write and sync of batches of the same
// size, and the start on a hundred thousand objects against reading the same bytes.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { ObjectBytes } from '../../src/apiserver/object-bytes.ts';
import { openEmbedded } from '../../src/apiserver/storage/embedded/embedded.ts';
import { silentLog } from '../../src/base/log.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';

const OBJECTS = 100_000;
const WRITERS = 64;
const claims = PersistentVolumeClaims as unknown as Resource<KubeObject>;
const folder = fs.mkdtempSync(path.join(tmpdir(), 'mooring-store-'));
const directory = path.join(folder, 'store');

const claim = (index: number): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `claim-${index}`,
      namespace: 'default',
      uid: `${index}`,
      resourceVersion: '',
      creationTimestamp: '2026-01-05T08:00:00Z',
      annotations: { note: 'x'.repeat(1500) },
    },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } },
  }) as unknown as KubeObject;

const open = (): ReturnType<typeof openEmbedded> =>
  openEmbedded({
    directory,
    resources: [claims],
    bytes: new ObjectBytes(),
    log: silentLog,
    machine: { pid: process.pid, platform: process.platform, isAlive: () => false },
    soon: (work) => void setImmediate(work),
  });

async function durableWrites(): Promise<number> {
  const { store, storage } = await open();
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < OBJECTS) {
      const index = next++;
      const run = (): unknown => store.put(claims, `default/claim-${index}`, claim(index));
      await storage.serve({ isWrite: true, run });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const ms = performance.now() - startedAt;
  await storage.close();
  return ms;
}

/** The same bytes in batches of as many as there are writers. */
async function bareWrites(): Promise<number> {
  const file = await fs.promises.open(path.join(folder, 'bare'), 'w');
  const size = JSON.stringify(claim(1)).length;
  const batch = Buffer.alloc(size * WRITERS, 1);
  const batches = Math.ceil(OBJECTS / WRITERS);
  await file.write(Buffer.alloc(batch.length * batches));
  await file.sync();
  const startedAt = performance.now();
  for (let index = 0; index < batches; index++) {
    await file.write(batch, 0, batch.length, index * batch.length);
    await file.datasync();
  }
  const ms = performance.now() - startedAt;
  await file.close();
  return ms;
}

async function recovery(): Promise<{ readonly ours: number; readonly bare: number }> {
  const files = fs.readdirSync(directory).map((name) => path.join(directory, name));
  const bareAt = performance.now();
  for (const file of files) fs.readFileSync(file);
  const bare = performance.now() - bareAt;
  const oursAt = performance.now();
  const { store, storage } = await open();
  const ours = performance.now() - oursAt;
  if (store.all(claims).length !== OBJECTS) throw new Error('objects are missing');
  await storage.close();
  return { ours, bare };
}

const [written, bareWritten] = [await durableWrites(), await bareWrites()];
const { ours, bare } = await recovery();
fs.rmSync(folder, { recursive: true, force: true });
const rate = (ms: number): string => `${Math.round(OBJECTS / (ms / 1000)).toLocaleString('en')} a second`;
reportRatio({
  name: 'store-write-64',
  ratio: written / bareWritten,
  measured: `${rate(written)} durable, JSON included`,
  against: `${rate(bareWritten)} written and synced in batches of 64`,
});
reportRatio({
  name: 'store-recover-100000',
  ratio: ours / bare,
  measured: `${ours.toFixed(0)} ms to start`,
  against: `${bare.toFixed(0)} ms to read the files`,
});
