// The churn of up-churn.test.ts in its full size, and under the chaos of several seeds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { reportFigure } from '../../scripts/long/report.ts';
import { churnProcess } from './churn-process.ts';
import { type Churned, churn } from './churn.ts';
import { LEFT_BYTES_MAX } from './churned-objects.ts';
import { builtProgram } from './started-server.ts';

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

/** A server keeps what happened in the last five to ten minutes for those who watch. */
const HISTORY_GONE_MS = 11 * 60 * 1000;

async function reportProcess(pods: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-churn-'));
  try {
    const program = await builtProgram(folder);
    const directory = path.join(folder, 'cluster');
    const asked = {
      program,
      directory,
      nodes: SIZE.nodes,
      pods,
      rounds,
      speed: 60,
      chaosSeed: 1,
      restMs: HISTORY_GONE_MS,
    };
    const { running, empty, left } = await churnProcess(asked);
    const what = `up --speed 60 with chaos, ${pods} pods`;
    const mebibytes = [empty, left].map(({ held }) => (held.heapBytes / 2 ** 20).toFixed(1));
    const grownBy = (left.held.heapBytes - empty.held.heapBytes) / (pods * rounds);
    const isSame = isDeepStrictEqual(left.objects, empty.objects);
    reportFigure({ name: `${what}: pods running in each round`, value: running.join(', ') });
    reportFigure({ name: `${what}: objects left`, value: isSame ? 'none' : JSON.stringify(left.objects) });
    reportFigure({ name: `${what}: heap before and after, MiB`, value: mebibytes.join(', ') });
    reportFigure({ name: `${what}: heap left of a pod, bytes`, value: grownBy.toFixed(0) });
    if (!isSame || running.some((count) => count !== pods) || grownBy > LEFT_BYTES_MAX) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

report('500 pods', await churn({ pods: 500, rounds: 3, size: SIZE }), 500);
for (const chaosSeed of CHAOS_SEEDS)
  report(`100 pods, chaos ${chaosSeed}`, await churn({ pods: 100, rounds: 3, chaosSeed }), 100);
await reportProcess(500, 3);
