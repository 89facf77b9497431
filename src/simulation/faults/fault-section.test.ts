import { describe, expect, test } from 'vitest';
import { readStory } from '../story-file.ts';
import { FileFault } from '../yaml-reader.ts';
import type { Fault } from './fault.ts';

const story = (fault: string): ReturnType<typeof readStory> =>
  readStory(
    's.yaml',
    `name: s\nabout: a\ncluster:\n  nodes: 2\n  drivers: [{ name: d.example.com }]\nsteps:\n  - { at: 1s, fault: ${fault} }\n`,
  );

function faultOf(text: string): Fault | undefined {
  const [step] = story(text).steps;
  return step?.do === 'fault' ? step.fault : undefined;
}

function complaint(text: string): string {
  try {
    story(text);
  } catch (error) {
    if (error instanceof FileFault) return error.line;
    throw error;
  }
  return 'accepted';
}

describe('P-SIM-1 faults in a story file', () => {
  const rows: readonly (readonly [string, Fault])[] = [
    ['{ type: node-crash, node: node-a }', { type: 'node-crash', node: 'node-a' }],
    ['{ type: node-freeze, node: node-b }', { type: 'node-freeze', node: 'node-b' }],
    ['{ type: node-return, node: node-b }', { type: 'node-return', node: 'node-b' }],
    ['{ type: kubelet-restart, node: node-a }', { type: 'kubelet-restart', node: 'node-a' }],
    ['{ type: partition, node: node-a, from: storage }', { type: 'partition', node: 'node-a', from: 'storage' }],
    ['{ type: clock-step, node: node-a, by: -1h }', { type: 'clock-step', node: 'node-a', byMs: -3_600_000 }],
    ['{ type: disk-full, node: node-a }', { type: 'disk-full', node: 'node-a' }],
    ['{ type: device-busy, node: node-a }', { type: 'device-busy', node: 'node-a' }],
    [
      '{ type: csi, call: CreateVolume, code: INTERNAL, afterEffect: true }',
      { type: 'csi', call: 'CreateVolume', code: 'INTERNAL', probability: 1, afterEffect: true },
    ],
    [
      '{ type: csi-hang, driver: d.example.com, call: NodeStageVolume }',
      { type: 'csi-hang', driver: 'd.example.com', call: 'NodeStageVolume' },
    ],
    ['{ type: csi-slow, call: CreateVolume, by: 2s }', { type: 'csi-slow', call: 'CreateVolume', byMs: 2000 }],
    [
      '{ type: api-error, actor: attachdetach-controller, reason: Conflict, probability: 0.5 }',
      { type: 'api-error', actor: 'attachdetach-controller', reason: 'Conflict', probability: 0.5, afterEffect: false },
    ],
    [
      '{ type: api-latency, actor: default-scheduler, by: 1s }',
      { type: 'api-latency', actor: 'default-scheduler', byMs: 1000 },
    ],
    ['{ type: stale-reads, actor: kubelet/node-a }', { type: 'stale-reads', actor: 'kubelet/node-a' }],
    ['{ type: watch-drop, actor: kubelet/node-b }', { type: 'watch-drop', actor: 'kubelet/node-b' }],
    [
      '{ type: component-restart, component: default-scheduler }',
      { type: 'component-restart', component: 'default-scheduler' },
    ],
    [
      '{ type: component-crash, component: default-scheduler }',
      { type: 'component-crash', component: 'default-scheduler' },
    ],
    [
      '{ type: component-freeze, component: default-scheduler }',
      { type: 'component-freeze', component: 'default-scheduler' },
    ],
    [
      '{ type: leader-change, program: kube-controller-manager }',
      { type: 'leader-change', program: 'kube-controller-manager' },
    ],
  ];
  test.each(rows)('%s -> read', (text, expected) => {
    expect(faultOf(text)).toEqual(expected);
  });

  test.each([
    ['{ type: node-crash, node: node-c }', 's.yaml:7:48: the cluster has no node "node-c", did you mean "node-a"?'],
    [
      '{ type: component-restart, component: atachdetach-controller }',
      'the cluster has no component "atachdetach-controller", did you mean "attachdetach-controller"?',
    ],
    [
      '{ type: watch-drop, actor: kubelet/node-z }',
      'the cluster has no component "kubelet/node-z", did you mean "kubelet/node-a"?',
    ],
    [
      '{ type: csi-hang, call: CreateVolume, driver: other }',
      'the cluster has no driver "other"; known: d.example.com',
    ],
    ['{ type: partition, node: node-a, from: nowhere }', '"nowhere" is not known; known: api, storage, both'],
    ['{ type: partition, node: node-a }', 'a partition fault needs "from"'],
    ['{ type: clock-step, node: node-a, by: soon }', 'by must be a duration'],
    ['{ type: csi-slow, call: CreateVolume, by: -2s }', 'by must not be negative'],
    ['{ type: leader-change, program: etcd }', '"etcd" is not known'],
    ['{ type: disk-full, node: node-a, by: 1s }', 'unknown key "by" in a disk-full fault'],
    ['{ node: node-a }', 'a fault needs a type: node-crash, '],
  ])('%s -> one line', (text, expected) => {
    const line = complaint(text);
    expect(line).toContain(expected);
    expect(line).not.toContain('\n');
  });
});
