// Tables of kinds outside the storage chain: networks, roles, admission, devices and the like.
import { annotationOf } from '../../kube/annotations.ts';
import type { KubeObject } from '../../kube/object.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { ageOf, humanDuration } from './age.ts';
import { orNone, selectorText, shortList } from './cell-text.ts';
import { loadBalancers } from './core-printers.ts';
import { at, conditionAt, listAt, numberAt, textAt } from './field.ts';
import { AGE, type Cell, NAME, type Printer, boolean, integer, text, wideText } from './printer.ts';

const UNSET = '<unset>';
const DEFAULT_INGRESS_CLASS = 'ingressclass.kubernetes.io/is-default-class';

const age = ({ metadata }: KubeObject, now: number): string => ageOf(metadata.creationTimestamp, now);

/** A name, one text of the object, and an age: what many kinds show. */
const oneTextPrinter = (column: string, path: string): Printer => ({
  columns: [NAME, text(column), AGE],
  cells: (object, now) => [object.metadata.name, textAt(object, path), age(object, now)],
});

export const leasePrinter = oneTextPrinter('Holder', 'spec.holderIdentity');
export const runtimeClassPrinter = oneTextPrinter('Handler', 'handler');

export const priorityClassPrinter: Printer = {
  columns: [NAME, integer('Value'), boolean('Global-Default'), AGE, text('PreemptionPolicy')],
  cells: (priority, now) => [
    priority.metadata.name,
    numberAt(priority, 'value'),
    at(priority, 'globalDefault') === true,
    age(priority, now),
    textAt(priority, 'preemptionPolicy'),
  ],
};

export const ingressClassPrinter: Printer = {
  columns: [NAME, text('Controller'), text('Parameters'), AGE],
  cells: (ingressClass, now) => {
    const { name } = ingressClass.metadata;
    const isDefault = annotationOf(ingressClass, DEFAULT_INGRESS_CLASS) === 'true';
    return [
      isDefault ? `${name} (default)` : name,
      textAt(ingressClass, 'spec.controller'),
      parametersText(at(ingressClass, 'spec.parameters')),
      age(ingressClass, now),
    ];
  },
};

function parametersText(parameters: unknown): string {
  if (parameters === undefined) return '<none>';
  const group = at(parameters, 'apiGroup');
  const kind = textAt(parameters, 'kind');
  return `${typeof group === 'string' ? `${kind}.${group}` : kind}/${textAt(parameters, 'name')}`;
}

export const ingressPrinter: Printer = {
  columns: [NAME, ...['Class', 'Hosts', 'Address', 'Ports'].map(text), AGE],
  cells: (ingress, now) => [
    ingress.metadata.name,
    textAt(ingress, 'spec.ingressClassName', '<none>'),
    hostsText(listAt(ingress, 'spec.rules')),
    loadBalancers(at(ingress, 'status')).join(','),
    listAt(ingress, 'spec.tls').length === 0 ? '80' : '80, 443',
    age(ingress, now),
  ],
};

/** Rules without a host are counted as more, but not shown. */
function hostsText(rules: readonly unknown[]): string {
  const hosts = rules.map((rule) => textAt(rule, 'host')).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  const shown = hosts.slice(0, 3);
  const lastShown = rules.findIndex((rule) => textAt(rule, 'host') === shown.at(-1));
  const isMore = shown.length === 3 && lastShown < rules.length - 1;
  return isMore ? `${shown.join(',')} + ${rules.length - 3} more...` : shown.join(',');
}

/** Upstream sends the age although the table has no column for it. */
export const ipAddressPrinter: Printer = {
  columns: [NAME, text('ParentRef')],
  cells: (address, now) => [address.metadata.name, parentText(at(address, 'spec.parentRef')), age(address, now)],
};

function parentText(parent: unknown): string {
  if (parent === undefined) return '<none>';
  const [group, resource] = [textAt(parent, 'group'), textAt(parent, 'resource')];
  const kind = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  const namespace = textAt(parent, 'namespace');
  return [kind, ...(namespace === '' ? [] : [namespace]), textAt(parent, 'name')].join('/');
}

export const networkPolicyPrinter: Printer = {
  columns: [NAME, text('Pod-Selector'), AGE],
  cells: (policy, now) => [policy.metadata.name, selectorText(at(policy, 'spec.podSelector') ?? {}), age(policy, now)],
};

export const serviceCidrPrinter: Printer = {
  columns: [NAME, text('CIDRs'), AGE],
  cells: (cidr, now) => [cidr.metadata.name, listAt(cidr, 'spec.cidrs').join(','), age(cidr, now)],
};

export const endpointSlicePrinter: Printer = {
  columns: [NAME, ...['AddressType', 'Ports', 'Endpoints'].map(text), AGE],
  cells: (slice, now) => {
    const ports = listAt(slice, 'ports').map((port) => portText(port));
    const addresses = listAt(slice, 'endpoints').flatMap((each) => listAt(each, 'addresses').map(String));
    return [
      slice.metadata.name,
      textAt(slice, 'addressType'),
      shortList(ports, UNSET),
      shortList(addresses, UNSET),
      age(slice, now),
    ];
  },
};

function portText(port: unknown): string {
  const number = at(port, 'port');
  return typeof number === 'number' ? String(number) : textAt(port, 'name', '*');
}

export const roleBindingPrinter: Printer = {
  columns: [NAME, text('Role'), AGE, ...['Users', 'Groups', 'ServiceAccounts'].map(wideText)],
  cells: (binding, now) => {
    const subjects = listAt(binding, 'subjects');
    const named = (kind: string): string =>
      subjects
        .filter((subject) => textAt(subject, 'kind') === kind)
        .map((subject) =>
          [textAt(subject, 'namespace'), textAt(subject, 'name')].filter((word) => word !== '').join('/'),
        )
        .join(', ');
    return [
      binding.metadata.name,
      `${textAt(binding, 'roleRef.kind')}/${textAt(binding, 'roleRef.name')}`,
      age(binding, now),
      named('User'),
      named('Group'),
      named('ServiceAccount'),
    ];
  },
};

export const signingRequestPrinter: Printer = {
  columns: [NAME, AGE, ...['SignerName', 'Requestor', 'RequestedDuration', 'Condition'].map(text)],
  cells: (request, now) => {
    const seconds = at(request, 'spec.expirationSeconds');
    return [
      request.metadata.name,
      age(request, now),
      orNone(textAt(request, 'spec.signerName')),
      textAt(request, 'spec.username'),
      typeof seconds === 'number' ? humanDuration(seconds * SECOND_MS) : '<none>',
      signingStatus(request),
    ];
  },
};

function signingStatus(request: KubeObject): string {
  const has = (type: string): boolean => conditionAt(request, type) !== undefined;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const isIssued = textAt(request, 'status.certificate') !== '';
  return [decision, ...(has('Failed') ? ['Failed'] : []), ...(isIssued ? ['Issued'] : [])].join(',');
}

export const webhooksPrinter: Printer = {
  columns: [NAME, integer('Webhooks'), AGE],
  cells: (webhooks, now) => [webhooks.metadata.name, listAt(webhooks, 'webhooks').length, age(webhooks, now)],
};

const policyPrinter = (column: string, path: string): Printer => ({
  columns: [NAME, integer(column), text('ParamKind'), AGE],
  cells: (policy, now) => {
    const kind = at(policy, 'spec.paramKind');
    const shown = kind === undefined ? UNSET : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
    return [policy.metadata.name, listAt(policy, path).length, shown, age(policy, now)];
  },
});

export const validatingPolicyPrinter = policyPrinter('Validations', 'spec.validations');
export const mutatingPolicyPrinter = policyPrinter('Mutations', 'spec.mutations');

export const policyBindingPrinter: Printer = {
  columns: [NAME, text('PolicyName'), text('ParamRef'), AGE],
  cells: (binding, now) => {
    const name = textAt(binding, 'spec.paramRef.name');
    const namespace = textAt(binding, 'spec.paramRef.namespace') || '*';
    return [
      binding.metadata.name,
      textAt(binding, 'spec.policyName'),
      name === '' ? UNSET : `${namespace}/${name}`,
      age(binding, now),
    ];
  },
};

export const resourceClaimPrinter: Printer = {
  columns: [NAME, text('State'), AGE],
  cells: (claim, now) => [claim.metadata.name, claimState(claim), age(claim, now)],
};

function claimState(claim: KubeObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const isAllocated = at(claim, 'status.allocation') !== undefined;
  const isReserved = isAllocated && listAt(claim, 'status.reservedFor').length > 0;
  const states: readonly (readonly [boolean, string])[] = [
    [isDeleted, 'deleted'],
    [!isAllocated && !isDeleted, 'pending'],
    [isAllocated, 'allocated'],
    [isReserved, 'reserved'],
  ];
  return states.flatMap(([holds, word]) => (holds ? [word] : [])).join(',');
}

export const resourceSlicePrinter: Printer = {
  columns: [NAME, ...['Node', 'Driver', 'Pool'].map(text), AGE],
  cells: (slice, now) => [
    slice.metadata.name,
    textAt(slice, 'spec.nodeName'),
    textAt(slice, 'spec.driver'),
    textAt(slice, 'spec.pool.name'),
    age(slice, now),
  ],
};

export const flowSchemaPrinter: Printer = {
  columns: [NAME, ...['PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod'].map(text), AGE, text('MissingPL')],
  cells: (schema, now) => [
    schema.metadata.name,
    textAt(schema, 'spec.priorityLevelConfiguration.name'),
    numberAt(schema, 'spec.matchingPrecedence'),
    textAt(schema, 'spec.distinguisherMethod.type', '<none>'),
    age(schema, now),
    conditionAt(schema, 'Dangling') ?? '?',
  ],
};

export const priorityLevelPrinter: Printer = {
  columns: [NAME, ...['Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit'].map(text), AGE],
  cells: (level, now) => {
    const limited = at(level, 'spec.limited');
    const queuing = at(limited, 'limitResponse.queuing');
    const figure = (of: unknown, field: string): Cell => (of === undefined ? '<none>' : numberAt(of, field));
    return [
      level.metadata.name,
      textAt(level, 'spec.type'),
      figure(limited, 'nominalConcurrencyShares'),
      figure(queuing, 'queues'),
      figure(queuing, 'handSize'),
      figure(queuing, 'queueLengthLimit'),
      age(level, now),
    ];
  },
};

/** kubernetes:staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go */
export const apiServicePrinter: Printer = {
  columns: [NAME, text('Service'), text('Available'), AGE],
  cells: (service, now) => {
    const by = at(service, 'spec.service');
    return [
      service.metadata.name,
      by === undefined ? 'Local' : `${textAt(by, 'namespace')}/${textAt(by, 'name')}`,
      availableText(service),
      age(service, now),
    ];
  },
};

function availableText(service: KubeObject): string {
  const available = listAt(service, 'status.conditions').find((each) => textAt(each, 'type') === 'Available');
  if (available === undefined) return 'Unknown';
  const status = textAt(available, 'status');
  return status === 'True' ? status : `${status} (${textAt(available, 'reason')})`;
}
