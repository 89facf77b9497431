import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../base/clock.ts';
import { OutageWorld } from '../../test/perf/outage-world.ts';
import { StepCounts } from '../../test/perf/step-counts.ts';

const NODES = 3;

describe('an idle hour of a tickless world', () => {
  it('P-KL-14 running pods with volumes -> kubelets do nothing but beat', async () => {
    const counts = new StepCounts();
    const world = new OutageWorld(NODES, 2 * NODES, counts);
    await world.bringUp();
    await world.idle(HOUR_MS / 12);
    counts.take();
    await world.idle(HOUR_MS);
    const all = counts.take();
    world.dispose();
    const watches = / watch /;
    const ofKubelets = [...all.keys()].filter((what) => what.startsWith('kubelet ') && !watches.test(what));
    expect(ofKubelets).toEqual(['kubelet patch nodes', 'kubelet timer', 'kubelet update leases']);
    const [timers = 0, leases = 0] = [all.get('kubelet timer'), all.get('kubelet update leases')];
    // A lease and a status every ten seconds and a little; a status is written every five minutes, and then looked at.
    expect(leases / NODES).toBeGreaterThan(HOUR_MS / 10_400 - 1);
    expect(Math.abs(timers - 2 * leases)).toBeLessThan(0.05 * timers);
    expect(all.get('kubelet patch nodes')).toBeLessThan(NODES * 14);
    // What the control plane looks at by time is of the cluster, not of its nodes.
    const ofOthers = [...all].filter(([what]) => what.endsWith(' timer') && !what.startsWith('kubelet '));
    expect(ofOthers.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan(1000);
  });
});
