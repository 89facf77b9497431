// The story of a seed: the same seed tells the same story, on any machine.
import { SeededRandom } from '../../base/random.ts';
import { castOf } from '../cast.ts';
import { randomCluster } from './random-cluster.ts';
import { randomFaults } from './random-faults.ts';
import { randomWorkloads } from './random-workloads.ts';
import { type StoryDocument, storyOf } from './story-document.ts';

/** Long enough for everything that is drawn to begin and end, and for six minutes of waiting for a silent node. */
const LASTS = '15m';
/** Longer than the longest back-offs of all components together. */
const SETTLES = '60m';

export function randomStory(seed: number): StoryDocument {
  const random = new SeededRandom(`sweep ${seed}`);
  const cluster = randomCluster(random.fork('cluster'));
  const about = `Drawn by a sweep from seed ${seed}.`;
  const empty = {
    name: `seed-${seed}`,
    about,
    seed,
    lasts: LASTS,
    settles: SETTLES,
    cluster: cluster.document,
    steps: [],
  };
  const cast = castOf(storyOf(empty).cluster);
  const steps = [...randomWorkloads(random.fork('workloads'), cluster), ...randomFaults(random.fork('faults'), cast)];
  return { ...empty, steps: steps.toSorted((a, b) => millisecondsOf(a.at) - millisecondsOf(b.at)) };
}

const millisecondsOf = (text: string): number => Number(text.replace('ms', ''));
