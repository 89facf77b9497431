import { describe, expect, test } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { nodeLifecycleController } from './nodelifecycle.ts';

async function nodeWith(status: string): Promise<StorageWorld> {
  const run = new StorageWorld();
  run.start(nodeLifecycleController());
  await run.user.create(Nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', labels: { 'kubernetes.io/os': 'linux' } },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: { conditions: [{ type: 'Ready', status }] },
  });
  await run.wait(1000);
  return run;
}
const taintsOf = async ({ user }: StorageWorld): Promise<readonly string[]> =>
  ((await user.get(Nodes, 'a')).spec.taints ?? []).map(
    ({ key, effect, timeAdded }) => `${key}:${effect} ${timeAdded ?? ''}`,
  );
const ready =
  (status: string) =>
  (node: Node): Node => ({
    ...node,
    status: {
      ...node.status,
      conditions: [{ type: 'Ready', status, lastHeartbeatTime: null, lastTransitionTime: null }],
    },
  });

describe('updates of nodes', () => {
  test('P-NL-1 a new node is Ready -> the taint of admission goes', async () => {
    expect(await taintsOf(await nodeWith('True'))).toEqual([]);
  });

  test('P-NL-1 a node turns Unknown -> unreachable is added with its time before not-ready goes', async () => {
    const run = await nodeWith('False');
    await run.user.update(Nodes, ready('Unknown')(await run.user.get(Nodes, 'a')), { subresource: 'status' });
    await run.wait(200);
    expect(await taintsOf(run)).toEqual(['node.kubernetes.io/unreachable:NoSchedule 2026-01-01T00:00:01Z']);
  });

  test('P-NL-2 a node with a stable label -> gets the beta label', async () => {
    const run = await nodeWith('True');
    expect((await run.user.get(Nodes, 'a')).metadata.labels).toEqual({
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'linux',
    });
  });
});
