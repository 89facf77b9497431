// `mooring sim`: stories in virtual time.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { StoryRun } from '../simulation/run-story.ts';
import { CommandError, EXIT } from './command-error.ts';

/** For pipes and files. */
const WIDTH_WITHOUT_TERMINAL = 160;

interface RunOptions {
  readonly output: string;
  readonly seed?: string;
  readonly object?: string;
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
    .addHelpText('after', '\nExample:\n  mooring sim run first-claims\n  mooring sim run my-story.yaml -o json')
    .action(run);
  sim
    .command('list')
    .description('Show the stories that come with mooring')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .addHelpText('after', '\nExample:\n  mooring sim list')
    .action(list);
}

async function run(given: string, options: RunOptions): Promise<void> {
  const [{ readStory }, { runStory }] = await Promise.all([
    import('../simulation/story-file.ts'),
    import('../simulation/run-story.ts'),
  ]);
  const formats = ['table', 'json', 'yaml', 'mermaid'];
  if (!formats.includes(options.output))
    throw new CommandError(`unknown output "${options.output}": write ${formats.join(', ')}`);
  const seed = seedOf(options.seed);
  const file = storyFile(given);
  const story = readStory(file.shown, file.text);
  const result = await runStory(story, seed ?? story.seed);
  process.stdout.write(`${await rendered(result, options)}\n`);
  if (result.verdicts.some(({ passed }) => !passed)) process.exitCode = EXIT.findings;
}

async function rendered(result: StoryRun, { output, object }: RunOptions): Promise<string> {
  const { printStory, storyAsData, storyAsMermaid } = await import('./print-story.ts');
  if (output === 'mermaid') return storyAsMermaid(result, object);
  if (output === 'json') return JSON.stringify(storyAsData(result), undefined, 2);
  if (output === 'yaml') return (await import('yaml')).stringify(storyAsData(result)).trimEnd();
  const { default: colors } = await import('picocolors');
  return printStory(result, { colors, width: process.stdout.columns ?? WIDTH_WITHOUT_TERMINAL });
}

function seedOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new CommandError(`--seed takes a whole number, not "${text}"`);
  return Number(text);
}

/** The directory `stories` beside the program. */
function storiesDirectory(): string {
  return path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'stories');
}

function storyFile(given: string): { readonly shown: string; readonly text: string } {
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
  else if (output === 'yaml') process.stdout.write((await import('yaml')).stringify(rows));
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
