// `mooring sim`: stories in virtual time.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { StoryRun } from '../simulation/run-story.ts';
import { CommandError, EXIT } from './command-error.ts';
import { addReplay } from './sim-replay.ts';
import { wholeNumber } from './sim-seed.ts';
import { addSweep } from './sim-sweep.ts';

/** For pipes and files. */
const WIDTH_WITHOUT_TERMINAL = 160;

interface RunOptions {
  readonly output: string;
  readonly seed?: string;
  readonly object?: string;
  readonly compare?: string;
}

export function addSim(program: Command): void {
  const sim = program.command('sim').description('Play stories in virtual time');
  sim
    .command('run')
    .description('Play a story and judge its expectations')
    .argument('<story>', 'a story file, or the name of a shipped story')
    .option('-o, --output <format>', 'table, json, yaml or mermaid', 'table')
    .option('--seed <number>', "another seed than the story's own")
    .option('--object <kind/name>', 'the object whose sequence -o mermaid draws')
    .option('--compare <key=a,b,c>', 'play the story with each value of a setting or field, and show one table')
    .addHelpText(
      'after',
      '\nExample:\n  mooring sim run first-claims\n  mooring sim run my-story.yaml -o json\n  mooring sim run node-lost --compare tolerationSeconds=30,300',
    )
    .action(run);
  sim
    .command('list')
    .description('Show the stories that come with mooring')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .addHelpText('after', '\nExample:\n  mooring sim list')
    .action(list);
  addSweep(sim);
  addReplay(sim);
}

async function run(given: string, options: RunOptions): Promise<void> {
  const [{ readStory }, { runStory }] = await Promise.all([
    import('../simulation/story-file.ts'),
    import('../simulation/run-story.ts'),
  ]);
  const formats = ['table', 'json', 'yaml', 'mermaid'];
  if (!formats.includes(options.output))
    throw new CommandError(`unknown output "${options.output}": write ${formats.join(', ')}`);
  const seed = options.seed === undefined ? undefined : wholeNumber('--seed', options.seed);
  const file = storyFile(given);
  if (options.compare !== undefined) return compareValues(file, options.compare, { ...options, seed });
  const story = readStory(file.shown, file.text);
  const result = await runStory(story, seed ?? story.seed);
  process.stdout.write(`${await rendered(result, options)}\n`);
  if (result.verdicts.some(({ passed }) => !passed)) process.exitCode = EXIT.findings;
  return undefined;
}

/** A table is there to be read, whatever it shows; only a fault of the words is a fault. */
async function compareValues(
  file: StoryText,
  words: string,
  { output, seed }: { readonly output: string; readonly seed: number | undefined },
): Promise<void> {
  const { compare, comparisonAsData, comparisonAsTable } = await import('./sim-compare.ts');
  if (output === 'mermaid') throw new CommandError('--compare is shown as table, json or yaml');
  const compared = await compare(file, words, seed);
  if (output === 'table') process.stdout.write(`${comparisonAsTable(words, compared)}\n`);
  else if (output === 'json')
    process.stdout.write(`${JSON.stringify(comparisonAsData(words, compared), undefined, 2)}\n`);
  else process.stdout.write((await import('./yaml-text.ts')).yamlText(comparisonAsData(words, compared)));
}

async function rendered(result: StoryRun, { output, object }: RunOptions): Promise<string> {
  const { printStory, storyAsData, storyAsMermaid } = await import('./print-story.ts');
  if (output === 'mermaid') return storyAsMermaid(result, object);
  if (output === 'json') return JSON.stringify(storyAsData(result), undefined, 2);
  if (output === 'yaml') return (await import('./yaml-text.ts')).yamlText(storyAsData(result)).trimEnd();
  const { default: colors } = await import('picocolors');
  return printStory(result, { colors, width: process.stdout.columns ?? WIDTH_WITHOUT_TERMINAL });
}

/** The directory `stories` beside the program. */
function storiesDirectory(): string {
  return path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'stories');
}

interface StoryText {
  readonly shown: string;
  readonly text: string;
}

function storyFile(given: string): StoryText {
  const shipped = path.join(storiesDirectory(), `${given}.yaml`);
  const candidates = /^[\w-]+$/.test(given) ? [shipped, given] : [given];
  for (const candidate of candidates) {
    try {
      return { shown: candidate === shipped ? `${given}.yaml` : given, text: readFileSync(candidate, 'utf8') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw new CommandError(`cannot read ${candidate}: ${code ?? String(error)}`);
    }
  }
  throw new CommandError(`there is no story ${given}; mooring sim list shows those shipped`);
}

async function list({ output }: { readonly output: string }): Promise<void> {
  const { readStory } = await import('../simulation/story-file.ts');
  const directory = storiesDirectory();
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted();
  const stories = files.map((name) => readStory(name, readFileSync(path.join(directory, name), 'utf8')));
  const rows = stories.map(({ name, about, steps, expect, lastsMs }) => ({
    name,
    about: firstSentence(about),
    steps: steps.length,
    expectations: expect.length,
    lasts: `${lastsMs / 1000}s`,
  }));
  if (output === 'json') process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
  else if (output === 'yaml') process.stdout.write((await import('./yaml-text.ts')).yamlText(rows));
  else if (output === 'table') {
    const { printTable } = await import('./table.ts');
    process.stdout.write(
      `${printTable(
        ['NAME', 'LASTS', 'EXPECTS', 'ABOUT'],
        rows.map((row) => [row.name, row.lasts, String(row.expectations), row.about]),
      )}\n`,
    );
    process.stdout.write('\nPlay one with: mooring sim run NAME\n');
  } else throw new CommandError(`unknown output "${output}": write table, json, yaml`);
}

const firstSentence = (text: string): string => (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
