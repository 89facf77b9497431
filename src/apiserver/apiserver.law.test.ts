import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { KubeObject } from '../kube/object.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import type { ApiRequest } from './api-request.ts';
import { ApiServer, type Commit } from './apiserver.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { defaultStrategies } from './registry/strategies.ts';

const USER = { name: 'jane', groups: [] };

const name = fc.constantFrom('a', 'b', 'c');
const merge = (key: string, body: object, subresource?: string): ApiRequest => ({
  verb: 'patch',
  resource: Pods,
  key,
  patch: { type: 'merge', body },
  ...(subresource === undefined ? {} : { subresource }),
});
const spec = { containers: [{ name: 'c', image: 'i' }] };
const create = (podName: string, nodeName: string): ApiRequest => ({
  verb: 'create',
  resource: Pods,
  namespace: 'ns',
  object: {
    metadata: { name: podName, finalizers: nodeName === '' ? [] : ['example.com/hold'] },
    spec: { ...spec, nodeName },
  },
});

const request: fc.Arbitrary<ApiRequest> = fc.oneof(
  fc.tuple(name, fc.constantFrom('', 'n1')).map(([each, node]) => create(each, node)),
  fc.tuple(name, fc.nat(2)).map(([each, x]) => merge(`ns/${each}`, { metadata: { labels: { x: String(x) } } })),
  fc
    .tuple(name, fc.integer({ min: 100, max: 102 }))
    .map(([each, seconds]) => merge(`ns/${each}`, { spec: { activeDeadlineSeconds: seconds } })),
  fc
    .tuple(name, fc.constantFrom('Running', 'Failed'))
    .map(([each, phase]) => merge(`ns/${each}`, { status: { phase } }, 'status')),
  name.map((each) => merge(`ns/${each}`, { metadata: { finalizers: null } })),
  fc.tuple(name, fc.constantFrom(undefined, 0, 5)).map(([each, grace]): ApiRequest => {
    const options = grace === undefined ? {} : { gracePeriodSeconds: grace };
    return { verb: 'delete', resource: Pods, key: `ns/${each}`, options };
  }),
);

async function play(
  requests: readonly ApiRequest[],
): Promise<{ readonly commits: readonly Commit[]; readonly stored: readonly KubeObject[] }> {
  const clock = new SteppedClock(0);
  const store = new ObjectStore();
  const commits: Commit[] = [];
  const server = new ApiServer({
    clock,
    random: new SeededRandom(3),
    store,
    strategies: defaultStrategies(),
    onCommit: (commit) => commits.push(commit),
  });
  for (const each of requests) {
    try {
      server.handle(each, USER);
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
    await clock.advanceTo(clock.now() + SECOND_MS);
  }
  return { commits, stored: store.all(Pods) };
}

const isPod = (object: KubeObject | undefined): object is KubeObject & Pod => object !== undefined;

describe('ApiServer', () => {
  it('P-API-1 P-API-15 any requests -> the commits, replayed, are the store; revisions have no gap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
        const { commits, stored } = await play(requests);
        const replayed = new Map<string, KubeObject>();
        for (const { key, before, after } of commits) {
          expect(replayed.get(key)).toBe(before);
          if (after === undefined) replayed.delete(key);
          else replayed.set(key, after);
        }
        expect([...replayed].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)).toEqual(stored);
        expect(commits.map(({ revision }) => revision)).toEqual(commits.map((_, index) => index + 1));
      }),
    );
  });

  it('P-API-4 P-API-13 any requests -> uid and the wish to delete stay, generation rises with spec and that wish alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
        for (const { before, after } of (await play(requests)).commits) {
          if (!isPod(before) || !isPod(after)) continue;
          expect(after.metadata.uid).toBe(before.metadata.uid);
          expect(after.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
          const wasGoing = before.metadata.deletionTimestamp !== undefined;
          const isGoing = after.metadata.deletionTimestamp !== undefined;
          expect(isGoing || !wasGoing).toBe(true);
          const changed = JSON.stringify(after.spec) !== JSON.stringify(before.spec);
          const rise = (after.metadata.generation ?? 0) - (before.metadata.generation ?? 0);
          expect(rise).toBe(changed || (isGoing && !wasGoing) ? 1 : 0);
        }
      }),
    );
  });

  it('P-API-4 any requests -> an object with finalizers is never removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
        for (const { before, after, verb } of (await play(requests)).commits) {
          // A removal by taking the last finalizer away is the only one of an object that has any.
          if (after === undefined && verb === 'delete') expect(before?.metadata.finalizers ?? []).toEqual([]);
        }
      }),
    );
  });
});
