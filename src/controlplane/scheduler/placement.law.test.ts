import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { aNode, aWorkload } from '../../../test/scheduler/makers.ts';
import { type Placement, PlacementCache, alteredPlacement } from './placement.ts';

const podAt = (name: string, node: string, cpu: number): Pod =>
  aWorkload({ name, nodeName: node, claims: [`c${cpu % 2}`], requests: { cpu: `${cpu}m` } });

type Step =
  | { readonly do: 'set'; readonly pod: Pod }
  | { readonly do: 'assume' | 'forget' | 'remove'; readonly name: string; readonly node: string }
  | { readonly do: 'node' | 'lose'; readonly node: string };
const names = fc.constantFrom('a', 'b', 'c', 'd');
const nodes = fc.constantFrom('n1', 'n2');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('set' as const),
    pod: fc.tuple(names, nodes, fc.integer({ min: 1, max: 900 })).map((parts) => podAt(...parts)),
  }),
  fc.record({ do: fc.constantFrom('assume' as const, 'forget' as const, 'remove' as const), name: names, node: nodes }),
  fc.record({ do: fc.constantFrom('node' as const, 'lose' as const), node: nodes }),
);

const amountsIn = (amounts: ReadonlyMap<string, number>): readonly string[] =>
  [...amounts].flatMap(([name, amount]) => (amount === 0 ? [] : [`${name}=${amount}`])).toSorted();

/** All that can be asked, in a form that does not depend on history. Resources with nothing requested are left out. */
function picture(placement: Placement) {
  return {
    count: placement.nodeCount,
    nodes: [...placement.nodes()]
      .map((node) => ({
        name: node.name,
        pods: [...node.pods.keys()].toSorted(),
        claims: node.claimCount,
        requested: amountsIn(node.requested),
        assumed: amountsIn(node.assumedRequested),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    users: ['default/c0', 'default/c1'].map((claim) => placement.claimUsers(claim)),
    inNamespace: [...placement.podsIn('default')].map(keyOf).toSorted(),
  };
}

function apply(cache: PlacementCache, present: Map<string, Pod>, nodesNow: Set<string>, each: Step): void {
  switch (each.do) {
    case 'set':
      cache.setPod(each.pod);
      present.set(keyOf(each.pod), each.pod);
      return;
    case 'assume': {
      const key = `default/${each.name}`;
      if (present.has(key)) return;
      present.set(key, cache.assume(aWorkload({ name: each.name }), each.node));
      return;
    }
    case 'forget': {
      const key = `default/${each.name}`;
      if (cache.assumed(key) !== undefined) present.delete(key);
      cache.forget(key);
      return;
    }
    case 'remove':
      cache.removePod(`default/${each.name}`);
      present.delete(`default/${each.name}`);
      return;
    case 'node':
      cache.setNode(aNode({ name: each.node }));
      nodesNow.add(each.node);
      return;
    case 'lose':
      cache.removeNode(each.node);
      nodesNow.delete(each.node);
  }
}

function played(steps: readonly Step[]) {
  const cache = new PlacementCache();
  const present = new Map<string, Pod>();
  const nodesNow = new Set<string>();
  for (const each of steps) apply(cache, present, nodesNow, each);
  const anew = new PlacementCache();
  for (const node of nodesNow) anew.setNode(aNode({ name: node }));
  for (const pod of present.values()) anew.setPod(pod);
  return { cache, anew, present };
}

describe('P-SCH-5 PlacementCache', () => {
  it('any history of changes -> the same totals as counting anew', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { cache, anew } = played(steps);
        expect(picture(cache)).toEqual(picture(anew));
      }),
    );
  });

  it('imagining pods away and others there -> the same as if it were so', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(names), (steps, gone) => {
        const { anew, present } = played([...steps, { do: 'node', node: 'n1' }]);
        const without = [...present.values()].filter(
          (pod) => pod.spec.nodeName === 'n1' && gone.some((name) => name === pod.metadata.name),
        );
        const added = podAt('new', 'n1', 5);
        const imagined = picture(alteredPlacement(anew, { node: 'n1', without, with: [added] }));
        for (const pod of without) anew.removePod(keyOf(pod));
        anew.setPod(added);
        expect(imagined).toEqual(picture(anew));
      }),
    );
  });
});
