import type { SimulatedWorld } from '../worlds/simulated.ts';
import type { FaultStage } from './faults/active-faults.ts';

/** A simulated world as faults need it. */
export function stageOf(world: SimulatedWorld): FaultStage {
  return {
    clock: world.clock,
    revision: () => world.server.revision,
    kill: (process) => world.kill(process),
    revive: (process) => world.revive(process),
    dropWatches: (actor) => world.access.dropWatches(actor),
    nodeOf: (process) => world.nodeOf(process),
    processesOn: (node) => world.componentsOn(node),
    processesOf: (program) => world.componentsOf(program),
    loseMounts: (node) => world.loseMounts(node),
  };
}
