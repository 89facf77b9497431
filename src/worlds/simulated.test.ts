import { describe, expect, test } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { SECOND_MS } from '../base/clock.ts';
import { type Node, Nodes } from '../kube/resources/node.ts';
import { plainNodes } from './cluster-shape.ts';
import { DEFAULT_PROFILE } from './profiles.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from './simulated.ts';

const shape = { profile: DEFAULT_PROFILE, nodes: plainNodes(3, 2), drivers: [], classes: [], settings: {} };
const startedAt = SIMULATION_STARTS_AT;

async function world(): Promise<SimulatedWorld> {
  const made = new SimulatedWorld({ shape, seed: 1 });
  made.start();
  await made.advanceTo(startedAt + 10 * SECOND_MS);
  return made;
}

describe('a simulated world', () => {
  test('that has come up -> its nodes are registered, ready and in their zones', async () => {
    const run = await world();
    const { items } = await run.until(run.as('test').list(Nodes), SECOND_MS);
    const told = items.map((node) => [
      node.metadata.name,
      node.metadata.labels?.['topology.kubernetes.io/zone'],
      readiness(node),
    ]);
    expect(told).toEqual([
      ['node-a', 'zone-1', 'True'],
      ['node-b', 'zone-1', 'True'],
      ['node-c', 'zone-2', 'True'],
    ]);
  });

  test('in which somebody creates a Node -> no agent adopts it', async () => {
    const run = await world();
    await run.until(
      run.as('test').create(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'foreign' } }),
      SECOND_MS,
    );
    await run.advanceTo(startedAt + 120 * SECOND_MS);
    const foreign = await run.until(run.as('test').get(Nodes, 'foreign'), SECOND_MS);
    expect(readiness(foreign)).toBe('Unknown');
    expect(foreign.metadata.annotations?.['mooring.dev/node-agent']).toBeUndefined();
  });

  test('P-WORLD-4 with a component that breaks a promise of its own -> the run ends with it', async () => {
    const run = await world();
    run.logOf('some-component').write('error', 'it failed', { error: new AssertionFailure('two and two are four') });
    await expect(run.advanceTo(startedAt + 20 * SECOND_MS)).rejects.toThrow('two and two are four');
  });

  test('asked for a component that is not there -> a sentence that names those that are', async () => {
    const run = await world();
    expect(() => run.kill('nobody')).toThrow(/no component nobody; there are persistentvolume-controller/);
  });
});

const readiness = (node: Node): string => node.status.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
