// The cluster contract, kept by our client against our server over TLS.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type RunningApi, serveApi } from '../../src/cli/serve-api.ts';
import { Namespaces } from '../../src/kube/resources/namespace.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { clusterContract } from '../contract/cluster-contract.ts';
import { httpSubject } from './http-subject.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-contract-'));
const kubeconfig = path.join(folder, 'kubeconfig');
let api: RunningApi;
let client: KubeClient;
let count = 0;

beforeAll(async () => {
  api = await serveApi({ directory: folder, port: 0, store: 'memory', kubeconfigs: [kubeconfig] });
  client = connect({
    clock: new SystemClock(),
    random: new SeededRandom('contract'),
    log: silentLog,
    environment: {},
    home: folder,
    kubeconfig,
  });
});
afterAll(async () => {
  client.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

clusterContract('our client over HTTP, our server', () => httpSubject(client, `contract-${++count}`));

test('P-KC-10 views of two actors -> one cluster, and each write bears our name', async () => {
  const made = await client
    .as('first')
    .create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'both' } });
  expect(await client.as('second').get(Namespaces, 'both')).toEqual(made);
  expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['mooring']);
});
