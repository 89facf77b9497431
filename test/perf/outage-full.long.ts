// Full size: one node of 1,000 is lost, with 10,000 volumes in use; and an idle hour of all of them.
import { reportFigure } from '../../scripts/long/report.ts';
import { HOUR_MS } from '../../src/base/clock.ts';
import { type Measured, bareBarrierMs, costsOf, micros, speed } from './outage-world.ts';

const SMALL = { nodes: 100, volumes: 1_000 };
const FULL = { nodes: 1_000, volumes: 10_000 };

const told = (measured: Measured): string =>
  `${(measured.cpuMs / 1000).toFixed(1)} s of processor time, ${measured.steps} steps, ${micros(measured).toFixed(1)} us a step, ${speed(measured)}`;

const small = await costsOf(SMALL, HOUR_MS);
const full = await costsOf(FULL, HOUR_MS);
const perNode = (measured: Measured, nodes: number): number => measured.cpuMs / nodes;
reportFigure({ name: 'size', value: `${FULL.nodes} nodes, ${FULL.volumes} volumes` });
reportFigure({ name: 'bring-up', value: told(full.bringUp) });
reportFigure({ name: 'idle hour', value: told(full.idle) });
reportFigure({ name: 'outage of 12 minutes', value: told(full.outage) });
reportFigure({
  name: 'cost a node against 100 nodes',
  value: `idle ${(perNode(full.idle, FULL.nodes) / perNode(small.idle, SMALL.nodes)).toFixed(2)}x, outage ${(perNode(full.outage, FULL.nodes) / perNode(small.outage, SMALL.nodes)).toFixed(2)}x`,
});
reportFigure({ name: 'heap a volume', value: `${(full.heapBytes / FULL.volumes / 1024).toFixed(1)} KiB` });
reportFigure({ name: 'a bare turn', value: `${((await bareBarrierMs()) * 1000).toFixed(2)} us` });
