import { describe, expect, test } from 'vitest';
import type { ClusterShape } from './cluster-shape.ts';
import { isOn } from './component-switches.ts';
import { controllerNames } from './components.ts';
import { DEFAULT_PROFILE } from './profiles.ts';
import { SimulatedWorld } from './simulated.ts';

const binder = { program: 'kube-controller-manager', part: 'persistentvolume-binder-controller' } as const;
const attacher = { program: 'csi-attacher', part: 'disk.mooring.dev' } as const;

describe('component switches', () => {
  test.each([
    ['nothing said', binder, {}, true],
    ['the whole program off', binder, { 'kube-controller-manager': false }, false],
    ['one controller off', binder, { 'persistentvolume-binder-controller': false }, false],
    ['another controller off', binder, { 'statefulset-controller': false }, true],
    [
      'the program off but this controller on',
      binder,
      { 'kube-controller-manager': false, 'persistentvolume-binder-controller': true },
      true,
    ],
    ['every attacher off', attacher, { 'csi-attacher': false }, false],
    ['the attacher of this driver off', attacher, { 'csi-attacher': { 'disk.mooring.dev': false } }, false],
    ['the attacher of another driver off', attacher, { 'csi-attacher': { other: false } }, true],
  ] as const)('P-UP-10 %s -> on or off', (_, component, switches, expected) => {
    expect(isOn(component, switches)).toBe(expected);
  });

  test('P-UP-10 controllers of ours -> known by the names of --controllers', () => {
    expect(controllerNames()).toContain('persistentvolume-binder-controller');
    expect(controllerNames()).toContain('persistentvolume-attach-detach-controller');
    expect(controllerNames()).toContain('serviceaccount-controller');
    expect(controllerNames().every((name) => name.endsWith('-controller'))).toBe(true);
  });

  test('P-UP-10 parts of a cluster off -> they are not there, the rest is', () => {
    const shape: ClusterShape = {
      profile: DEFAULT_PROFILE,
      nodes: [{ name: 'a' }, { name: 'b' }],
      drivers: [{ driver: { name: 'd' } }],
      classes: [],
      settings: {},
      components: {
        'kube-scheduler': false,
        'statefulset-controller': false,
        kubelet: { b: false },
        'csi-resizer': false,
      },
    };
    const all = new SimulatedWorld({ shape: { ...shape, components: {} }, seed: 1 }).components;
    const some = new SimulatedWorld({ shape, seed: 1 }).components;
    expect(all.filter((name) => !some.includes(name))).toHaveLength(4);
    expect(some.filter((name) => !all.includes(name))).toEqual([]);
  });
});
