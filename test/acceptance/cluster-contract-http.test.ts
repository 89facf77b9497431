// The cluster contract, kept by our client against our server over TLS, whatever makes its writes last.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type RunningApi, serveApi } from '../../src/cli/serve-api.ts';
import { Namespaces } from '../../src/kube/resources/namespace.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { clusterContract } from '../contract/cluster-contract.ts';
import { peersFor } from '../peers.ts';
import { StartedEtcd } from '../storage/started-etcd.ts';
import { httpSubject } from './http-subject.ts';

const peers = peersFor('cluster contract on etcd', ['etcd']);

interface OpenedStore {
  readonly store: string;
  close(): Promise<void>;
}
const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  embedded: () => Promise.resolve({ store: 'embedded', close: () => Promise.resolve() }),
  ...(peers === undefined ? {} : { etcd: () => startedEtcd(peers.etcd) }),
};

async function startedEtcd(program: string): Promise<OpenedStore> {
  const etcd = await StartedEtcd.start(program);
  return { store: `etcd://${etcd.address}`, close: () => etcd.stop() };
}

describe.each(Object.entries(stores))('%s', (name, open) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-contract-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  let opened: OpenedStore;
  let api: RunningApi;
  let client: KubeClient;
  let count = 0;

  beforeAll(async () => {
    opened = await open();
    api = await serveApi({ directory: folder, port: 0, store: opened.store, kubeconfigs: [kubeconfig] });
    api.announce();
    const random = new SeededRandom('contract');
    client = connect({ clock: new SystemClock(), random, log: silentLog, environment: {}, home: folder, kubeconfig });
  }, 120_000);
  afterAll(async () => {
    client.close();
    await api.close();
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
  });

  clusterContract(`our client over HTTP, our server, ${name}`, () => httpSubject(client, `contract-${++count}`));

  test('P-KC-10 views of two actors -> one cluster, and each write bears our name', async () => {
    const made = await client
      .as('first')
      .create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'both' } });
    expect(await client.as('second').get(Namespaces, 'both')).toEqual(made);
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['mooring']);
  });
});
