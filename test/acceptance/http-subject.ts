// A subject of the cluster contract that lives behind a socket: time is real, and each test has a namespace of its own.
import { SystemClock } from '../../src/base/system-clock.ts';
import type { KubeClient } from '../../src/kubeclient/kubeclient.ts';
import { Namespaces } from '../../src/kube/resources/namespace.ts';
import { ServiceAccounts } from '../../src/kube/resources/service-account.ts';
import type { ContractSubject } from '../contract/contract-subject.ts';

const PATIENCE_MS = 30_000;
const SETTLE_MS = 200;

export async function httpSubject(client: KubeClient, name: string): Promise<ContractSubject> {
  const clock = new SystemClock();
  const cluster = client.as('contract');
  await cluster.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await cluster.create(ServiceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: name },
  });
  return {
    cluster,
    namespace: name,
    prefix: name,
    advance: (ms) => clock.sleep(ms),
    settle: () => clock.sleep(SETTLE_MS),
    until: async (condition) => {
      const deadline = clock.monotonic() + PATIENCE_MS;
      while (!condition() && clock.monotonic() < deadline) await clock.sleep(5);
      if (!condition()) throw new Error('it never happened');
    },
    dispose: () => Promise.resolve(),
  };
}
