import { describe, expect, test } from 'vitest';
import type { ClusterShape } from '../worlds/cluster-shape.ts';
import { embeddedShape } from '../worlds/embedded-shape.ts';
import { addedTo, decideShape, parsedShape } from './kept-cluster.ts';

const KEPT = embeddedShape({ nodes: 3, zones: 2 });
const STORAGE = KEPT.drivers[0] ?? expect.fail('it has a driver');
const more: ClusterShape = embeddedShape({ nodes: 4, zones: 2 });

describe('decideShape', () => {
  test('a new cluster -> three nodes in two zones, or what was asked for', () => {
    expect(decideShape(undefined, {})).toEqual(KEPT);
    expect(decideShape(undefined, { nodes: 1 })).toEqual(embeddedShape({ nodes: 1, zones: 1 }));
    expect(decideShape(undefined, { nodes: 1, zones: 2 })).toBe('2 zones need as many nodes, not 1');
    expect(decideShape(undefined, { shape: more, profile: '1.30' })).toEqual({ ...more, profile: '1.30' });
  });

  test('P-UP-9 a cluster that exists -> goes on as it is; another size is refused', () => {
    expect(decideShape(KEPT, {})).toBe(KEPT);
    expect(decideShape(KEPT, { nodes: 3 })).toBe(KEPT);
    expect(decideShape(KEPT, { nodes: 4 })).toContain('has 3 nodes in 2 zones and keeps them');
  });

  const slow = { ...STORAGE, latencyMs: { default: 5 } };
  const [first, ...others] = KEPT.nodes;
  const moved = { ...(first ?? expect.fail('it has nodes')), zone: 'zone-2' };
  test.each<[string, ClusterShape]>([
    ['settings', { ...KEPT, settings: { 'pvclaimbinder-sync-period': '1s' } }],
    ['components', { ...KEPT, components: { 'kube-scheduler': false } }],
    ['the version', { ...KEPT, profile: '1.30' }],
    ['how long calls take', { ...KEPT, drivers: [slow] }],
    ['a node more, in the same zones', { ...KEPT, nodes: [...KEPT.nodes, { name: 'node-d', zone: 'zone-2' }] }],
    ['a class more', { ...KEPT, classes: [...KEPT.classes, { name: 'slow', provisioner: 'd' }] }],
  ])('P-UP-9 a file that changes %s -> taken', (_, shape) => {
    expect(decideShape(KEPT, { shape })).toBe(shape);
  });

  test.each<[string, ClusterShape, string]>([
    ['without a node', { ...KEPT, nodes: others }, 'has node "node-a", the file has not'],
    ['with a node elsewhere', { ...KEPT, nodes: [moved, ...others] }, 'has node "node-a" otherwise'],
    ['without a class', { ...KEPT, classes: [] }, 'has class "standard", the file has not'],
    [
      'with another driver',
      { ...KEPT, drivers: [{ ...STORAGE, attachRequired: false }] },
      'has driver "disk.mooring.dev" otherwise',
    ],
  ])('P-UP-9 a file %s -> refused in a sentence', (_, shape, expected) => {
    expect(decideShape(KEPT, { shape })).toContain(expected);
  });

  test('P-UP-9 a driver by zone and a node more -> the places of the old nodes are compared, not those of the new one', () => {
    const wide = embeddedShape({ nodes: 4, zones: 1 });
    expect(decideShape(embeddedShape({ nodes: 3, zones: 1 }), { shape: wide })).toBe(wide);
  });
});

test('P-UP-9 what a file adds -> is made, and what somebody deleted since does not come back', () => {
  const classes = [...KEPT.classes, { name: 'slow', provisioner: 'd' }];
  const added = addedTo(KEPT, { ...KEPT, classes });
  expect([added.drivers, added.classes]).toEqual([[], [{ name: 'slow', provisioner: 'd' }]]);
  expect(addedTo(undefined, KEPT)).toBe(KEPT);
});

test.each([
  ['the size alone, as first versions kept it', '{"nodes":3,"zones":2}', KEPT],
  ['a shape', JSON.stringify({ format: 2, shape: KEPT }), KEPT],
  ['a later format', '{"format":3}', 'newer'],
  ['half a file', '{"format":2,"shape":{"nodes":[]', 'damaged'],
  ['something else', '{"format":2,"shape":{}}', 'damaged'],
])('P-UP-9 a data directory that keeps %s -> read or refused', (_, text, expected) => {
  expect(parsedShape(text)).toEqual(expected);
});
