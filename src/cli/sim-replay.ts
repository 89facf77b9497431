// `mooring sim replay`: one seed of a sweep again, in full.
import type { Command } from 'commander';
import type { Replay } from '../simulation/sweep/replay.ts';
import { CommandError, EXIT } from './command-error.ts';
import { wholeNumber } from './sim-seed.ts';

interface ReplayOptions {
  readonly seed: string;
  readonly output: string;
}

const FORMATS = ['table', 'json', 'story'];

export function addReplay(sim: Command): void {
  sim
    .command('replay')
    .description('Play one seed of a sweep again, twice, and show its timeline')
    .requiredOption('--seed <number>', 'the seed')
    .option('-o, --output <format>', 'table, json, or story: the file that sim run plays', 'table')
    .addHelpText(
      'after',
      '\nExample:\n  mooring sim replay --seed 8123\n  mooring sim replay --seed 8123 -o story > seed-8123.yaml',
    )
    .action(replay);
}

async function replay({ seed, output }: ReplayOptions): Promise<void> {
  if (!FORMATS.includes(output)) throw new CommandError(`unknown output "${output}": write ${FORMATS.join(', ')}`);
  const number = wholeNumber('--seed', seed);
  const { replaySeed } = await import('../simulation/sweep/replay.ts');
  const played = await replaySeed(number);
  process.stdout.write(`${await rendered(played, output)}\n`);
  if (played.failure !== undefined || played.parted !== undefined) process.exitCode = EXIT.findings;
}

async function rendered(replayed: Replay, output: string): Promise<string> {
  const { document, played, failure, hash, parted } = replayed;
  if (output === 'story')
    return (await import('../simulation/sweep/story-document.ts')).printDocument(document).trimEnd();
  const { printStory, storyAsData } = await import('./print-story.ts');
  const verdict = { ...(failure === undefined ? {} : { failure }), hash, ...(parted === undefined ? {} : { parted }) };
  if (output === 'json')
    return JSON.stringify({ ...('run' in played ? storyAsData(played.run) : {}), ...verdict }, undefined, 2);
  const { default: colors } = await import('picocolors');
  const story = 'run' in played ? [printStory(played.run, { colors, width: process.stdout.columns ?? 160 }), ''] : [];
  const judged =
    failure === undefined
      ? `${colors.green('✓')} every promise held`
      : `${colors.red('✗')} ${failure.kind}: ${failure.about} ${failure.says}`;
  const again =
    parted === undefined
      ? `played twice: equal (${hash})`
      : `${colors.red('✗')} played twice, and not equal: ${parted}`;
  return [...story, judged, again].join('\n');
}
