// A lost node and ten idle minutes in virtual time. The ceiling of a simulation is its number of timers times a bare turn of the
// event loop; and what a node costs must not depend on how many there are.
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { type Measured, OutageWorld, bareBarrierMs } from './outage-world.ts';

const SMALL = { nodes: 5, volumes: 50 };
const LARGE = { nodes: 20, volumes: 200 };
const IDLE_MS = 10 * MINUTE_MS;

interface Costs {
  readonly idle: Measured;
  readonly outage: Measured;
}

async function costsOf({ nodes, volumes }: { readonly nodes: number; readonly volumes: number }): Promise<Costs> {
  const world = new OutageWorld(nodes, volumes);
  await world.bringUp();
  const costs = { idle: await world.idle(IDLE_MS), outage: await world.outage(12 * MINUTE_MS) };
  world.dispose();
  return costs;
}

const micros = ({ realMs, steps }: Measured): number => (realMs * 1000) / steps;
const speed = ({ realMs, virtualMs }: Measured): string =>
  `${Math.round(virtualMs / realMs).toLocaleString('en')}x real time`;

const small = await costsOf(SMALL);
const large = await costsOf(LARGE);
const barrier = (await bareBarrierMs()) * 1000;
reportRatio({
  name: 'outage-step',
  ratio: micros(large.outage) / barrier,
  measured: `${micros(large.outage).toFixed(1)} us a step, ${large.outage.steps} steps, ${speed(large.outage)} (${LARGE.nodes} nodes, ${LARGE.volumes} volumes)`,
  against: `${barrier.toFixed(2)} us a bare turn`,
});
reportRatio({
  name: 'idle-step',
  ratio: micros(large.idle) / barrier,
  measured: `${micros(large.idle).toFixed(1)} us a step, ${large.idle.steps} steps (${(large.idle.steps / LARGE.nodes / (IDLE_MS / (10 * SECOND_MS))).toFixed(2)} a node and ten seconds), ${speed(large.idle)}`,
  against: `${barrier.toFixed(2)} us a bare turn`,
});
const perNode = ({ idle }: Costs, nodes: number): number => idle.realMs / nodes;
reportRatio({
  name: 'node-growth',
  ratio: perNode(large, LARGE.nodes) / perNode(small, SMALL.nodes),
  measured: `${perNode(large, LARGE.nodes).toFixed(2)} ms a node and ten idle minutes of ${LARGE.nodes}`,
  against: `${perNode(small, SMALL.nodes).toFixed(2)} ms of ${SMALL.nodes}`,
});
