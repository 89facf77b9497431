import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, MINUTE_MS, SECOND_MS, sleepOn } from '../base/clock.ts';
import { serviceUnavailable } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type Lease, Leases } from '../kube/resources/lease.ts';
import { leadWhileElected } from './leader-election.ts';
import { testContext } from '../../test/runtime/test-context.ts';

type Network = 'good' | 'lost' | 'deaf' | 'slow';
interface Candidate {
  /** How fast its clock runs beside the server's. */
  readonly rate: number;
  /** Its wall clock is off by this much. */
  readonly offMs: number;
  /** What its network is like in one five seconds after the other. */
  readonly network: readonly Network[];
  /** When it is stopped for good, in seconds. */
  readonly endsAt: number;
}

const EPOCH_MS = 5 * SECOND_MS;
const RUN_MS = 3 * MINUTE_MS;

const candidate: fc.Arbitrary<Candidate> = fc.record({
  // The lease outlasts what a leader allows itself by a quarter; upstream's deadline and lease tolerate as much.
  rate: fc.double({ min: 1, max: 1.2, noNaN: true }),
  offMs: fc.integer({ min: -10 * MINUTE_MS, max: 10 * MINUTE_MS }),
  network: fc.array(fc.constantFrom<Network>('good', 'good', 'lost', 'deaf', 'slow', 'slow'), {
    minLength: 1,
    maxLength: 36,
  }),
  endsAt: fc.integer({ min: 20, max: 400 }),
});

/** A clock of the same world that runs faster and shows another time. */
const skewed = (clock: Clock, { rate, offMs }: Candidate): Clock => {
  const own: Clock = {
    now: () => clock.now() + offMs,
    monotonic: () => clock.monotonic() * rate,
    after: (delay, wake, options) => clock.after(delay / rate, wake, options),
    sleep: (delay, signal, options) => sleepOn(own, delay, signal, options),
  };
  return own;
};

/** What happens to a request: it is refused before it is done, its answer never comes, or it takes its time both ways. */
function faulty(cluster: Cluster, clock: Clock, network: () => Network): Cluster {
  const through = async <T>(ask: () => Promise<T>): Promise<T> => {
    const now = network();
    if (now === 'lost') throw serviceUnavailable('lost');
    if (now === 'slow') await clock.sleep(SECOND_MS);
    const answer = await ask();
    if (now === 'deaf') await new Promise<never>(() => undefined);
    if (now === 'slow') await clock.sleep(8 * SECOND_MS);
    return answer;
  };
  return Object.assign(Object.create(cluster) as Cluster, {
    get: (...all: Parameters<Cluster['get']>) => through(() => cluster.get(...all)),
    create: (...all: Parameters<Cluster['create']>) => through(() => cluster.create(...all)),
    update: (...all: Parameters<Cluster['update']>) => through(() => cluster.update(...all)),
  });
}

function election() {
  const { clock, cluster, random, log } = testContext();
  const leaders = new Set<string>();
  let [most, terms] = [0, 0];
  const start = (each: Candidate, index: number): AbortController => {
    const identity = `c${index}`;
    const stop = new AbortController();
    const network = (): Network => each.network[Math.floor(clock.monotonic() / EPOCH_MS)] ?? 'good';
    const lead = (signal: AbortSignal): void => {
      leaders.add(identity);
      terms++;
      most = Math.max(most, leaders.size);
      signal.addEventListener('abort', () => leaders.delete(identity), { once: true });
    };
    void leadWhileElected(
      {
        cluster: faulty(cluster, clock, network),
        clock: skewed(clock, each),
        random,
        log,
        namespace: 'kube-system',
        name: 'law',
        identity,
        releaseOnCancel: index % 2 === 0,
        lead,
      },
      stop.signal,
    );
    clock.after(each.endsAt * SECOND_MS, () => stop.abort());
    return stop;
  };
  return {
    clock,
    start,
    lease: () => cluster.contentOf(Leases).get('kube-system/law') as Lease | undefined,
    leaders: () => [...leaders],
    seen: () => ({ most, terms }),
  };
}

describe('leadWhileElected', () => {
  it('P-RT-34 any candidates, networks, stops and clocks up to a fifth apart -> never two leaders', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(candidate, { minLength: 2, maxLength: 4 }), async (candidates) => {
        const run = election();
        candidates.forEach((each, index) => run.start(each, index));
        await run.clock.advanceTo(run.clock.now() + RUN_MS);
        expect(run.seen().most).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });

  it('P-RT-34 the network is good again and somebody is left -> one leads within a lease and its waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(candidate, { minLength: 2, maxLength: 3 }), async (drawn) => {
        const candidates = drawn.map((each) => ({
          ...each,
          endsAt: 10_000,
          // One whose request is never answered waits for it: its client's time-out, not the election, ends that.
          network: each.network.slice(0, 12).map((network) => (network === 'deaf' ? 'lost' : network)),
        }));
        const run = election();
        candidates.forEach((each, index) => run.start(each, index));
        await run.clock.advanceTo(run.clock.now() + 2 * MINUTE_MS);
        expect(run.leaders()).toHaveLength(1);
        expect(run.lease()?.spec.holderIdentity).toBe(run.leaders()[0]);
      }),
      { numRuns: 60 },
    );
  });

  it('P-RT-34 the last renewal was answered late and none after it -> the leader ends before another begins', async () => {
    const run = election();
    const lost = Array.from({ length: 6 }, (): Network => 'lost');
    run.start({ rate: 1, offMs: 0, network: ['good', 'slow', 'good', ...lost], endsAt: 1000 }, 0);
    await run.clock.advanceTo(run.clock.now() + SECOND_MS);
    run.start({ rate: 1, offMs: 0, network: [], endsAt: 1000 }, 1);
    await run.clock.advanceTo(run.clock.now() + 40 * SECOND_MS);
    expect(run.leaders()).toEqual(['c1']);
    expect(run.seen()).toEqual({ most: 1, terms: 2 });
  });

  it('P-RT-34 the lease is taken away and given back -> what ran is ended, then started anew', async () => {
    const run = election();
    run.start({ rate: 1, offMs: 0, network: ['good', 'lost', 'lost', 'lost', 'lost'], endsAt: 1000 }, 0);
    await run.clock.advanceTo(run.clock.now() + 4 * SECOND_MS);
    expect(run.leaders()).toEqual(['c0']);
    await run.clock.advanceTo(run.clock.now() + 16 * SECOND_MS);
    expect(run.leaders()).toEqual([]);
    await run.clock.advanceTo(run.clock.now() + 20 * SECOND_MS);
    expect(run.leaders()).toEqual(['c0']);
    expect(run.seen().terms).toBe(2);
    expect(run.lease()?.spec.leaseTransitions).toBe(0);
  });
});
