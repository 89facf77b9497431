// The story of a seed: the same seed tells the same story, on any machine.
import { MINUTE_MS } from '../../base/clock.ts';
import { SeededRandom } from '../../base/random.ts';
import { castOf } from '../cast.ts';
import { randomCluster } from './random-cluster.ts';
import { randomFaults } from './random-faults.ts';
import { randomWorkloads } from './random-workloads.ts';
import type { Span } from './span.ts';
import { type StoryDocument, milliseconds, storyOf } from './story-document.ts';

/**
 * Most seeds are short. A long one has room for a node that is silent for longer than its pods are tolerated there and for
 * the six minutes after which volumes are detached by force.
 */
const SHORT: Span = { lastsMs: 5 * MINUTE_MS, faultMsMax: 2 * MINUTE_MS };
const LONG: Span = { lastsMs: 18 * MINUTE_MS, faultMsMax: 14 * MINUTE_MS };
const LONG_SHARE = 0.35;
/** Longer than the longest back-offs of all components together. */
const SETTLES_MS = 60 * MINUTE_MS;

export function randomStory(seed: number): StoryDocument {
  const random = new SeededRandom(`sweep ${seed}`);
  const cluster = randomCluster(random.fork('cluster'));
  const span = random.fork('span').chance(LONG_SHARE) ? LONG : SHORT;
  const empty: StoryDocument = {
    name: `seed-${seed}`,
    about: `Drawn by a sweep from seed ${seed}.`,
    seed,
    lasts: milliseconds(span.lastsMs),
    settles: milliseconds(SETTLES_MS),
    cluster: cluster.document,
    steps: [],
  };
  const cast = castOf(storyOf(empty).cluster);
  const steps = [
    ...randomWorkloads(random.fork('workloads'), cluster, span),
    ...randomFaults(random.fork('faults'), cast, span),
  ];
  return { ...empty, steps: steps.toSorted((a, b) => millisecondsOf(a.at) - millisecondsOf(b.at)) };
}

const millisecondsOf = (text: string): number => Number(text.replace('ms', ''));
