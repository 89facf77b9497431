import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../base/clock.ts';
import { Leases, type Lease } from '../kube/resources/lease.ts';
import { Events } from '../kube/resources/event.ts';
import { Elections } from './elections.ts';
import { leaseOf } from './program-lease.ts';
import { testContext } from '../../test/runtime/test-context.ts';

const part = (name: string, program: Parameters<typeof leaseOf>[0]['program']) => ({
  component: { name, start: () => undefined },
  program,
});
const whole = { isWholeManager: true };

describe('leaseOf', () => {
  it.each([
    [part('persistentvolume-controller', 'kube-controller-manager'), 'kube-controller-manager', 2],
    [part('default-scheduler', 'kube-scheduler'), 'kube-scheduler', 2],
    [part('csi-provisioner/disk.example.com', 'csi-provisioner'), 'disk-example-com', 5],
    [part('csi-attacher/disk.example.com', 'csi-attacher'), 'external-attacher-leader-disk-example-com', 5],
    [part('external-resizer/disk.example.com', 'csi-resizer'), 'external-resizer-disk-example-com', 5],
    [part('csi-attacher/odd_', 'csi-attacher'), 'external-attacher-leader-odd-X', 5],
  ])('P-WORLD-8 a component -> the Lease of its program as upstream names it: %#', (placed, name, retrySeconds) => {
    const lease = leaseOf(placed, whole);
    expect(lease?.name).toBe(name);
    expect(lease?.times.retryPeriodMs).toBe(retrySeconds * SECOND_MS);
  });

  it('P-WORLD-8 a kubelet -> none; a part of a manager -> one that leaves the whole one free', () => {
    expect(leaseOf(part('kubelet/node-a', 'kubelet'), whole)).toBeUndefined();
    const of = leaseOf(part('persistentvolume-controller', 'kube-controller-manager'), { isWholeManager: false });
    expect(of?.name).toBe('mooring-controller-manager');
  });
});

function setUp() {
  const context = testContext();
  const { clock, cluster, random, log } = context;
  const manager = leaseOf(part('persistentvolume-controller', 'kube-controller-manager'), whole);
  if (manager === undefined) throw new Error('a manager has a lease');
  const working = new Set<string>();
  const elections = (identity: string) => new Elections({ clock, random, log, identity, releases: false });
  const join = (of: Elections, name: string): AbortController => {
    const life = new AbortController();
    const start = (signal: AbortSignal): void => {
      working.add(name);
      signal.addEventListener('abort', () => working.delete(name), { once: true });
    };
    of.join(manager, cluster, { life: life.signal, start });
    return life;
  };
  const wait = (ms: number): Promise<void> => clock.advanceTo(clock.now() + ms);
  const holder = (): string | undefined =>
    (cluster.contentOf(Leases).get('kube-system/kube-controller-manager') as Lease | undefined)?.spec.holderIdentity;
  return { ...context, manager, working, elections, join, wait, holder };
}

describe('Elections', () => {
  it('P-WORLD-8 components of one program -> all begin when it leads, one that comes later at once', async () => {
    const { elections, join, wait, working, cluster } = setUp();
    const own = elections('a');
    join(own, 'one');
    join(own, 'two');
    expect(working.size).toBe(0);
    await wait(0);
    expect([...working]).toEqual(['one', 'two']);
    join(own, 'late');
    expect([...working]).toEqual(['one', 'two', 'late']);
    const [event] = cluster.contentOf(Events).values();
    expect(event).toMatchObject({ reason: 'LeaderElection', message: 'a became leader' });
  });

  it.each([
    ['nobody else there', undefined],
    ['somebody else leads', 'b'],
  ])('P-WORLD-8 %s -> decided when that is known', async (_situation, other) => {
    const { elections, join, wait, holder } = setUp();
    if (other !== undefined) join(elections(other), 'other');
    await wait(0);
    const own = elections('a');
    join(own, 'one');
    let isDecided = false;
    void own.decided().then(() => (isDecided = true));
    expect(isDecided).toBe(false);
    await wait(0);
    expect([isDecided, holder()]).toEqual([true, other ?? 'a']);
  });

  it('P-WORLD-8 killed before it is known who leads -> nobody waits for it', async () => {
    const { elections, join } = setUp();
    const own = elections('a');
    const life = join(own, 'one');
    const decided = own.decided();
    life.abort();
    await decided;
    expect(own.isLeading('kube-controller-manager')).toBe(false);
  });

  it('P-WORLD-8 all of a program is killed -> its Lease is not renewed; back under the same name -> at work at once', async () => {
    const { elections, join, wait, working, holder } = setUp();
    const own = elections('a');
    const lives = [join(own, 'one'), join(own, 'two')];
    await wait(0);
    lives[0]?.abort();
    await wait(SECOND_MS);
    expect([...working]).toEqual(['two']);
    expect(own.isLeading('kube-controller-manager')).toBe(true);
    lives[1]?.abort();
    await own.settled();
    expect(own.isLeading('kube-controller-manager')).toBe(false);
    join(own, 'one');
    await wait(0);
    expect([...working]).toEqual(['one']);
    expect(holder()).toBe('a');
  });

  it('P-WORLD-8 another holds the Lease -> nothing begins until it has run out', async () => {
    const { elections, join, wait, working } = setUp();
    const life = join(elections('a'), 'first');
    await wait(SECOND_MS);
    join(elections('b'), 'second');
    await wait(10 * SECOND_MS);
    expect([...working]).toEqual(['first']);
    life.abort();
    await wait(10 * SECOND_MS);
    expect([...working]).toEqual([]);
    await wait(15 * SECOND_MS);
    expect([...working]).toEqual(['second']);
  });
});
