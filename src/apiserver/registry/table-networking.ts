// Ingresses, their classes, network policies, endpoints and endpoint slices: defaults and rules.
// kubernetes:pkg/apis/{networking,discovery,core}/{v1/defaults.go,validation/validation.go}
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { faultsOfName } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import { checkImmutable, checkPortNumber, checkSubdomain } from './field-checks.ts';
import { checkEndpoints, checkSlice, warnOfEndpoints, warnOfSlice } from './endpoint-checks.ts';
import type { StoredObject } from './generic-call.ts';
import { withGeneration } from './generic-metadata.ts';
import { checkBlock, checkHost, warnOfBlock } from './internet-address.ts';
import {
  mappedParts,
  numberOf,
  optionalPart,
  partIn,
  partOf,
  partsOf,
  textOf,
  textsOf,
  withPart,
} from './json-parts.ts';
import { checkPort } from './probe-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;
const FORBIDDEN_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'] as const;
const FORBIDDEN_AT_ENDS = ['/..', '/.'] as const;

const withProtocol = (port: JsonObject): JsonObject => ({ protocol: 'TCP', ...port });

export const ingressTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  validate: (ingress) => checkIngress(partIn(ingress)),
  validateStatusUpdate: () => [],
};

export const ingressClassTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (ingressClass) =>
    withPart(ingressClass, (spec) => {
      const parameters = optionalPart(spec['parameters']);
      return parameters === undefined ? spec : { ...spec, parameters: { scope: 'Cluster', ...parameters } };
    }),
  validate: (ingressClass) => checkController(textOf(partIn(ingressClass)['controller'])),
  validateUpdate: (ingressClass, before) => [
    ...checkImmutable(
      'spec.controller',
      textOf(partIn(ingressClass)['controller']),
      textOf(partIn(before)['controller']),
    ),
    ...checkController(textOf(partIn(ingressClass)['controller'])),
  ],
};

export const networkPolicyTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (policy) =>
    withPart(policy, (spec) => {
      const types = ['Ingress', ...(partsOf(spec['egress']).length > 0 ? ['Egress'] : [])];
      return {
        ...spec,
        ...(spec['ingress'] === undefined ? {} : { ingress: mappedParts(spec['ingress'], withProtocols) }),
        ...(spec['egress'] === undefined ? {} : { egress: mappedParts(spec['egress'], withProtocols) }),
        policyTypes: textsOf(spec['policyTypes']).length === 0 ? types : spec['policyTypes'],
      };
    }),
  validate: (policy) => checkPolicy(partIn(policy)),
  warnings: (policy) => warnOfPolicy(partIn(policy)),
};

export const endpointsTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  hasGeneration: false,
  createsOnUpdate: true,
  applyDefaults: (endpoints) => {
    const { subsets } = endpoints as StoredObject;
    return subsets === undefined
      ? endpoints
      : ({ ...endpoints, subsets: mappedParts(subsets, withProtocols) } as KubeObject);
  },
  validate: checkEndpoints,
  warnings: warnOfEndpoints,
};

export const endpointSliceTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (slice) => {
    const { ports } = slice as StoredObject;
    const named = (port: JsonObject): JsonObject => ({ name: '', ...withProtocol(port) });
    return Array.isArray(ports) ? ({ ...slice, ports: mappedParts(ports, named) } as KubeObject) : slice;
  },
  // Clients find slices by their labels, so a change of labels is a change of what they say.
  prepareForUpdate: (slice, before) =>
    sameValue(slice.metadata.labels, before.metadata.labels)
      ? slice
      : withGeneration(slice as StoredObject, (before.metadata.generation ?? 0) + 1),
  validate: checkSlice,
  warnings: warnOfSlice,
  validateUpdate: (slice, before) => [
    ...checkSlice(slice),
    ...checkImmutable('addressType', (slice as StoredObject)['addressType'], (before as StoredObject)['addressType']),
  ],
};

const withProtocols = (rule: JsonObject): JsonObject =>
  rule['ports'] === undefined ? rule : { ...rule, ports: mappedParts(rule['ports'], withProtocol) };

function checkIngress(spec: JsonObject): Faults {
  const rules = partsOf(spec['rules']);
  const backend = optionalPart(spec['defaultBackend']);
  const className = spec['ingressClassName'];
  return [
    ...(rules.length === 0 && backend === undefined
      ? [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(backend === undefined ? [] : checkBackend(backend, 'spec.defaultBackend')),
    ...rules.flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)),
    ...partsOf(spec['tls']).flatMap((tls, index) =>
      textsOf(tls['hosts']).flatMap((host, at) => checkHost(host, `spec.tls[${index}].hosts[${at}]`)),
    ),
    ...(typeof className === 'string' ? checkSubdomain('spec.ingressClassName', className) : []),
  ];
}

function checkRule(rule: JsonObject, path: string): Faults {
  const host = textOf(rule['host']);
  const http = optionalPart(rule['http']);
  const paths = partsOf(http?.['paths']);
  return [
    ...(host === '' ? [] : checkHost(host, `${path}.host`)),
    ...(http !== undefined && paths.length === 0 ? [required(`${path}.http.paths`)] : []),
    ...paths.flatMap((each, index) => checkPath(each, `${path}.http.paths[${index}]`)),
  ];
}

function checkPath(given: JsonObject, path: string): Faults {
  const type = given['pathType'];
  if (typeof type !== 'string') return [required(`${path}.pathType`, 'pathType must be specified')];
  const text = textOf(given['path']);
  const isFree = type === 'ImplementationSpecific';
  const backend = checkBackend(partOf(given['backend']), `${path}.backend`);
  if (!PATH_TYPES.some((each) => each === type))
    return [notSupported(`${path}.pathType`, type, PATH_TYPES), ...backend];
  const isRelative = !text.startsWith('/') && !(isFree && text === '');
  const parts = isFree ? [] : FORBIDDEN_IN_PATHS.filter((part) => text.includes(part));
  const ends = isFree ? [] : FORBIDDEN_AT_ENDS.filter((part) => text.endsWith(part));
  return [
    ...(isRelative ? [invalid(`${path}.path`, text, 'must be an absolute path')] : []),
    ...parts.map((part) => invalid(`${path}.path`, text, `must not contain '${part}'`)),
    ...ends.map((part) => invalid(`${path}.path`, text, `cannot end with '${part}'`)),
    ...backend,
  ];
}

function checkBackend(backend: JsonObject, path: string): Faults {
  const resource = optionalPart(backend['resource']);
  const service = optionalPart(backend['service']);
  if (resource !== undefined && service !== undefined)
    return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined)
    return ['kind', 'name'].flatMap((field) =>
      textOf(resource[field]) === '' ? [required(`${path}.resource.${field}`)] : [],
    );
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')];
  const name = textOf(service['name']);
  return [
    ...(name === ''
      ? [required(`${path}.service.name`)]
      : faultsOfName('label', name).map((fault) => invalid(`${path}.service.name`, name, fault))),
    ...checkBackendPort(partOf(service['port']), path),
  ];
}

function checkBackendPort(port: JsonObject, path: string): Faults {
  const name = textOf(port['name']);
  const number = numberOf(port['number']) ?? 0;
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return checkPort(name, `${path}.service.port.name`);
  return number === 0
    ? [required(path, 'port name or number is required')]
    : checkPortNumber(`${path}.service.port.number`, number);
}

function checkController(controller: string): Faults {
  if (controller === '') return [required('spec.controller')];
  const [domain = '', path] = controller.split(/\/(.*)/s);
  if (path === undefined)
    return [invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return checkSubdomain('spec.controller', domain);
}

function checkPolicy(spec: JsonObject): Faults {
  const types = textsOf(spec['policyTypes']);
  const rules = (name: string, peers: string): Faults =>
    partsOf(spec[name]).flatMap((rule, index) => [
      ...partsOf(rule['ports']).flatMap((port, at) => checkPolicyPort(port, `spec.${name}[${index}].ports[${at}]`)),
      ...partsOf(rule[peers]).flatMap((peer, at) => checkPeer(peer, `spec.${name}[${index}].${peers}[${at}]`)),
    ]);
  return [
    ...validateLabelSelector(partOf(spec['podSelector']), 'spec.podSelector'),
    ...rules('ingress', 'from'),
    ...rules('egress', 'to'),
    ...(types.length > 2
      ? [invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
      : types.flatMap((type, index) =>
          ['Ingress', 'Egress'].includes(type)
            ? []
            : [notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress'])],
        )),
  ];
}

function checkPolicyPort({ protocol, port, endPort: end }: JsonObject, path: string): Faults {
  const isKnown = ['TCP', 'UDP', 'SCTP'].includes(textOf(protocol));
  const at = `${path}.endPort`;
  const last = numberOf(end);
  const misfit =
    typeof port === 'number'
      ? last !== undefined && last < port
        ? [invalid(at, port, 'must be greater than or equal to `port`')]
        : []
      : last === undefined
        ? []
        : [
            invalid(
              at,
              last,
              `may not be specified when \`port\` is ${port === undefined ? 'not specified' : 'non-numeric'}`,
            ),
          ];
  return [
    ...(isKnown ? [] : [notSupported(`${path}.protocol`, protocol, ['TCP', 'UDP', 'SCTP'])]),
    ...(typeof port === 'number' || typeof port === 'string' ? checkPort(port, `${path}.port`) : []),
    ...misfit,
    ...(typeof port === 'number' && last !== undefined ? checkPortNumber(at, last) : []),
  ];
}

function checkPeer(peer: JsonObject, path: string): Faults {
  const block = optionalPart(peer['ipBlock']);
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => peer[name] !== undefined);
  return [
    ...selectors.flatMap((name) => validateLabelSelector(partOf(peer[name]) as LabelSelector, `${path}.${name}`)),
    ...(block === undefined ? [] : checkBlock(textOf(block['cidr']), textsOf(block['except']), `${path}.ipBlock`)),
    ...(block === undefined && selectors.length === 0 ? [required(path, 'must specify a peer')] : []),
    ...(block !== undefined && selectors.length > 0
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

const PEERS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

const warnOfPolicy = (spec: JsonObject): readonly string[] =>
  PEERS.flatMap(([direction, side]) =>
    partsOf(spec[direction]).flatMap((rule, at) =>
      partsOf(rule[side]).flatMap((peer, index) => {
        const block = partOf(peer['ipBlock']);
        const path = `spec.${direction}[${at}].${side}[${index}].ipBlock`;
        const except = textsOf(block['except']).flatMap((each, which) => warnOfBlock(`${path}.except[${which}]`, each));
        return [...warnOfBlock(`${path}.cidr`, textOf(block['cidr'])), ...except];
      }),
    ),
  );
