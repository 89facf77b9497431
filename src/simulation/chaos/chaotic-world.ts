// An embedded world whose seams are in the hands of faults, and the component that takes them from the API.
import type { User } from '../../apiserver/authorization.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { CustomResourceDefinitions } from '../../kube/resources/custom-resource-definition.ts';
import { EmbeddedWorld, type EmbeddedWorldOptions } from '../../worlds/embedded.ts';
import type { Cast } from '../cast.ts';
import { stageOf } from '../fault-stage.ts';
import { ActiveFaults } from '../faults/active-faults.ts';
import { chaos } from './chaos.ts';
import { FAULT_DEFINITION, faultDefinition } from './fault-definition.ts';

export interface ChaoticWorld {
  readonly world: EmbeddedWorld;
  readonly faults: ActiveFaults;
  /** Defines the kind Fault, of which the world must have started. */
  readonly startChaos: (user: User) => Promise<void>;
}

export function chaoticWorld(options: EmbeddedWorldOptions): ChaoticWorld {
  const faults: ActiveFaults = new ActiveFaults({
    stage: () => stageOf(world),
    random: options.random.fork('faults'),
  });
  const world: EmbeddedWorld = new EmbeddedWorld({
    ...options,
    aroundDriver: faults.aroundDriver,
    wrapAccess: (access) => faults.wrapAccess(access),
    wrapClock: (clock, component, node) =>
      faults.clockOf(options.wrapClock?.(clock, component, node) ?? clock, component, node),
    aroundMounterOf: (node) => faults.aroundMounter(node),
  });
  const startChaos = async (user: User): Promise<void> => {
    const { nodes, drivers } = options.shape;
    const cast: Cast = {
      // Where the kubelet is not ours there is nothing to break.
      nodes: nodes.map(({ name }) => name).filter((name) => world.componentsOn(name).length > 0),
      drivers: drivers.map(({ driver }) => driver.name),
      // The name of a program stands for all of its components.
      components: [...world.components, ...world.programs],
      programs: world.programs,
    };
    await define(world.asSetup(), cast);
    world.runBeside(chaos({ faults, cast }), user);
  };
  return { world, faults, startChaos };
}

/** A cluster may have been made by another version, or with other nodes. */
async function define(cluster: Cluster, cast: Cast): Promise<void> {
  try {
    await cluster.create(CustomResourceDefinitions, faultDefinition(cast));
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const known = await cluster.get(CustomResourceDefinitions, FAULT_DEFINITION);
    await cluster.update(CustomResourceDefinitions, { ...known, spec: faultDefinition(cast).spec });
  }
}
