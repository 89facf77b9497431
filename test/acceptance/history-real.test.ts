// The same questions about the past to a real kube-apiserver, whose etcd forgot it: so the answers are the real one's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { peersFor } from '../peers.ts';
import { historyContract } from './history-contract.ts';
import { type RealApiServer, prepareRealApiServer } from './real-api-server.ts';

const peers = peersFor('history of a real API server', ['etcd', 'kube-apiserver']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-history-real-'));

// skipped: without a real API server there is nobody to ask
describe.skipIf(peers === undefined)('real', () => {
  let real: RealApiServer;
  let client: KubeClient;

  beforeAll(async () => {
    if (peers === undefined) return;
    const prepared = await prepareRealApiServer(peers, folder);
    // Its caches know everything since it started: only a second start has a past.
    await (await prepared.start()).stop();
    real = await prepared.start();
    const { kubeconfig } = real;
    const random = new SeededRandom('history');
    client = connect({ clock: new SystemClock(), random, log: silentLog, environment: {}, home: folder, kubeconfig });
  }, 240_000);
  afterAll(async () => {
    client.close();
    await real.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const compact = async (revision: number): Promise<void> => {
    const body = JSON.stringify({ revision: String(revision), physical: true });
    const { ok, status } = await fetch(`${real.etcdUrl}/v3/kv/compaction`, { method: 'POST', body });
    if (!ok) throw new Error(`etcd does not compact: ${status}`);
  };
  historyContract('real API server', () => ({ client, compact }));
});
