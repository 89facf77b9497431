// The cluster contract, kept by our client against a real kube-apiserver: so the contract is the real one's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { clusterContract } from '../contract/cluster-contract.ts';
import { peersFor } from '../peers.ts';
import { httpSubject } from './http-subject.ts';
import { type RealApiServer, startRealApiServer } from './real-api-server.ts';

const peers = peersFor('cluster contract on a real API server', ['etcd', 'kube-apiserver']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-real-'));

// skipped: without a real API server there is nobody to ask
describe.skipIf(peers === undefined)('real', () => {
  let real: RealApiServer;
  let client: KubeClient;
  let count = 0;

  beforeAll(async () => {
    if (peers === undefined) return;
    real = await startRealApiServer(peers, folder);
    const { kubeconfig } = real;
    const random = new SeededRandom('contract');
    client = connect({ clock: new SystemClock(), random, log: silentLog, environment: {}, home: folder, kubeconfig });
  }, 180_000);
  afterAll(async () => {
    client.close();
    await real.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  clusterContract('our client over HTTP, real API server', () => httpSubject(client, `contract-${++count}`));
});
