import { describe, expect, test } from 'vitest';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { decideGoing, hasEnded, surplus } from './decide-garbage.ts';

type NodeFacts = Pick<Node, 'spec' | 'status'>;
const node = (ready: string | undefined, ...effects: readonly string[]): NodeFacts =>
  ({
    spec: { taints: effects.map((effect) => ({ key: 'node.kubernetes.io/out-of-service', effect })) },
    status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
  }) as unknown as NodeFacts;
const pod = (name: string, created: string, phase: string, reason?: string): Pod =>
  ({
    metadata: { name, namespace: 'default', creationTimestamp: created },
    status: { phase, reason },
  }) as unknown as Pod;

describe('decideGoing', () => {
  test.each([
    ['PG-02 w0 not ready, out of service      -> removed', 'w', node('False', 'NoExecute'), 'out-of-service'],
    ['PG-02 w1 not ready                      -> left', 'w', node('False'), undefined],
    ['PG-02 w2 ready                          -> left', 'w', node('True'), undefined],
    ['PG-02 w3 with effect NoSchedule         -> removed', 'w', node('Unknown', 'NoSchedule'), 'out-of-service'],
    ['PG-02 w4 with effect PreferNoSchedule   -> removed', 'w', node('False', 'PreferNoSchedule'), 'out-of-service'],
    ['out of service, but ready               -> left', 'w', node('True', 'NoExecute'), undefined],
    ['out of service, never said anything     -> removed', 'w', node(undefined, 'NoExecute'), 'out-of-service'],
    ['its node is not known                   -> left to the quarantine', 'w', undefined, undefined],
    ['it never had a node                     -> removed', '', undefined, 'unscheduled'],
  ])('P-PGC-1 %s', (_, nodeName, found, why) => {
    expect(decideGoing({ nodeName, node: found })).toBe(why);
  });
});

describe('ended pods', () => {
  test.each([
    ['Pending', false],
    ['Running', false],
    ['Unknown', false],
    ['Succeeded', true],
    ['Failed', true],
    ['', true],
  ])('phase %j -> ended: %s', (phase, ended) => {
    expect(hasEnded(pod('p', '', phase))).toBe(ended);
  });

  const pods = [
    pod('new', '3', 'Failed'),
    pod('b', '1', 'Succeeded'),
    pod('a', '1', 'Failed'),
    pod('evicted', '9', 'Failed', 'Evicted'),
  ];
  test.each([
    [4, []],
    [3, ['evicted']],
    [1, ['evicted', 'a', 'b']],
    [0, []],
    [-1, []],
  ])('P-PGC-4 four ended, %i may stay -> %j go: evicted first, then the oldest, then by name', (threshold, names) => {
    expect(surplus(pods, threshold).map(({ metadata }) => metadata.name)).toEqual(names);
  });
});
