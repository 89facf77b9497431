// Looking when something is due shows nothing else than looking at every node in every period.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NodeWorld } from '../../../test/nodefailure/node-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { nodeLifecycleController } from './nodelifecycle.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const ZONES: Readonly<Record<string, string>> = { a: 'x', b: 'x', c: 'x', d: 'x', e: 'x', f: 'y' };

interface Act {
  readonly waitMs: number;
  readonly node: string;
  readonly does: 'crash' | 'return' | 'post' | 'not-ready' | 'renew' | 'delete' | 'create' | 'exclude';
}
interface Plan {
  readonly profile: string;
  readonly requestMs: number;
  readonly acts: readonly Act[];
}

// Looks and what they write are on even milliseconds, and what comes from outside on odd ones: which of two things of one
// instant comes first is not what this law is about.
const PERIOD_MS = 4999;
const plan: fc.Arbitrary<Plan> = fc.record({
  profile: fc.constantFrom('1.36.3', '1.33.0', '1.37.0'),
  requestMs: fc.constantFrom(4, 30),
  acts: fc.array(
    fc.record({
      waitMs: fc.oneof(fc.nat(3000), fc.nat(35_000)).map((half) => 2 * half),
      node: fc.constantFrom(...NAMES),
      does: fc.constantFrom<Act['does']>(
        'crash',
        'crash',
        'crash',
        'return',
        'return',
        'post',
        'not-ready',
        'renew',
        'delete',
        'create',
        'exclude',
      ),
    }),
    { maxLength: 14 },
  ),
});

async function act(run: NodeWorld, { node, does }: Act): Promise<void> {
  const exists = (await run.user.list(Nodes)).items.some(({ metadata }) => metadata.name === node);
  if (does === 'crash') run.crash(node);
  else if (does === 'renew') await run.renewLease(node);
  else if (does === 'create' && !exists) await run.addNode(node);
  else if (!exists) return;
  else if (does === 'delete') await run.user.delete(Nodes, node);
  else if (does === 'post') await run.postStatus(node);
  else if (does === 'not-ready') await run.postStatus(node, { Ready: 'False' });
  else if (does === 'exclude')
    await run.user.patch(Nodes, node, {
      type: 'merge',
      body: { metadata: { labels: { 'node.kubernetes.io/exclude-disruption': '' } } },
    });
  else if (does === 'return') {
    run.crash(node);
    run.startKubelet(node);
    await run.postStatus(node);
  }
}

async function history({ profile, requestMs, acts }: Plan, looksAtAll: boolean): Promise<unknown> {
  const run = new NodeWorld({ requestMs, watchMs: 2 });
  for (const name of NAMES) {
    await run.addNode(name, { labels: { 'topology.kubernetes.io/zone': ZONES[name] ?? '' } });
    await run.addPod(`on-${name}`, { node: name });
    run.startKubelet(name);
    await run.wait(1372);
  }
  await run.wait(1);
  run.start(nodeLifecycleController({ profile, looksAtAll, nodeMonitorPeriodMs: PERIOD_MS }));
  await run.wait(1);
  for (const each of acts) {
    await run.wait(each.waitMs);
    await act(run, each);
  }
  await run.wait(100 * SECOND_MS);
  const nodes = (await run.user.list(Nodes)).items.map(({ metadata, spec, status }) => [
    metadata.name,
    spec.taints,
    status.conditions,
  ]);
  return { writes: run.writesOf('node-lifecycle-controller'), nodes, events: await run.events() };
}

describe('the monitor', () => {
  test('P-NL-12 any history -> the same writes at the same instants, events and nodes as looking at all in every period', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (each) => {
        expect(await history(each, false)).toEqual(await history(each, true));
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
