// The past, as far as it is known: our client and informers against our server over TLS, before and after it forgets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type RunningApi, serveApi } from '../../src/cli/serve-api.ts';
import { ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { SharedInformer } from '../../src/runtime/informer.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { historyContract } from './history-contract.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-history-'));
const kubeconfig = path.join(folder, 'kubeconfig');
const clock = new SystemClock();
const random = new SeededRandom('history');
let api: RunningApi;
let client: KubeClient;

const serve = async (port: number): Promise<RunningApi> => {
  const running = await serveApi({ directory: folder, port, store: 'embedded', kubeconfigs: [kubeconfig] });
  running.announce();
  return running;
};

beforeAll(async () => {
  api = await serve(0);
  client = connect({ clock, random, log: silentLog, environment: {}, home: folder, kubeconfig });
}, 60_000);
afterAll(async () => {
  client.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

historyContract('our server', () => ({
  client,
  compact: (revision) => Promise.resolve(api.store.compact(revision)),
}));

test('P-HTTP-25 informer whose server comes back with less history -> lists again and misses nothing', async () => {
  const cluster = client.as('informer');
  const make = (name: string) =>
    cluster.create(ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-public' } });
  const until = async (condition: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 3000 && !condition(); tries++) await clock.sleep(10);
    expect(condition()).toBe(true);
  };
  const options = { namespace: 'kube-public' };
  const timeline = new RecordedTimeline();
  const informer = new SharedInformer({
    cluster,
    clock,
    random,
    timeline,
    log: silentLog,
    resource: ConfigMaps,
    options,
  });
  const told: string[] = [];
  informer.subscribe(({ type, object }) => void told.push(`${type} ${object.metadata.name}`));
  const stop = new AbortController();
  await make('kept');
  await make('gone');
  informer.start(stop.signal);
  await until(() => told.length === 2);
  await api.close();
  api = await serve(Number(new URL(api.address).port));
  // Written and forgotten before the informer is back.
  const request = { verb: 'delete', resource: ConfigMaps, key: 'kube-public/gone', options: {} } as const;
  await api.server.request(request, { name: 'admin', groups: ['system:masters'] });
  api.store.compact(api.store.revision);
  await until(() => told.includes('deleted gone'));
  await make('new');
  await until(() => told.includes('added new'));
  stop.abort();
  expect(told.slice(2)).toEqual(['deleted gone', 'added new']);
});
