import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Cast } from '../cast.ts';
import type { Fault } from '../faults/fault.ts';
import { FIELDS, OPTIONAL, TYPES } from '../faults/fault-fields.ts';
import { type FaultSpec, readFaultSpec, targetOf } from './fault-object.ts';

const CAST: Cast = {
  nodes: ['node-a'],
  drivers: ['disk'],
  components: ['kubelet/node-a', 'kube-scheduler'],
  programs: ['kube-scheduler'],
};
const WORDS: Readonly<Record<string, unknown>> = {
  node: 'node-a',
  from: 'both',
  by: '5s',
  driver: 'disk',
  call: 'NodeStageVolume',
  code: 'INTERNAL',
  probability: 0.5,
  afterEffect: true,
  actor: 'kubelet/node-a',
  reason: 'Conflict',
  component: 'kube-scheduler',
  program: 'kube-scheduler',
};

const READ: readonly (readonly [FaultSpec, Fault, number | undefined, string])[] = [
  [{ type: 'node-crash', node: 'node-a' }, { type: 'node-crash', node: 'node-a' }, undefined, 'node-a'],
  [
    { type: 'partition', node: 'node-a', from: 'both', duration: '1m30s' },
    { type: 'partition', node: 'node-a', from: 'both' },
    90 * SECOND_MS,
    'node-a from api and storage',
  ],
  [
    { type: 'csi', call: 'CreateVolume', code: 'UNAVAILABLE', driver: 'disk' },
    { type: 'csi', call: 'CreateVolume', code: 'UNAVAILABLE', driver: 'disk', probability: 1, afterEffect: false },
    undefined,
    'CreateVolume of disk',
  ],
  [
    { type: 'clock-step', node: 'node-a', by: '-2m' },
    { type: 'clock-step', node: 'node-a', byMs: -2 * MINUTE_MS },
    undefined,
    'node-a',
  ],
  [
    { type: 'component-restart', component: 'kube-scheduler' },
    { type: 'component-restart', component: 'kube-scheduler' },
    0,
    'kube-scheduler',
  ],
  [
    { type: 'leader-change', program: 'kube-scheduler' },
    { type: 'leader-change', program: 'kube-scheduler' },
    17 * SECOND_MS,
    'kube-scheduler',
  ],
];

const WRONG: readonly (readonly [FaultSpec, string])[] = [
  [{ type: 'node-crash', node: 'node-b' }, 'the cluster has no node "node-b", did you mean "node-a"?'],
  [{ type: 'node-crsh', node: 'node-a' }, 'unknown fault "node-crsh", did you mean "node-crash"?'],
  [{ type: 'node-crash' }, 'a node-crash fault needs "node"'],
  [{ type: 'node-crash', node: 'node-a', duration: '5' }, 'a duration is written like 90s or 1m30s, not "5"'],
  [{ type: 'node-crash', node: 'node-a', duration: '-5s' }, 'a duration is written like 90s or 1m30s, not "-5s"'],
];

describe('the spec of a Fault', () => {
  test.each(READ)('%j -> read', (spec, fault, lastsMs, target) => {
    expect(readFaultSpec(spec, CAST)).toEqual({ type: 'fault', fault, lastsMs });
    expect(targetOf(fault)).toBe(target);
  });

  test.each(WRONG)('%j -> wrong, in one sentence', (spec, message) => {
    expect(readFaultSpec(spec, CAST)).toEqual({ type: 'wrong', message });
  });

  test.each(TYPES)('P-CHAOS-6 %s -> can be said, with its fields and without the optional ones', (type) => {
    for (const fields of [FIELDS[type], FIELDS[type].filter((field) => !OPTIONAL.has(field))]) {
      const spec = Object.fromEntries(fields.map((field) => [field, WORDS[field]]));
      expect(readFaultSpec({ type, ...spec }, CAST)).toMatchObject({ type: 'fault', fault: { type } });
    }
  });
});
