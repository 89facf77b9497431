// What a pod asks of a node. kubernetes:staging/src/k8s.io/component-helpers/resource/helpers.go
import { bytesOf, milliOf } from '../../kube/quantity.ts';
import type { Pod } from '../../kube/resources/pod.ts';

/** Whole units by resource name, cpu in thousandths. A resource that is not named is zero. */
export type Amounts = ReadonlyMap<string, number>;

export const CPU = 'cpu';
export const MEMORY = 'memory';
export const EPHEMERAL_STORAGE = 'ephemeral-storage';
export const PODS = 'pods';

/** What a container without request counts when nodes are compared. kubernetes:pkg/scheduler/util/pod_resources.go */
const ASSUMED_REQUESTS: Quantities = { [CPU]: '100m', [MEMORY]: String(200 * 1024 * 1024) };

type Quantities = Readonly<Record<string, string>>;
type PodSpec = Pod['spec'];
type Container = NonNullable<PodSpec['containers']>[number];

/** Filters see the requests as written; scores assume a little for containers that ask for nothing. */
export function requestsOf(pod: Pick<Pod, 'spec'>, missing: Quantities = {}): Amounts {
  const total = containerRequests(pod.spec, missing);
  for (const [name, quantity] of Object.entries(pod.spec.resources?.requests ?? {})) {
    if (isPodLevel(name)) total.set(name, amountOf(name, quantity));
  }
  add(total, amountsOf(pod.spec.overhead));
  return total;
}

export const assumedRequestsOf = (pod: Pick<Pod, 'spec'>): Amounts => requestsOf(pod, ASSUMED_REQUESTS);

export function amountsOf(quantities: Quantities = {}): Map<string, number> {
  return new Map(Object.entries(quantities).map(([name, quantity]) => [name, amountOf(name, quantity)]));
}

/** Init containers run one after another: only the largest of them counts, beside the sidecars started before it. */
function containerRequests(spec: PodSpec, missing: Quantities): Map<string, number> {
  const running = new Map<string, number>();
  for (const container of spec.containers ?? []) add(running, requestsOfContainer(container, missing));
  const sidecars = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOfContainer(container, missing);
    if (container.restartPolicy === 'Always') {
      add(running, requests);
      add(sidecars, requests);
      raise(starting, sidecars);
    } else {
      add(requests, sidecars);
      raise(starting, requests);
    }
  }
  raise(running, starting);
  return running;
}

const requestsOfContainer = (container: Container, missing: Quantities): Map<string, number> =>
  amountsOf({ ...missing, ...container.resources?.requests });

function add(total: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + amount);
}

function raise(total: Map<string, number>, atLeast: Amounts): void {
  for (const [name, amount] of atLeast) total.set(name, Math.max(total.get(name) ?? 0, amount));
}

const amountOf = (name: string, quantity: string): number => (name === CPU ? milliOf(quantity) : bytesOf(quantity));
const isPodLevel = (name: string): boolean => name === CPU || name === MEMORY || name.startsWith('hugepages-');
