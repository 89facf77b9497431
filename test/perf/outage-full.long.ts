// Full size: one node of 1,000 is lost, with 10,000 volumes in use; and an idle hour of all of them.
import { reportFigure } from '../../scripts/long/report.ts';
import { HOUR_MS } from '../../src/base/clock.ts';
import { bareBarrierMs, costsOf, perNodeMs, told } from './outage-world.ts';

const SMALL = { nodes: 100, volumes: 1_000 };
const FULL = { nodes: 1_000, volumes: 10_000 };

const small = await costsOf(SMALL, HOUR_MS);
const full = await costsOf(FULL, HOUR_MS);
reportFigure({ name: 'size', value: `${FULL.nodes} nodes, ${FULL.volumes} volumes` });
reportFigure({ name: 'bring-up', value: told(full.bringUp) });
reportFigure({ name: 'idle hour', value: told(full.idle) });
reportFigure({ name: 'outage of 12 minutes', value: told(full.outage) });
reportFigure({
  name: 'cost a node against 100 nodes',
  value: `idle ${(perNodeMs(full.idle, FULL.nodes) / perNodeMs(small.idle, SMALL.nodes)).toFixed(2)}x, outage ${(perNodeMs(full.outage, FULL.nodes) / perNodeMs(small.outage, SMALL.nodes)).toFixed(2)}x`,
});
reportFigure({ name: 'heap a volume', value: `${(full.heapBytes / FULL.volumes / 1024).toFixed(1)} KiB` });
reportFigure({ name: 'a bare turn', value: `${((await bareBarrierMs()) * 1000).toFixed(2)} us` });
