// kubernetes:pkg/apis/core/v1/helper/qos/qos.go
import { addQuantities, compareQuantities, isZeroQuantity } from '../../kube/quantity.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

type Amounts = Readonly<Record<string, string>>;
const COMPUTE = ['cpu', 'memory'] as const;

/** How much of a pod's cpu and memory is promised: all of it to the limit, some, or nothing. */
export function qosClassOf(spec: PodSpec): QosClass {
  const demands =
    spec.resources === undefined
      ? [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  const requests = sumOf(demands.map((demand) => computeOf(demand.requests)));
  const limits = sumOf(demands.map((demand) => computeOf(demand.limits)));
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return 'BestEffort';
  const isBounded = demands.every((demand) => COMPUTE.every((name) => name in computeOf(demand.limits)));
  const isExact =
    Object.keys(requests).length === Object.keys(limits).length &&
    Object.entries(requests).every(([name, amount]) => {
      const limit = limits[name];
      return limit !== undefined && compareQuantities(limit, amount) === 0;
    });
  return isBounded && isExact ? 'Guaranteed' : 'Burstable';
}

/** Zero counts as not given. */
function computeOf(amounts: Amounts | undefined): Amounts {
  const entries = Object.entries(amounts ?? {}).filter(
    ([name, amount]) => (COMPUTE as readonly string[]).includes(name) && !isZeroQuantity(amount),
  );
  return Object.fromEntries(entries);
}

function sumOf(lists: readonly Amounts[]): Readonly<Record<string, ReturnType<typeof addQuantities>>> {
  const sums: Record<string, ReturnType<typeof addQuantities>> = {};
  for (const [name, amount] of lists.flatMap((list) => Object.entries(list))) {
    sums[name] = addQuantities(sums[name] ?? '0', amount);
  }
  return sums;
}
