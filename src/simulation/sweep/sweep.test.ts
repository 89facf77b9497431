import { describe, expect, test } from 'vitest';
import { readStory } from '../story-file.ts';
import { randomStory } from './random-story.ts';
import { replaySeed } from './replay.ts';
import { printDocument } from './story-document.ts';
import { failureOf, play, playSeed } from './sweep.ts';

describe('P-SIM-9 a sweep', () => {
  test('the same seed -> the same story; another seed -> another', () => {
    expect(printDocument(randomStory(7))).toBe(printDocument(randomStory(7)));
    expect(printDocument(randomStory(7))).not.toBe(printDocument(randomStory(8)));
  });

  test('three hundred seeds -> stories that can be read, with every kind of workload and fault', () => {
    const texts = Array.from({ length: 300 }, (_, index) => randomStory(index));
    for (const document of texts.slice(0, 40)) readStory(document.name, printDocument(document));
    const kinds = new Set(
      texts.flatMap(({ steps }) =>
        steps.flatMap(({ fault }) => (fault === undefined ? [] : [(fault as { readonly type: string }).type])),
      ),
    );
    expect([...kinds].toSorted()).toHaveLength(18);
  });

  test('played twice -> equal outcomes, to the hash of the timeline', async () => {
    expect(await playSeed(3)).toEqual(await playSeed(3));
  });
});

describe('P-SIM-11 a replay', () => {
  test('of equal runs -> nothing parted', async () => {
    expect((await replaySeed(4)).parted).toBeUndefined();
  });

  test('of runs that differ -> the first differing entry is named', async () => {
    const runs = { count: 0 };
    const uneven: typeof play = async (document) => {
      const played = await play(document);
      if (runs.count++ === 0 || !('run' in played)) return played;
      const entries = played.run.entries.map((entry) =>
        entry.number === 5 ? { ...entry, detail: 'otherwise' } : entry,
      );
      return { run: { ...played.run, entries } };
    };
    expect((await replaySeed(4, uneven)).parted).toMatch(/^entry 5 is .* in one run and .*otherwise.* in the other$/);
  });

  test('of a run that throws -> a failure, not an exception', async () => {
    const broken = {
      ...randomStory(4),
      cluster: { nodes: 1 },
      steps: [{ at: '0ms', fault: { type: 'node-crash', node: 'nobody' } }],
    };
    expect(failureOf(await play(broken))).toMatchObject({ kind: 'bug' });
  });
});
