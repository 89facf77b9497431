// Stories of sweeps that once broke a promise, each for a reason of its own: kept as they were drawn, because what a seed
// draws changes with what there is to draw.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runStory } from '../../src/simulation/run-story.ts';
import { readStory } from '../../src/simulation/story-file.ts';
import { failureOf } from '../../src/simulation/sweep/sweep.ts';

const FOLDER = join(import.meta.dirname, 'stories-that-broke');

describe('stories that broke a promise', () => {
  for (const file of readdirSync(FOLDER)) {
    test(`P-SIM-9 ${file} -> every promise holds`, { timeout: 60_000 }, async () => {
      const run = await runStory(readStory(file, readFileSync(join(FOLDER, file), 'utf8')));
      expect(failureOf({ run })).toBeUndefined();
    });
  }
});
