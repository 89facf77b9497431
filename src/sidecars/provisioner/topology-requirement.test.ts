import { expect, test } from 'vitest';
import type { StringMap } from '../../csi/driver.ts';
import { fnv1, preferredOffset } from './preferred-offset.ts';
import { type TopologyDecision, type TopologyFacts, decideTopology } from './topology-requirement.ts';
import { flatten } from './topology-term.ts';

const NODES: Readonly<Record<string, StringMap>> = {
  n1: { zone: 'zone1', rack: 'a' },
  n2: { zone: 'zone2', rack: 'a' },
  n3: { zone: 'zone3', rack: 'b' },
  bare: {},
};
const facts = (changes: Partial<TopologyFacts> = {}): TopologyFacts => ({
  claimName: 'testpvc',
  allowedTopologies: [],
  selectedNode: '',
  strict: false,
  immediate: true,
  cluster: {
    keysOnNode: (name) =>
      name === 'unregistered' ? [] : Object.hasOwn(NODES, name) || name === 'nodeless' ? ['zone'] : undefined,
    keysAnywhere: () => ['zone'],
    labelsOfNode: (name) => NODES[name],
    allLabels: () => Object.values(NODES),
  },
  memory: {},
  ...changes,
});
/** Requisite and preferred by value, or what went wrong. */
function shown(decision: TopologyDecision): string {
  if (decision.type === 'anywhere') return 'anywhere';
  if (decision.type !== 'require') return `${decision.type}: ${decision.message}`;
  const values = (list: readonly { readonly segments: StringMap }[]) =>
    list.map(({ segments }) => Object.values(segments).join('/')).join(' ');
  return `${values(decision.requirement.requisite)} | ${values(decision.requirement.preferred)}`;
}
const decide = (changes: Partial<TopologyFacts>) => shown(decideTopology(facts(changes)));
const allow = (...values: readonly string[]) => [{ matchLabelExpressions: [{ key: 'zone', values }] }];

test.each([
  ['web', 1_181_096_325],
  ['testset', 1_633_848_515],
  ['testpvc', 1_684_622_678],
])('FNV-1 of %s -> %d', (text, hash) => {
  expect(fnv1(text)).toBe(hash);
});

test.each([
  ['data-web-0', 'zone1'],
  ['data-web-1', 'zone2'],
  ['data-web-2', 'zone3'],
  ['logs-web-1', 'zone2'],
  ['testpvc', 'zone3'],
])('P-PROV-10 T81 Immediate, three zones: %s -> starts at %s', (claimName, zone) => {
  expect(decide({ claimName })).toMatch(new RegExp(`^zone1 zone2 zone3 \\| ${zone}`));
});

test.each([
  ['name-4294967295', fnv1('name') + 4_294_967_295],
  ['name-4294967296', fnv1('name-4294967296')],
  ['name-01', fnv1('name') + 1],
  ['a-b-c', fnv1('a-b-c')],
  ['7', fnv1('7')],
])('preferredOffset: %s', (claimName, sum) => {
  expect(preferredOffset(claimName)).toBe(sum % 2 ** 32);
});

test.each<[string, Partial<TopologyFacts>, string]>([
  ['T82 node in zone2 -> every zone, zone2 first', { selectedNode: 'n2' }, 'zone1 zone2 zone3 | zone2 zone3 zone1'],
  ['T82 strict -> zone2 alone', { selectedNode: 'n2', strict: true }, 'zone2 | zone2'],
  [
    'allowed topologies -> those, from the node',
    { selectedNode: 'n3', allowedTopologies: allow('zone3', 'zone1') },
    'zone1 zone3 | zone3 zone1',
  ],
  [
    'node outside of them -> wrong',
    { selectedNode: 'n2', allowedTopologies: allow('zone1') },
    'wrong: topology [{zone zone2}] from selected node "n2" is not in requisite: [[{zone zone1}]]',
  ],
  [
    'strict and outside -> wrong',
    { selectedNode: 'n2', strict: true, allowedTopologies: allow('zone1') },
    `wrong: selected node '"n2"' topology '[{zone zone2}]' is not in allowed topologies: [[{zone zone1}]]`,
  ],
  [
    'T79 node without CSINode -> reschedule',
    { selectedNode: 'gone' },
    'reschedule: failed to get selected CSINode gone: csinode.storage.k8s.io "gone" not found',
  ],
  [
    'driver not registered there -> wrong',
    { selectedNode: 'unregistered' },
    'wrong: no topology key found for node unregistered',
  ],
  [
    'CSINode without Node -> wrong',
    { selectedNode: 'nodeless' },
    'wrong: topology labels from selected node map[] does not match topology keys from CSINode [zone]',
  ],
  [
    'node without the label -> wrong',
    { selectedNode: 'bare' },
    'wrong: topology labels from selected node map[] does not match topology keys from CSINode [zone]',
  ],
  [
    'Immediate, allowed topologies, doubled',
    { allowedTopologies: [...allow('zone1'), ...allow('zone1')] },
    'zone1 | zone1',
  ],
  ['Immediate, immediate-topology off -> anywhere', { immediate: false }, 'anywhere'],
  ['off, but topologies are allowed', { immediate: false, allowedTopologies: allow('zone1') }, 'zone1 | zone1'],
  ['allowed topologies that are empty -> anywhere', { allowedTopologies: [{}] }, 'anywhere'],
])('P-PROV-10 decideTopology: %s', (_name, changes, expected) => {
  expect(decide(changes)).toBe(expected);
});

test('P-PROV-10 no node registered -> wrong; registered but no label -> wrong', () => {
  const { cluster } = facts();
  expect(decide({ cluster: { ...cluster, keysAnywhere: () => [] } })).toBe('wrong: no available topology found');
  expect(decide({ cluster: { ...cluster, allLabels: () => [{}] } })).toBe(
    'wrong: topologyKeys [zone] were not found on any nodes',
  );
});

test('P-PROV-10 what was found out is repeated although the node is gone', () => {
  const first = decideTopology(facts({ selectedNode: 'n2' }));
  const { cluster } = facts();
  const empty = { ...cluster, keysOnNode: () => undefined, labelsOfNode: () => undefined, allLabels: () => [] };
  const second = decideTopology(facts({ selectedNode: 'n2', cluster: empty, memory: first.memory }));
  expect(shown(second)).toBe(shown(first));
});

test('flatten: an AND of ORs -> the cross product, each place sorted by key', () => {
  const zone = { key: 'zone', values: ['z1', 'z2'] };
  const rack = { key: 'rack', values: ['a', 'b'] };
  const places = flatten([
    { matchLabelExpressions: [zone, rack] },
    { matchLabelExpressions: [{ key: 'zone', values: ['z9'] }] },
  ]);
  expect(places.map((term) => term.map(({ value }) => value).join('/'))).toEqual([
    'a/z1',
    'a/z2',
    'b/z1',
    'b/z2',
    'z9',
  ]);
});
