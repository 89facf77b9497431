import { expect, it } from 'vitest';
import { aVolume } from './makers.ts';
import { nodeAffinityAdmits } from './node-affinity.ts';

const NODE = { metadata: { name: 'n1', labels: { zone: 'z1' } } };
const inZone = (zone: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
});

it.each([
  ['no affinity -> everywhere', {}, true],
  ['affinity without a selector -> everywhere', { nodeAffinity: {} }, true],
  ['a term holds -> reachable', { nodeAffinity: inZone('z1') }, true],
  ['no term holds -> out of reach', { nodeAffinity: inZone('z2') }, false],
  ['no terms -> out of reach', { nodeAffinity: { required: { nodeSelectorTerms: [] } } }, false],
])('P-VOL-2 nodeAffinityAdmits: %s', (_name, spec, admits) => {
  expect(nodeAffinityAdmits(aVolume({ spec }), NODE)).toBe(admits);
});
