// Plays a seed twice and compares: what is not equal to the byte is a fault of ours, whatever else the seed shows.
import { type Failure, type Played, failureOf, play } from './sweep.ts';
import { randomStory } from './random-story.ts';
import type { StoryDocument } from './story-document.ts';
import { firstDifference, hashOf } from './timeline-hash.ts';

export interface Replay {
  readonly document: StoryDocument;
  readonly played: Played;
  readonly failure: Failure | undefined;
  readonly hash: string;
  /** Where the second run parted from the first. */
  readonly parted: string | undefined;
}

export async function replaySeed(seed: number, playOnce: typeof play = play): Promise<Replay> {
  const document = randomStory(seed);
  const [first, second] = [await playOnce(document), await playOnce(document)];
  return {
    document,
    played: first,
    failure: failureOf(first),
    hash: hashOf(entriesOf(first)),
    parted: partingOf(first, second),
  };
}

const entriesOf = (played: Played): Parameters<typeof hashOf>[0] => ('run' in played ? played.run.entries : []);

function partingOf(first: Played, second: Played): string | undefined {
  if ('bug' in first && 'bug' in second)
    return first.bug.message === second.bug.message
      ? undefined
      : `one run ended with "${first.bug.message}", the other with "${second.bug.message}"`;
  const difference = firstDifference(entriesOf(first), entriesOf(second));
  return difference === undefined
    ? undefined
    : `entry ${difference.number} is ${difference.one} in one run and ${difference.other} in the other`;
}
