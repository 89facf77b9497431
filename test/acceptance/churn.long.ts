// The churn of up-churn.test.ts in its full size, and under the chaos of several seeds.
import { isDeepStrictEqual } from 'node:util';
import { reportFigure } from '../../scripts/long/report.ts';
import { type Churned, churn } from './churn.ts';

const SIZE = { nodes: 10, zones: 2 };
const CHAOS_SEEDS = [1, 2, 3, 4, 5];

/** What differs from a cluster in which nothing was ever made; the directories that kubelets make once aside. */
function leftOf({ empty, rounds }: Churned): readonly string[] {
  return rounds.flatMap(({ left }, index) => {
    const isSame = isDeepStrictEqual({ ...left, files: 0 }, { ...empty, files: 0 });
    return isSame && left.files === rounds[0]?.left.files ? [] : [`round ${index + 1}: ${JSON.stringify(left)}`];
  });
}

function report(what: string, churned: Churned, pods: number): void {
  const running = churned.rounds.map((round) => round.running);
  const left = leftOf(churned);
  const heaps = churned.rounds.map(({ heapBytes }) => (heapBytes / 2 ** 20).toFixed(1));
  reportFigure({ name: `${what}: pods running in each round`, value: running.join(', ') });
  reportFigure({ name: `${what}: left`, value: left.length === 0 ? 'nothing' : left.join('; ') });
  reportFigure({ name: `${what}: heap after each round, MiB`, value: heaps.join(', ') });
  if (left.length > 0 || running.some((count) => count !== pods)) process.exitCode = 1;
}

report('500 pods', await churn({ pods: 500, rounds: 3, size: SIZE }), 500);
for (const chaosSeed of CHAOS_SEEDS)
  report(`100 pods, chaos ${chaosSeed}`, await churn({ pods: 100, rounds: 3, chaosSeed }), 100);
