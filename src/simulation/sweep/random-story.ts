// The story of a seed: the same seed tells the same story, on any machine.
import { MINUTE_MS } from '../../base/clock.ts';
import { SeededRandom } from '../../base/random.ts';
import { castOf } from '../cast.ts';
import { randomCluster } from './random-cluster.ts';
import { randomFaults } from './random-faults.ts';
import { randomWorkloads } from './random-workloads.ts';
import { type StoryDocument, milliseconds, storyOf } from './story-document.ts';
import { randomTheme } from './theme.ts';

/** Longer than the longest back-offs of all components together. */
const SETTLES_MS = 60 * MINUTE_MS;

export function randomStory(seed: number): StoryDocument {
  const random = new SeededRandom(`sweep ${seed}`);
  const cluster = randomCluster(random.fork('cluster'));
  const theme = randomTheme(random.fork('theme'));
  const empty: StoryDocument = {
    name: `seed-${seed}`,
    about: `Drawn by a sweep from seed ${seed}: ${theme.name}.`,
    seed,
    lasts: milliseconds(theme.lastsMs),
    settles: milliseconds(SETTLES_MS),
    cluster: cluster.document,
    steps: [],
  };
  const cast = castOf(storyOf(empty).cluster);
  const workloads = randomWorkloads(random.fork('workloads'), cluster, theme);
  const faults = randomFaults(random.fork('faults'), { theme, cast, pods: workloads.pods });
  const steps = [...workloads.steps, ...faults];
  return { ...empty, steps: steps.toSorted((a, b) => millisecondsOf(a.at) - millisecondsOf(b.at)) };
}

const millisecondsOf = (text: string): number => Number(text.replace('ms', ''));
