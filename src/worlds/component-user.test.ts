import { describe, expect, test } from 'vitest';
import { CONTROLLER_ROLES } from '../apiserver/rbac/controller-roles.ts';
import type { Placed } from './components.ts';
import { componentsOf } from './components.ts';
import { userOf } from './component-user.ts';
import { embeddedShape } from './embedded-shape.ts';
import { Settings } from './settings.ts';
import { SimulatedMachines } from './simulated-nodes.ts';
import { MemoryRuntime } from '../kubelet/podworkers/memory-runtime.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { SeededRandom } from '../base/random.ts';

const ACCOUNT = 'system:serviceaccount:kube-system:';

const runtime = new MemoryRuntime({ clock: new SteppedClock(0), random: new SeededRandom(1) });
const all = componentsOf(embeddedShape({ nodes: 1, zones: 1 }), new Settings({}), {
  drivers: [],
  machines: new SimulatedMachines(),
  runtimeOf: () => runtime,
  rootCa: 'PEM',
});
const named = (name: string, program: Placed['program']): Placed => ({ component: { name, start: () => {} }, program });

describe('userOf', () => {
  test('P-UP-6 every controller -> an account for which upstream has a role', () => {
    const controllers = all.filter(({ program }) => program === 'kube-controller-manager');
    const accounts = controllers.map((placed) => userOf(placed).name.slice(ACCOUNT.length));
    expect(accounts.filter((account) => !(account in CONTROLLER_ROLES))).toEqual([]);
    expect(accounts.length).toBeGreaterThan(15);
  });

  test('P-UP-6 scheduler, sidecar, kubelet -> its own user, authenticated', () => {
    const placed = [
      named('default-scheduler', 'kube-scheduler'),
      named('csi-attacher/d', 'csi-attacher'),
      { ...named('kubelet/node-a', 'kubelet'), node: 'node-a' },
    ];
    expect(placed.map(userOf)).toEqual([
      { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
      {
        name: `${ACCOUNT}csi-attacher`,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      },
      { name: 'system:node:node-a', groups: ['system:nodes', 'system:authenticated'] },
    ]);
  });
});
