import { describe, expect, it } from 'vitest';
import { Pods } from '../kube/resources/pod.ts';
import { KubeletBench } from '../../test/kubelet/kubelet-bench.ts';

const MINUTES = 15;

async function fired(nodes: number, pods: number): Promise<number> {
  const bench = new KubeletBench();
  for (let index = 0; index < nodes; index++) {
    bench.addNode(`n${index}`, { settings: { volumeStatsAggPeriodMs: 0 } });
    bench.start(`n${index}`);
  }
  for (let index = 0; index < pods; index++) {
    await bench.cluster.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${index}`, namespace: 'default' },
      spec: { nodeName: `n${index % nodes}`, containers: [{ name: 'c', image: 'i' }] },
    });
  }
  await bench.advanceTo(10 * 60);
  const before = bench.clock.fired;
  await bench.advanceTo((10 + MINUTES) * 60);
  return (bench.clock.fired - before) / nodes / MINUTES;
}

describe('an idle kubelet', () => {
  it('P-KL-12 no pods -> two beats every ten seconds and hardly anything else', async () => {
    const perMinute = await fired(3, 0);
    expect(perMinute).toBeGreaterThan(11);
    expect(perMinute).toBeLessThan(13);
  });

  it('P-KL-12 a running pod -> one sync in sixty to ninety seconds more', async () => {
    const perMinute = (await fired(3, 3)) - (await fired(3, 0));
    expect(perMinute).toBeGreaterThan(0.5);
    expect(perMinute).toBeLessThan(4);
  });

  it('P-KL-12 idle nodes -> nothing that a world would stay awake for', async () => {
    const bench = new KubeletBench();
    for (const name of ['n1', 'n2']) {
      bench.addNode(name);
      bench.start(name);
    }
    await bench.advanceTo(60);
    expect(bench.clock.foregroundTimers).toBe(0);
  });
});
