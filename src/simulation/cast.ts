// Who can be named in a story: what its cluster is made of.
import type { ClusterShape } from '../worlds/cluster-shape.ts';
import type { Program } from '../worlds/settings.ts';
import { SimulatedWorld } from '../worlds/simulated.ts';

export interface Cast {
  readonly nodes: readonly string[];
  readonly drivers: readonly string[];
  readonly components: readonly string[];
  readonly programs: readonly Program[];
}

/** The same components that a run of this shape starts. */
export function castOf(shape: ClusterShape): Cast {
  const world = new SimulatedWorld({ shape, seed: 0 });
  return {
    nodes: shape.nodes.map(({ name }) => name),
    drivers: shape.drivers.map(({ driver }) => driver.name),
    components: world.components,
    programs: world.programs,
  };
}
