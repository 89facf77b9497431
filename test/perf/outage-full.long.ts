// Full size: one node of 1,000 is lost, with 10,000 volumes in use; an idle hour of all of them, its steps counted by kind; and
// what a node costs, against one of 100: both worlds warm, measured in turn. Runs with more room for young objects than node gives
// by itself (docs/decisions/0005): the state of thousands of volumes is long-lived, and what is young beside it need not be moved.
import { reportFigure } from '../../scripts/long/report.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/clock.ts';
import { type Measured, OutageWorld, bareBarrierMs, perNodeMs, told } from './outage-world.ts';
import { StepCounts } from './step-counts.ts';

const SMALL = { nodes: 100, volumes: 1_000 };
const FULL = { nodes: 1_000, volumes: 10_000 };
const ROUNDS = 3;
const LOST = ['node-a', 'node-b', 'node-c'] as const;
const OUTAGE_MS = 12 * MINUTE_MS;

async function countIdleHour(): Promise<void> {
  const counts = new StepCounts();
  const world = new OutageWorld(SMALL.nodes, SMALL.volumes, counts);
  await world.bringUp();
  counts.take();
  const idle = await world.idle(HOUR_MS);
  reportFigure({ name: `idle hour of ${SMALL.nodes} nodes, requests and timers by kind`, value: told(idle) });
  const kinds = [...counts.take()];
  const often = kinds.filter(([, times]) => times > SMALL.nodes);
  const rest = kinds.filter(([, times]) => times <= SMALL.nodes);
  for (const [kind, times] of often) reportFigure({ name: `- ${kind}`, value: String(times) });
  const sum = rest.reduce((total, [, times]) => total + times, 0);
  reportFigure({ name: `- ${rest.length} kinds, each at most once a node`, value: String(sum) });
  world.dispose();
}

const middle = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const middleOf = (growths: readonly number[]): string =>
  `${middle(growths).toFixed(2)}x (of ${growths.map((each) => each.toFixed(2)).join(', ')})`;
const growth = (full: Measured, small: Measured): number => {
  const scale = full.virtualMs / small.virtualMs;
  return perNodeMs(full, FULL.nodes) / scale / perNodeMs(small, SMALL.nodes);
};

const small = new OutageWorld(SMALL.nodes, SMALL.volumes);
await small.bringUp();
globalThis.gc?.();
const heapBefore = process.memoryUsage().heapUsed;
const full = new OutageWorld(FULL.nodes, FULL.volumes);
const bringUp = await full.bringUp();
globalThis.gc?.();
const heapBytes = process.memoryUsage().heapUsed - heapBefore;
const idleGrowth: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const ofSmall = await small.idle(50 * MINUTE_MS);
  idleGrowth.push(growth(await full.idle(5 * MINUTE_MS), ofSmall));
}
const idle = await full.idle(HOUR_MS);
const outages: { readonly small: Measured; readonly full: Measured }[] = [];
for (const node of LOST)
  outages.push({ small: await small.outage(OUTAGE_MS, node), full: await full.outage(OUTAGE_MS, node) });
const outageGrowth = outages.map((each) => growth(each.full, each.small));
const usual = outages.find((each) => growth(each.full, each.small) === middle(outageGrowth));
reportFigure({ name: 'size', value: `${FULL.nodes} nodes, ${FULL.volumes} volumes` });
reportFigure({ name: 'bring-up', value: told(bringUp) });
reportFigure({ name: 'idle hour', value: told(idle) });
if (usual !== undefined) {
  reportFigure({ name: 'outage of 12 minutes', value: told(usual.full) });
  reportFigure({ name: `outage of 12 minutes, ${SMALL.nodes} nodes`, value: told(usual.small) });
}
reportFigure({
  name: `cost a node against ${SMALL.nodes} nodes`,
  value: `idle ${middleOf(idleGrowth)}, outage ${middleOf(outageGrowth)}`,
});
reportFigure({
  name: 'heap a volume, with its share of the nodes',
  value: `${(heapBytes / FULL.volumes / 1024).toFixed(1)} KiB`,
});
reportFigure({ name: 'a bare turn', value: `${((await bareBarrierMs()) * 1000).toFixed(2)} us` });
small.dispose();
full.dispose();
await countIdleHour();
