// One node of 1,000 is lost; ten idle minutes of all of them; and an idle hour of 100 nodes, its steps counted by kind. What
// a node costs at rest does not depend on its volumes, so there are few. Ten volumes a node are in outage-full.long.ts.
import { reportFigure } from '../../scripts/long/report.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/clock.ts';
import { OutageWorld, bareBarrierMs, costsOf, perNodeMs, told } from './outage-world.ts';
import { StepCounts } from './step-counts.ts';

const SMALL = { nodes: 100, volumes: 200 };
const LARGE = { nodes: 1_000, volumes: 2_000 };
const IDLE_MS = 10 * MINUTE_MS;

async function countIdleHour(): Promise<void> {
  const counts = new StepCounts();
  const world = new OutageWorld(SMALL.nodes, SMALL.volumes, counts);
  await world.bringUp();
  counts.take();
  const idle = await world.idle(HOUR_MS);
  reportFigure({ name: `idle hour of ${SMALL.nodes} nodes, requests and timers by kind`, value: told(idle) });
  for (const [kind, times] of counts.take()) reportFigure({ name: `- ${kind}`, value: String(times) });
  world.dispose();
}

const small = await costsOf(SMALL, IDLE_MS);
const large = await costsOf(LARGE, IDLE_MS);
const growth = (part: 'idle' | 'outage'): string =>
  `${(perNodeMs(large[part], LARGE.nodes) / perNodeMs(small[part], SMALL.nodes)).toFixed(2)}x`;
reportFigure({ name: 'size', value: `${LARGE.nodes} nodes, ${LARGE.volumes} volumes` });
reportFigure({ name: 'bring-up', value: told(large.bringUp) });
reportFigure({ name: 'ten idle minutes', value: told(large.idle) });
reportFigure({ name: 'outage of 12 minutes', value: told(large.outage) });
reportFigure({ name: `outage of 12 minutes, ${SMALL.nodes} nodes`, value: told(small.outage) });
reportFigure({ name: 'cost a node against 100 nodes', value: `idle ${growth('idle')}, outage ${growth('outage')}` });
reportFigure({ name: 'heap, by volume', value: `${(large.heapBytes / LARGE.volumes / 1024).toFixed(1)} KiB` });
reportFigure({ name: 'a bare turn', value: `${((await bareBarrierMs()) * 1000).toFixed(2)} us` });
await countIdleHour();
