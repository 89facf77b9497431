import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { serviceUnavailable } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type Lease, Leases } from '../kube/resources/lease.ts';
import { LeaderElector } from './lease.ts';
import type { Recorder } from './recorder.ts';
import { testContext } from '../../test/runtime/test-context.ts';

function setUp() {
  const context = testContext();
  const wait = (ms: number) => context.clock.advanceTo(context.clock.now() + ms);
  const lease = () => context.cluster.contentOf(Leases).get('kube-system/attacher') as Lease | undefined;
  const told: string[] = [];
  const leaders = new Set<string>();
  const candidate = (identity: string, releaseOnCancel = false, cluster: Cluster = context.cluster) => {
    const stop = new AbortController();
    const elector = new LeaderElector({
      ...context,
      cluster,
      namespace: 'kube-system',
      name: 'attacher',
      identity,
      releaseOnCancel,
    });
    const say = (what: string) => told.push(`${Math.floor(context.clock.monotonic() / SECOND_MS)} ${identity} ${what}`);
    void elector.run(stop.signal, {
      onStarted: (signal) => {
        leaders.add(identity);
        expect(leaders.size).toBe(1);
        signal.addEventListener('abort', () => leaders.delete(identity), { once: true });
        say('leads');
      },
      onStopped: () => void say('stopped'),
      onNewLeader: (leader) => void say(`follows ${leader}`),
    });
    return { elector, stop };
  };
  return { ...context, wait, lease, told, candidate };
}

describe('LeaderElector', () => {
  it('P-RT-31 nobody leads -> leads at once, renews every 2 s on background timers', async () => {
    const { candidate, wait, lease, told, clock, cluster } = setUp();
    const { elector } = candidate('a');
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    expect(told).toEqual(['0 a follows a', '0 a leads']);
    await wait(60 * SECOND_MS);
    expect(elector.isLeader).toBe(true);
    expect(lease()?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    expect(cluster.calls.map((call) => call.verb).slice(0, 3)).toEqual(['create', 'update', 'update']);
  });

  it('P-RT-31 the leader dies -> another leads 15 s to 19.4 s after the last renewal, one transition more', async () => {
    const { candidate, wait, lease, told } = setUp();
    const first = candidate('a');
    await wait(SECOND_MS);
    candidate('b');
    await wait(30 * SECOND_MS);
    first.stop.abort();
    told.length = 0;
    const renewedAt = Date.parse(lease()?.spec.renewTime ?? '');
    await wait(25 * SECOND_MS);
    expect(lease()?.spec.holderIdentity).toBe('b');
    expect(lease()?.spec.leaseTransitions).toBe(1);
    const took = Date.parse(lease()?.spec.acquireTime ?? '') - renewedAt;
    expect(took).toBeGreaterThanOrEqual(15 * SECOND_MS);
    expect(took).toBeLessThanOrEqual(15 * SECOND_MS + 2 * 4.4 * SECOND_MS);
    expect(told.at(-1)).toMatch(/b leads$/);
  });

  it('P-RT-31 told to stop and to release -> another leads at its next try', async () => {
    const { candidate, wait, lease } = setUp();
    const first = candidate('a', true);
    await wait(SECOND_MS);
    candidate('b');
    await wait(10 * SECOND_MS);
    first.stop.abort();
    await wait(0);
    expect(lease()?.spec.holderIdentity).toBe('');
    expect(lease()?.spec.leaseDurationSeconds).toBe(1);
    await wait(4.4 * SECOND_MS + 1);
    expect(lease()?.spec.holderIdentity).toBe('b');
  });

  it.each([
    ['refuses', () => Promise.reject(serviceUnavailable('down'))],
    ['never answers', () => new Promise<never>(() => undefined)],
  ])(
    'P-RT-32 the server %s to the leader -> it stops within 10 s of a try, before another may lead',
    async (_name, answer) => {
      const { candidate, wait, told, cluster } = setUp();
      let cut = false;
      const view: Cluster = Object.assign(Object.create(cluster) as Cluster, {
        get: (...all: Parameters<typeof cluster.get>) => (cut ? answer() : cluster.get(...all)),
        create: (...all: Parameters<typeof cluster.create>) => cluster.create(...all),
        update: (...all: Parameters<typeof cluster.update>) => (cut ? answer() : cluster.update(...all)),
      });
      candidate('a', false, view);
      await wait(SECOND_MS);
      candidate('b');
      await wait(9 * SECOND_MS);
      cut = true;
      await wait(30 * SECOND_MS);
      const stoppedAt = Number(told.find((each) => each.endsWith('a stopped'))?.split(' ')[0]);
      const tookOverAt = Number(told.find((each) => each.endsWith('b leads'))?.split(' ')[0]);
      expect(stoppedAt).toBeLessThanOrEqual(22);
      expect(tookOverAt).toBeGreaterThan(stoppedAt);
    },
  );

  it('P-RT-31 stopped before it led -> told once that it stopped', async () => {
    const { candidate, wait, told } = setUp();
    candidate('a');
    await wait(0);
    const second = candidate('b');
    await wait(SECOND_MS);
    second.stop.abort();
    await wait(0);
    expect(told.filter((each) => each.includes(' b '))).toEqual(['0 b follows a', '1 b stopped']);
  });

  it('P-RT-34 a term begins and ends -> two Events about the Lease', async () => {
    const context = testContext();
    const said: string[] = [];
    const recorder: Recorder = {
      event: (about, type, reason, message) =>
        void said.push(`${type} ${reason} ${about.kind}/${about.metadata.name}: ${message}`),
      via: () => recorder,
    };
    const stop = new AbortController();
    const elector = new LeaderElector({
      ...context,
      namespace: 'kube-system',
      name: 'l',
      identity: 'host_1',
      recorder,
    });
    const run = elector.run(stop.signal, { onStarted: () => undefined, onStopped: () => undefined });
    await context.clock.advanceTo(context.clock.now() + SECOND_MS);
    stop.abort();
    await run;
    expect(said).toEqual([
      'Normal LeaderElection Lease/l: host_1 became leader',
      'Normal LeaderElection Lease/l: host_1 stopped leading',
    ]);
  });

  it('P-RT-32 times that leave no safety -> a bug', () => {
    const context = testContext();
    const times = { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
    const options = { ...context, namespace: 'n', name: 'l', identity: 'a', times };
    expect(() => new LeaderElector(options)).toThrow(AssertionFailure);
  });
});
