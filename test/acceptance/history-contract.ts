// What a client sees that asks for more of the past than a server knows: the same over HTTP on ours and on a real one.
import { expect, test } from 'vitest';
import type { WatchEvent } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import type { KubeClient } from '../../src/kubeclient/kubeclient.ts';

const NAMESPACE = 'default';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const NAMES = ['one', 'two', 'three'];

export interface HistorySubject {
  readonly client: KubeClient;
  /** Makes the server forget what happened up to the revision. */
  compact(revision: number): Promise<void>;
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

export function historyContract(subjectName: string, subject: () => HistorySubject): void {
  const read = async (query: string): Promise<Page> => (await subject().client.read(`${MAPS}?${query}`)) as Page;
  const prepared = async (prefix: string): Promise<readonly string[]> => {
    const cluster = subject().client.as('history');
    const names = NAMES.map((name) => `${prefix}-${name}`);
    for (const name of names) {
      const metadata = { name, namespace: NAMESPACE, labels: { of: prefix } };
      await cluster.create(ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    }
    return names.toSorted();
  };
  const name = (what: string): string => `${subjectName}: ${what}`;

  test(name('P-HTTP-25 watch from before history -> opens, says where history begins, ends'), async () => {
    await prepared('watch');
    await subject().compact(Number((await read('limit=1')).metadata.resourceVersion));
    const events = await watched(subject().client, '1');
    expect(events).toMatchObject([{ type: 'ERROR', error: { code: 410, reason: 'Expired' } }]);
    const [first] = events;
    const message = first?.type === 'ERROR' ? first.error.message : '';
    const begins = Number(/^too old resource version: 1 \((\d+)\)$/.exec(message)?.[1]);
    const { metadata } = await read('limit=1');
    expect(begins).toBeGreaterThan(1);
    expect(begins).toBeLessThanOrEqual(Number(metadata.resourceVersion));
  });

  test(name('P-HTTP-25 list at a revision that is gone -> 410 Expired'), async () => {
    await prepared('exact');
    await subject().compact(Number((await read('limit=1')).metadata.resourceVersion));
    await expect(read('resourceVersion=2&resourceVersionMatch=Exact')).rejects.toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  test(name('P-HTTP-25 next page of a list that is gone -> 410 with a token for the rest as it is now'), async () => {
    const names = await prepared('page');
    const first = await read('limit=1&labelSelector=of%3Dpage');
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(0, 1));
    const token = tokenAt(2, first.metadata.continue ?? '');
    await subject().compact(Number(first.metadata.resourceVersion));
    const refused: unknown = await read(`limit=1&labelSelector=of%3Dpage&continue=${token}`).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(
        /^The provided continue parameter is too old to display a consistent list result\. /,
      ),
    });
    const next = (refused as { readonly continue?: string }).continue ?? '';
    expect(next).not.toBe('');
    const rest = await read(`labelSelector=of%3Dpage&continue=${next}`);
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(1));
  });
}

/** Everything until the watch ends. */
function watched(client: KubeClient, resourceVersion: string): Promise<readonly WatchEvent<KubeObject>[]> {
  const events: WatchEvent<KubeObject>[] = [];
  const options = { namespace: NAMESPACE, resourceVersion, timeoutSeconds: 20 };
  return new Promise((resolve) => {
    client.as('history').watch(ConfigMaps, options, {
      event: (event) => void events.push(event),
      closed: () => resolve(events),
    });
  });
}

/** The same place in a list of another revision. */
function tokenAt(revision: number, token: string): string {
  const parts = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
  return Buffer.from(JSON.stringify({ ...parts, rv: revision })).toString('base64url');
}
