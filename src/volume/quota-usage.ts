// What an object is charged to resource quotas: the one evaluator of the admission plugin, which charges a write before it
// is stored, and of the quota controller, which counts again what is stored.
// kubernetes:pkg/quota/v1/evaluator/core, staging/src/k8s.io/apiserver/pkg/quota/v1
import type { InstantMs } from '../base/clock.ts';
import type { KubeObject, ResourceName } from '../kube/object.ts';
import {
  type Quantity,
  addQuantities,
  bytesOf,
  compareQuantities,
  formatBytes,
  formatQuantity,
  isWholeQuantity,
  isZeroQuantity,
  subtractQuantities,
} from '../kube/quantity.ts';
import type { QuotaDecision, QuotaWrite } from '../kube/quota-write.ts';
import type { PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import type { PodSpec } from '../kube/resources/pod-spec.ts';
import type { Pod } from '../kube/resources/pod.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../kube/resources/resource-quota.ts';
import type { Service } from '../kube/resources/service.ts';
import { claimClass } from './claim-class.ts';

/** Quantities by resource name: `requests.storage`, `count/secrets`, `gold.storageclass.storage.k8s.io/requests.storage`. */
export type Amounts = Readonly<Record<string, string>>;

const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';
const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];
const POD_NAMES = [
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];
const SERVICE_NAMES = ['services', 'services.nodeports', 'services.loadbalancers'];
/** Kinds that quotas counted under a plain name before `count/…` existed. */
const COUNTED_PLAINLY = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];
/** A quota on one of these makes it a duty of every container to say what it needs. */
const MANDATORY = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

const isClaim = (object: KubeObject): object is PersistentVolumeClaim => object.kind === 'PersistentVolumeClaim';
const isPod = (object: KubeObject): object is Pod => object.kind === 'Pod';
const isService = (object: KubeObject): object is Service => object.kind === 'Service';

const countName = ({ group, plural }: ResourceName): string =>
  group === '' ? `count/${plural}` : `count/${plural}.${group}`;

/** Those of a quota's names that objects of this resource are charged to. */
export function chargedNames(resource: ResourceName, names: readonly string[]): readonly string[] {
  const counted = countName(resource);
  return names.filter((name) => name === counted || isChargedTo(resource, name));
}

function isChargedTo({ group, plural }: ResourceName, name: string): boolean {
  if (group !== '') return false;
  switch (plural) {
    case 'persistentvolumeclaims':
      return CLAIM_NAMES.some((each) => name === each || name.endsWith(`${CLASS_SUFFIX}${each}`));
    case 'pods':
      return POD_NAMES.includes(name) || /^(?:requests\.)?hugepages-/.test(name) || isExtendedRequest(name);
    case 'services':
      return SERVICE_NAMES.includes(name);
    default:
      return COUNTED_PLAINLY.includes(plural) && name === plural;
  }
}

const isExtendedRequest = (name: string): boolean =>
  name.startsWith('requests.') && name.includes('/') && !name.includes('kubernetes.io/');

/** All that an object is charged, whether or not some quota asks for it. */
function usageOf(resource: ResourceName, object: KubeObject, now: InstantMs): Amounts {
  const counted = { [countName(resource)]: '1' };
  if (isClaim(object)) return { ...counted, ...claimUsage(object) };
  if (isPod(object)) return { ...counted, ...podUsage(object, now) };
  if (isService(object)) return { ...counted, ...serviceUsage(object) };
  return COUNTED_PLAINLY.includes(resource.plural) && resource.group === ''
    ? { ...counted, [resource.plural]: '1' }
    : counted;
}

function claimUsage(claim: PersistentVolumeClaim): Amounts {
  const className = claimClass(claim);
  const size = claimedSize(claim);
  const own: Amounts = { persistentvolumeclaims: '1', ...(size === undefined ? {} : { 'requests.storage': size }) };
  if (className === '') return own;
  const ofClass = Object.entries(own).map(([name, amount]): [string, string] => [
    `${className}${CLASS_SUFFIX}${name}`,
    amount,
  ]);
  return { ...own, ...Object.fromEntries(ofClass) };
}

/** What the claim asks for, or what an expansion under way has been promised, if that is more; whole bytes, rounded up. */
function claimedSize(claim: PersistentVolumeClaim): string | undefined {
  const request = claim.spec.resources.requests?.['storage'];
  if (request === undefined) return undefined;
  const asked = wholeBytes(request);
  const allocated = claim.status.allocatedResources?.['storage'];
  return allocated !== undefined && compareQuantities(allocated, asked) > 0 ? wholeBytes(allocated) : asked;
}

const wholeBytes = (size: string): string => (isWholeQuantity(size) ? size : formatBytes(bytesOf(size)));

/** A pod that has ended, or whose time to end is over, holds nothing but its place in the store. */
function podUsage(pod: Pod, now: InstantMs): Amounts {
  return hasEnded(pod, now) ? {} : computeUsage(podDemand(pod.spec, 'requests'), podDemand(pod.spec, 'limits'));
}

function hasEnded(pod: Pod, now: InstantMs): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = pod.metadata;
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return true;
  if (deletionTimestamp === undefined || grace === undefined) return false;
  return now > Date.parse(deletionTimestamp) + grace * 1000;
}

/**
 * What a pod needs at once: its containers and sidecars together, or the greediest moment of its start, and the overhead of
 * running it. What the pod as a whole asks for stands above its containers.
 */
function podDemand(spec: PodSpec, list: 'requests' | 'limits'): Amounts {
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    const own = container.resources[list] ?? {};
    if (container.restartPolicy === 'Always') sidecars = addAmounts(sidecars, own);
    const atOnce = container.restartPolicy === 'Always' ? sidecars : addAmounts(sidecars, own);
    starting = largerAmounts(starting, atOnce);
  }
  const running = spec.containers.reduce(
    (sum, container) => addAmounts(sum, container.resources[list] ?? {}),
    sidecars,
  );
  const needed = { ...largerAmounts(running, starting), ...spec.resources?.[list] };
  return list === 'limits' ? addToLimited(needed, spec.overhead ?? {}) : addAmounts(needed, spec.overhead ?? {});
}

/** Overhead counts against a limit only where there is one. */
const addToLimited = (limits: Amounts, overhead: Amounts): Amounts =>
  addAmounts(limits, maskAmounts(overhead, Object.keys(withoutZeros(limits))));

function largerAmounts(left: Amounts, right: Amounts): Amounts {
  const larger: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    const other = left[name];
    if (other === undefined || compareQuantities(amount, other) > 0) larger[name] = amount;
  }
  return larger;
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Record<string, string> = { pods: '1' };
  for (const [name, amount] of Object.entries(requests)) {
    const isPlain =
      name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
    if (isPlain) usage[name] = amount;
    if (isPlain || isExtendedRequest(`requests.${name}`)) usage[`requests.${name}`] = amount;
  }
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const limit = limits[name];
    if (limit !== undefined) usage[`limits.${name}`] = limit;
  }
  return usage;
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = spec.ports ?? [];
  const isBalanced = spec.type === 'LoadBalancer';
  const chosen = ports.filter(({ nodePort = 0 }) => nodePort !== 0);
  const onNodes = isBalanced && spec.allocateLoadBalancerNodePorts === false ? chosen : ports;
  const hasNodePorts = isBalanced || spec.type === 'NodePort';
  return {
    services: '1',
    'services.loadbalancers': isBalanced ? '1' : '0',
    'services.nodeports': hasNodePorts ? String(onNodes.length) : '0',
  };
}

/** A sentence on what the containers of a pod fail to say although a quota on these names demands it. */
function missingDemands(object: KubeObject, names: readonly string[]): string | undefined {
  if (!isPod(object) || object.spec.resources !== undefined) return undefined;
  const containers = [...object.spec.containers, ...(object.spec.initContainers ?? [])];
  const told = names
    .filter((name) => MANDATORY.includes(name))
    .toSorted()
    .flatMap((name) => {
      const silent = containers.filter(
        ({ resources }) => !(name in computeUsage(resources.requests ?? {}, resources.limits ?? {})),
      );
      const list = [...new Set(silent.map((container) => container.name))].toSorted().join(',');
      return silent.length === 0 ? [] : [`${name} for: ${list}`];
    });
  return told.length === 0 ? undefined : `must specify ${told.join('; ')}`;
}

/** Every scope of the quota holds for the object. A quota without scopes is about all objects. */
function isInScope(quota: Pick<ResourceQuota, 'spec'>, object: KubeObject): boolean {
  const scopes = (quota.spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...scopes, ...(quota.spec.scopeSelector?.matchExpressions ?? [])].every((scope) =>
    matchesScope(scope, object),
  );
}

function matchesScope(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean {
  if (isClaim(object)) {
    return scope.scopeName === 'VolumeAttributesClass' && matchesNames(scope, attributesClassesOf(object));
  }
  if (!isPod(object)) return false;
  switch (scope.scopeName) {
    case 'Terminating':
      return hasDeadline(object);
    case 'NotTerminating':
      return !hasDeadline(object);
    case 'BestEffort':
      return object.status.qosClass === 'BestEffort';
    case 'NotBestEffort':
      return object.status.qosClass !== 'BestEffort';
    case 'PriorityClass':
      return matchesNames(scope, [object.spec.priorityClassName ?? '']);
    case 'CrossNamespacePodAffinity':
      return reachesAcrossNamespaces(object);
    default:
      return false;
  }
}

const hasDeadline = (pod: Pod): boolean => (pod.spec.activeDeadlineSeconds ?? -1) >= 0;

function attributesClassesOf({ spec, status }: PersistentVolumeClaim): readonly string[] {
  return [
    spec.volumeAttributesClassName ?? '',
    status.currentVolumeAttributesClassName ?? '',
    status.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '',
  ];
}

function matchesNames({ operator, values = [] }: ScopedResourceSelectorRequirement, given: readonly string[]): boolean {
  const names = given.filter((name) => name !== '');
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    default:
      return names.length === 0 || names.some((name) => !values.includes(name));
  }
}

function reachesAcrossNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

const NOTHING: QuotaDecision = { type: 'charge', quotas: [] };

/** Whether a write fits into every quota of its namespace, and what they have used then. Only growth is charged here. */
export function decideCharge(write: QuotaWrite, quotas: readonly ResourceQuota[]): QuotaDecision {
  if (!mayChangeUsage(write)) return NOTHING;
  const charged: ResourceQuota[] = [];
  const concerned = quotas.filter((quota) => concerns(quota, write.resource, write.object));
  for (const quota of concerned) {
    const message = unreadiness(quota, write);
    if (message !== undefined) return { type: 'refuse', message };
  }
  for (const quota of concerned) {
    const requested = maskAmounts(growth(quota, write), Object.keys(quota.status.hard ?? {}));
    if (Object.keys(requested).length === 0) continue;
    const used = addAmounts(quota.status.used ?? {}, requested);
    const message = write.subresource === 'status' ? undefined : excess(quota, requested, used);
    if (message !== undefined) return { type: 'refuse', message };
    charged.push({ ...quota, status: { ...quota.status, used } });
  }
  return { type: 'charge', quotas: charged };
}

/** Creation always counts. Later claims and services can grow, pods by a resize, and one that gains or loses a deadline changes scope. */
function mayChangeUsage({ resource, subresource, object, before }: QuotaWrite): boolean {
  if (resource.plural === 'events') return false;
  if (subresource === 'resize') return isPod(object) && before !== undefined;
  if (subresource !== undefined) return subresource === 'status' && isClaim(object) && before !== undefined;
  if (before === undefined) return true;
  if (isPod(object) && isPod(before)) return hasDeadline(object) !== hasDeadline(before);
  return isClaim(object) || isService(object);
}

const concerns = (quota: ResourceQuota, resource: ResourceName, object: KubeObject): boolean =>
  chargedNames(resource, Object.keys(quota.status.hard ?? {})).length > 0 && isInScope(quota, object);

/** Why a quota cannot judge the write: a container is silent about what it needs, or the quota has not been counted yet. */
function unreadiness(quota: ResourceQuota, { resource, object }: QuotaWrite): string | undefined {
  const { name } = quota.metadata;
  const names = chargedNames(resource, Object.keys(quota.status.hard ?? {}));
  const missing = missingDemands(object, names);
  if (missing !== undefined) return `failed quota: ${name}: ${missing}`;
  const { used = {} } = quota.status;
  return names.every((each) => each in used)
    ? undefined
    : `status unknown for quota: ${name}, resources: ${names.toSorted().join(',')}`;
}

/** What the write adds to what its object was charged before, if the quota charged that at all. */
function growth(quota: ResourceQuota, { resource, object, before, now }: QuotaWrite): Amounts {
  const usage = usageOf(resource, object, now);
  const wasCharged = before !== undefined && concerns(quota, resource, before);
  return withoutZeros(wasCharged ? subtractAmounts(usage, usageOf(resource, before, now)) : usage);
}

function excess(quota: ResourceQuota, requested: Amounts, used: Amounts): string | undefined {
  const { hard = {}, used: before = {} } = quota.status;
  const exceeded = exceededNames(maskAmounts(used, Object.keys(requested)), hard);
  if (exceeded.length === 0) return undefined;
  const [asked, had, limit] = [requested, before, hard].map((amounts) => printed(maskAmounts(amounts, exceeded)));
  return `exceeded quota: ${quota.metadata.name}, requested: ${asked}, used: ${had}, limited: ${limit}`;
}

const printed = (amounts: Amounts): string =>
  Object.keys(amounts)
    .toSorted()
    .map((name) => `${name}=${amounts[name] ?? ''}`)
    .join(',');

/** Everything that is stored of one resource in the quota's namespace. */
export interface Stock {
  readonly resource: ResourceName;
  readonly objects: Iterable<KubeObject>;
}

/** What a quota has used: every name it limits and some stock can be charged to, zero if nothing is. */
export function totalUsage(quota: ResourceQuota, stocks: Iterable<Stock>, now: InstantMs): Amounts {
  const names = Object.keys(quota.spec.hard ?? {});
  let used: Amounts = {};
  for (const { resource, objects } of stocks) {
    const charged = chargedNames(resource, names);
    if (charged.length === 0) continue;
    used = addAmounts(used, Object.fromEntries(charged.map((name) => [name, '0'])));
    for (const object of objects) {
      if (!isInScope(quota, object)) continue;
      used = addAmounts(used, maskAmounts(usageOf(resource, object, now), charged));
    }
  }
  return used;
}

function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    const before = left[name];
    sum[name] = before === undefined ? amount : text(addQuantities(before, amount));
  }
  return sum;
}

/** `left` without `right`; nothing falls below zero. */
function subtractAmounts(left: Amounts, right: Amounts): Amounts {
  const entries = Object.entries(left).map(([name, amount]): [string, string] => {
    const taken = right[name];
    if (taken === undefined) return [name, amount];
    return [name, compareQuantities(amount, taken) > 0 ? text(subtractQuantities(amount, taken)) : '0'];
  });
  return Object.fromEntries(entries);
}

const text = (quantity: Quantity): string => formatQuantity(quantity);

const maskAmounts = (amounts: Amounts, names: readonly string[]): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => names.includes(name)));

const withoutZeros = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => !isZeroQuantity(amount)));

/** Names of `limits` that `amounts` goes beyond. */
const exceededNames = (amounts: Amounts, limits: Amounts): readonly string[] =>
  Object.entries(limits)
    .filter(([name, limit]) => {
      const amount = amounts[name];
      return amount !== undefined && compareQuantities(amount, limit) > 0;
    })
    .map(([name]) => name);
