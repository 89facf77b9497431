import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PowerLossDisk } from '../../../../test/storage/power-loss-disk.ts';
import { silentLog } from '../../../base/log.ts';
import { SeededRandom } from '../../../base/random.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import { ConfigMaps } from '../../../kube/resources/config-map.ts';
import { ObjectBytes } from '../../object-bytes.ts';
import { openEmbedded } from './embedded.ts';

const maps = ConfigMaps as unknown as Resource<KubeObject>;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mooring-law-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const machine = { pid: 1, platform: 'linux', isAlive: () => false };

const object = (name: string, text: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' },
    data: { text },
  }) as KubeObject;

/** A few writes at once; then, perhaps, the power goes before they are answered. */
const burst = fc.record({
  writes: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat({ max: 900 })), {
    minLength: 1,
    maxLength: 8,
  }),
  /** How often promises may settle before it goes; undefined: not yet. */
  powerLostAfter: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
});

interface Write {
  readonly text: string;
  /** Undefined until it is answered. */
  revision: number | undefined;
}

/** A store on one disk, with everything that was asked of it, oldest first. */
class Run {
  readonly #store: Awaited<ReturnType<typeof openEmbedded>>;
  readonly #writes = new Map<string, Write[]>();

  private constructor(store: Awaited<ReturnType<typeof openEmbedded>>) {
    this.#store = store;
  }

  static async on(disk: PowerLossDisk): Promise<Run> {
    const soon = (work: () => void): void => work();
    const sizes = { segmentBytes: 4096, logBytesMin: 8192 };
    const given = { directory: folder, resources: [maps], bytes: new ObjectBytes(), log: silentLog, machine };
    const run = new Run(await openEmbedded({ ...given, disk, soon, ...sizes }));
    for (const [name, text] of run.objects) run.#writes.set(name, [{ text, revision: 0 }]);
    return run;
  }

  get revision(): number {
    return this.#store.store.revision;
  }

  get objects(): ReadonlyMap<string, string> {
    const all = this.#store.store.all(maps) as readonly (KubeObject & { readonly data: { readonly text: string } })[];
    return new Map(all.map(({ metadata, data }) => [metadata.name, data.text]));
  }

  async put(name: string, text: string): Promise<void> {
    const write: Write = { text, revision: undefined };
    this.#writes.set(name, [...(this.#writes.get(name) ?? []), write]);
    const { store, storage } = this.#store;
    const stored = (): KubeObject => store.put(maps, `ns/${name}`, object(name, text)).after;
    const { result } = await storage.serve({ isWrite: true, run: stored });
    write.revision = Number(result.metadata.resourceVersion);
  }

  /** What may be there now: the last state that was answered, or one that was asked for after it. */
  get allowed(): { readonly revision: number; readonly texts: ReadonlyMap<string, readonly (string | undefined)[]> } {
    let revision = 0;
    const texts = new Map<string, readonly (string | undefined)[]>();
    for (const [name, writes] of this.#writes) {
      const last = writes.findLastIndex((write) => write.revision !== undefined);
      revision = Math.max(revision, writes[last]?.revision ?? 0);
      const later = writes.slice(Math.max(0, last)).map(({ text }) => text);
      texts.set(name, last < 0 ? [undefined, ...later] : later);
    }
    return { revision, texts };
  }

  close(): Promise<void> {
    return this.#store.storage.close();
  }
}

describe('openEmbedded', () => {
  it('P-ST-16 any writes, power lost at any moment, any sectors lost -> what was answered is there, and the counter is no lower', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 12 }), fc.nat(), async (bursts, seed) => {
        const random = new SeededRandom(seed);
        let disk = new PowerLossDisk();
        let run = await Run.on(disk);
        try {
          for (const { writes, powerLostAfter } of bursts) {
            const all = Promise.all(writes.map(([name, size]) => run.put(name, 'x'.repeat(size))));
            if (powerLostAfter === undefined) {
              await all;
              continue;
            }
            for (let turn = 0; turn < powerLostAfter; turn++) await Promise.resolve();
            const [left, { revision, texts }] = [disk.losePower(random), run.allowed];
            await all;
            await run.close();
            disk = left;
            run = await Run.on(disk);
            expect(run.revision).toBeGreaterThanOrEqual(revision);
            for (const [name, allowed] of texts) expect(allowed).toContain(run.objects.get(name));
          }
        } finally {
          await run.close();
        }
      }),
      { numRuns: 150 },
    );
  });
});
