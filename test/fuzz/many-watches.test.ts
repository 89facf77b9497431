import { describe, expect, it } from 'vitest';
import type { OpenStream, StreamAnswer } from '../../src/apiserver/http/http-exchange.ts';
import { askedOf, newScene } from './fuzz-run.ts';

const WATCHES = 10_000;
const CONFIG_MAPS = '/api/v1/namespaces/fuzz/configmaps';

/** A reader that takes everything, or nothing after its first word. */
class Reader {
  bytes: Uint8Array[] = [];
  isCut = false;
  readonly #reads: boolean;
  #open: OpenStream | undefined;

  constructor(answer: StreamAnswer, reads: boolean) {
    this.#reads = reads;
    this.#open = answer.open({
      write: (bytes) => {
        this.bytes.push(bytes);
        return this.#reads;
      },
      end: () => undefined,
      abort: () => {
        this.isCut = true;
      },
    });
  }

  leave(): void {
    this.#open?.dispose();
    this.#open = undefined;
  }
}

describe('ten thousand watches', () => {
  it('P-HTTP-18 one change -> the same bytes to everyone, not a copy each; P-HTTP-3 those who do not read are cut off', async () => {
    const scene = newScene('watches');
    const readers: Reader[] = [];
    for (let index = 0; index < WATCHES; index++) {
      const answer = await askedOf(scene, { method: 'GET', path: `${CONFIG_MAPS}?watch=true&resourceVersion=1` });
      if (answer?.type !== 'stream') throw new Error('a watch is a stream');
      readers.push(new Reader(answer, index % 10 !== 0));
    }
    const made = (name: string): Promise<unknown> =>
      askedOf(scene, { method: 'POST', path: CONFIG_MAPS, body: { metadata: { name } } });
    await made('first');
    await scene.clock.advanceTo(scene.clock.now() + 1000);
    const seen = readers.map(({ bytes }) => bytes.at(-1));
    expect(seen.every((bytes) => bytes !== undefined && Buffer.from(bytes).includes('"name":"first"'))).toBe(true);
    const buffers = new Set(seen.map((bytes) => bytes?.buffer));
    expect(buffers.size).toBeLessThan(10);

    const staying = readers.splice(0, 100);
    for (const reader of readers) reader.leave();
    for (let index = 0; index < 1100; index++) await made(`more-${index}`);
    await scene.clock.advanceTo(scene.clock.now() + 1000);
    expect(staying.filter(({ isCut }) => isCut)).toHaveLength(10);
    expect(staying.find(({ isCut }) => !isCut)?.bytes.length).toBeGreaterThan(1100);
    for (const reader of staying) reader.leave();
  });
});
