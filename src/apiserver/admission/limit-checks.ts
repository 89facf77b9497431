// What a limit range has against a pod or a claim, in upstream's words. Amounts are compared in thousandths where they fit.
// kubernetes:plugin/pkg/admission/limitranger/admission.go
import { addQuantities, bytesOf, compareQuantities, formatQuantity, milliOf } from '../../kube/quantity.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';

export type Amounts = Readonly<Record<string, string>>;

export interface LimitRangeItem {
  readonly type: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}

interface Asked {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

/** One bound on one resource, and what is asked of it. */
interface Bound {
  readonly type: string;
  readonly resource: string;
  readonly enforced: string;
  readonly request: string | undefined;
  readonly limit: string | undefined;
}
type Check = (bound: Bound) => string | undefined;

/** The largest number of units whose thousandths fit 64 bits. kubernetes:staging/src/k8s.io/apimachinery/pkg/api/resource */
const UNITS_MAX_FOR_MILLI = 2 ** 63 / 1000;

export function faultsOfPod(items: readonly LimitRangeItem[], { spec }: Pod): readonly string[] {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return items.flatMap((item) => {
    if (item.type === 'Container') return all.flatMap(({ resources }) => faultsOf(item, resources));
    if (item.type !== 'Pod') return [];
    return faultsOf(item, { requests: totalOf(spec, 'requests'), limits: totalOf(spec, 'limits') });
  });
}

/** A claim's limits are nobody's concern: only what it requests is. */
export function faultsOfClaim(items: readonly LimitRangeItem[], requests: Amounts): readonly string[] {
  return items
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => [
      ...checked(min, { requests }, type, checkMinimum),
      ...checked(max, { requests }, type, checkMaximumRequest),
    ]);
}

const faultsOf = ({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, asked: Asked): readonly string[] => [
  ...checked(min, asked, type, checkMinimum),
  ...checked(max, asked, type, checkMaximum),
  ...checked(maxLimitRequestRatio, asked, type, checkRatio),
];

function checked(bounds: Amounts = {}, { requests = {}, limits = {} }: Asked, type: string, check: Check): string[] {
  return Object.keys(bounds)
    .toSorted()
    .flatMap((resource) => {
      const enforced = bounds[resource] ?? '0';
      return check({ type, resource, enforced, request: requests[resource], limit: limits[resource] }) ?? [];
    });
}

function comparable({ request = '0', limit = '0', enforced }: Bound): readonly [number, number, number] {
  const amounts = [request, limit, enforced] as const;
  const isFine = amounts.every((amount) => bytesOf(amount) <= UNITS_MAX_FOR_MILLI);
  const measure = isFine ? milliOf : bytesOf;
  return [measure(request), measure(limit), measure(enforced)];
}

const checkMinimum: Check = (bound) => {
  const { type, resource, enforced, request, limit } = bound;
  const [requested, limited, least] = comparable(bound);
  const rule = `minimum ${resource} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (requested < least) return `${rule}, but request is ${request}`;
  return limit !== undefined && limited < least ? `${rule}, but limit is ${limit}` : undefined;
};

const checkMaximumRequest: Check = (bound) => {
  const { type, resource, enforced, request } = bound;
  const [requested, , most] = comparable({ ...bound, limit: undefined });
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return requested > most ? `${rule}, but request is ${request}` : undefined;
};

const checkMaximum: Check = (bound) => {
  const { type, resource, enforced, request, limit } = bound;
  const [requested, limited, most] = comparable(bound);
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limited > most) return `${rule}, but limit is ${limit}`;
  return request !== undefined && requested > most ? `${rule}, but request is ${request}` : undefined;
};

const checkRatio: Check = (bound) => {
  const { type, resource, enforced } = bound;
  const [requested, limited] = comparable(bound);
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced}`;
  if (requested === 0) return `${rule}, but no request is specified or request is 0`;
  if (limited === 0) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limited / requested;
  const isFine = bytesOf(enforced) <= UNITS_MAX_FOR_MILLI;
  const isAbove = isFine ? ratio * 1000 > milliOf(enforced) : ratio > bytesOf(enforced);
  return isAbove ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};

type Kind = 'requests' | 'limits';

/** What a pod as a whole asks: its containers together, or more where its start needs more, or what it says itself. */
function totalOf({ containers, initContainers = [], resources }: Pod['spec'], kind: Kind): Amounts {
  const total = new Map<string, string>();
  const lasting = new Map<string, string>();
  const starting = new Map<string, string>();
  for (const container of containers) add(total, askedBy(container, kind));
  for (const container of initContainers) {
    const own = askedBy(container, kind);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(lasting, own);
      raise(starting, lasting);
    } else {
      const together = new Map(own);
      add(together, lasting);
      raise(starting, together);
    }
  }
  raise(total, starting);
  const said = resources?.[kind] ?? {};
  return { ...Object.fromEntries(total), ...pick(said, ['cpu', 'memory']) };
}

const askedBy = ({ resources }: Container, kind: Kind): readonly (readonly [string, string])[] =>
  Object.entries(resources?.[kind] ?? {});

function add(to: Map<string, string>, amounts: Iterable<readonly [string, string]>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    to.set(name, known === undefined ? amount : formatQuantity(addQuantities(known, amount)));
  }
}

function raise(to: Map<string, string>, amounts: Iterable<readonly [string, string]>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) to.set(name, amount);
  }
}

const pick = (amounts: Amounts, names: readonly string[]): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => names.includes(name)));
