import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { MemoryRuntime } from './memory-runtime.ts';

const runtimeOf = (podSubnet?: number): MemoryRuntime => {
  const options = { clock: new SteppedClock(0), random: new SeededRandom(1) };
  return new MemoryRuntime(podSubnet === undefined ? options : { ...options, podSubnet });
};

const pod = (uid: string): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'ns', uid, resourceVersion: '1', creationTimestamp: '' },
    spec: { containers: [{ name: 'c' }] },
    status: {},
  }) as unknown as Pod;

async function addressOf(runtime: MemoryRuntime, uid: string): Promise<string | undefined> {
  await runtime.start(pod(uid), () => undefined);
  return runtime.pod(uid)?.podIP;
}

describe('the addresses of pods', () => {
  it('machines -> a subnet each, a thousand and more of them', async () => {
    const subnets = [undefined, 0, 1, 63, 64, 999];
    const addresses = await Promise.all(subnets.map((subnet) => addressOf(runtimeOf(subnet), 'a')));
    expect(addresses).toEqual(['10.88.0.2', '10.88.0.2', '10.88.4.2', '10.88.252.2', '10.89.0.2', '10.103.156.2']);
  });

  it('more pods in time than there are addresses -> no two at one time have the same', async () => {
    const runtime = runtimeOf(2);
    const kept = await addressOf(runtime, 'kept');
    const others = new Set<string | undefined>();
    for (let count = 0; count < 2100; count++) {
      others.add(await addressOf(runtime, 'other'));
      runtime.remove('other');
    }
    expect(kept).toBe('10.88.8.2');
    expect(others.has(kept)).toBe(false);
    expect(others.size).toBe(1015);
  });
});
