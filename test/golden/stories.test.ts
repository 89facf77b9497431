// Every shipped story is played twice: its promises hold, both runs print the same bytes, and those are the bytes that were
// read and accepted before. `MOORING_UPDATE_GOLDEN=1` accepts new ones; the difference is reviewed like code.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { printStory } from '../../src/cli/print-story.ts';
import { runStory } from '../../src/simulation/run-story.ts';
import { readStory } from '../../src/simulation/story-file.ts';

const WIDTH = 200;
const plain = { colors: picocolors.createColors(false), width: WIDTH };
const files = readdirSync('stories').filter((name) => name.endsWith('.yaml'));

async function play(file: string): Promise<{ readonly text: string; readonly failed: readonly string[] }> {
  const run = await runStory(readStory(file, readFileSync(path.join('stories', file), 'utf8')));
  return {
    text: `${printStory(run, plain)}\n`,
    failed: run.verdicts.filter(({ passed }) => !passed).map(({ expectation, why }) => `${expectation}: ${why}`),
  };
}

describe('shipped stories', () => {
  test('there are at least eight about binding', () => {
    expect(files.length).toBeGreaterThanOrEqual(8);
  });

  test.each(files)('%s -> holds, and tells the same twice (P-SIM-3 P-WORLD-1)', async (file) => {
    const [first, second] = [await play(file), await play(file)];
    expect(first.failed).toEqual([]);
    expect(second.text).toBe(first.text);
    const golden = path.join('test/golden', file.replace(/\.yaml$/, '.timeline'));
    if (process.env['MOORING_UPDATE_GOLDEN'] === '1' || !existsSync(golden)) {
      expect(process.env['CI'] === 'true' && !existsSync(golden), 'a golden file is missing').toBe(false);
      writeFileSync(golden, first.text);
    }
    expect(first.text).toBe(readFileSync(golden, 'utf8'));
  });
});
