// A lost node and ten idle minutes in virtual time. The ceiling of a simulation is its number of timers times a bare turn of the
// event loop; and what a node costs must not depend on how many there are. The full size is in outage-full.long.ts.
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { bareBarrierMs, costsOf, micros, perNodeMs, speed } from './outage-world.ts';

// At rest a volume costs nothing, so two a node will do.
const SMALL = { nodes: 30, volumes: 60 };
const LARGE = { nodes: 100, volumes: 200 };
const IDLE_MS = 10 * MINUTE_MS;

// The first world pays for the compiler.
await costsOf(SMALL, IDLE_MS);
const small = await costsOf(SMALL, IDLE_MS);
const large = await costsOf(LARGE, IDLE_MS);
const barrier = (await bareBarrierMs()) * 1000;
const size = `${LARGE.nodes} nodes, ${LARGE.volumes} volumes`;
reportRatio({
  name: 'outage-step',
  ratio: micros(large.outage) / barrier,
  measured: `${micros(large.outage).toFixed(1)} us a step, ${large.outage.steps} steps, ${speed(large.outage)} (${size})`,
  against: `${barrier.toFixed(2)} us a bare turn`,
});
reportRatio({
  name: 'idle-step',
  ratio: micros(large.idle) / barrier,
  measured: `${micros(large.idle).toFixed(1)} us a step, ${large.idle.steps} steps, ${speed(large.idle)}`,
  against: `${barrier.toFixed(2)} us a bare turn`,
});
const beats = 2 * LARGE.nodes * (IDLE_MS / (10.2 * SECOND_MS));
reportRatio({
  name: 'idle-steps-a-beat',
  ratio: large.idle.steps / beats,
  measured: `${large.idle.steps} steps in ten idle minutes`,
  against: `${Math.round(beats)} beats of leases and statuses`,
});
reportRatio({
  name: 'node-growth',
  ratio: perNodeMs(large.outage, LARGE.nodes) / perNodeMs(small.outage, SMALL.nodes),
  measured: `${perNodeMs(large.outage, LARGE.nodes).toFixed(2)} ms a node and outage of ${LARGE.nodes}`,
  against: `${perNodeMs(small.outage, SMALL.nodes).toFixed(2)} ms of ${SMALL.nodes}`,
});
