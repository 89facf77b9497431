import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { MINUTE_MS } from '../../src/base/clock.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { Namespaces } from '../../src/kube/resources/namespace.ts';
import { ServiceAccounts } from '../../src/kube/resources/service-account.ts';
import { clusterContract } from './cluster-contract.ts';
import type { ContractSubject } from './contract-subject.ts';

const STARTS_AT = Date.UTC(2026, 0, 5, 8);
const NAMESPACE = 'contract';

async function makeSubject(latencyMs: number): Promise<ContractSubject> {
  const clock = new SteppedClock(STARTS_AT);
  const server = new ApiServer({
    clock,
    random: new SeededRandom('contract'),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    admission: defaultAdmission(),
  });
  server.bootstrap();
  const access = new LocalClusterAccess({
    server,
    clock,
    latency: { request: () => latencyMs, watch: () => latencyMs },
  });
  const cluster = waitedFor(access.as('contract'), clock);
  await cluster.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await cluster.create(ServiceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: NAMESPACE },
  });
  const advance = (ms: number): Promise<void> => clock.advanceTo(clock.now() + ms);
  return {
    cluster,
    namespace: NAMESPACE,
    prefix: NAMESPACE,
    advance,
    settle: () => advance(2 * latencyMs),
    until: async (condition) => {
      const deadline = clock.now() + MINUTE_MS;
      while (!condition() && clock.now() < deadline) await advance(1);
      if (!condition()) throw new Error('it never happened');
    },
    dispose: () => Promise.resolve(),
  };
}

/** Time stands still unless someone moves it: every call moves it until it is answered. */
function waitedFor(cluster: Cluster, clock: SteppedClock): Cluster {
  const advancing = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await clock.advanceTo(clock.now());
    while (!isSettled) await clock.advanceTo(clock.now() + 1);
    return promise;
  };
  return {
    get: (...args) => advancing(cluster.get(...args)),
    list: (...args) => advancing(cluster.list(...args)),
    watch: (...args) => cluster.watch(...args),
    create: (...args) => advancing(cluster.create(...args)),
    update: (...args) => advancing(cluster.update(...args)),
    patch: (...args) => advancing(cluster.patch(...args)),
    post: (...args) => advancing(cluster.post(...args)),
    delete: (...args) => advancing(cluster.delete(...args)),
    deleteCollection: (...args) => advancing(cluster.deleteCollection(...args)),
    because: (reason) => waitedFor(cluster.because(reason), clock),
  };
}

clusterContract('in process', () => makeSubject(0));
clusterContract('in process, with latency', () => makeSubject(7));
