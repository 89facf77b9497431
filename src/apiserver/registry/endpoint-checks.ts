// The rules of Endpoints and EndpointSlices.
// kubernetes:pkg/apis/{core,discovery}/validation/validation.go, kubernetes:pkg/registry/{core/endpoint,discovery/endpointslice}/strategy.go
import { type FieldError, duplicate, invalid, required, tooMany } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { faultsOfLabel, faultsOfSubdomain } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import {
  checkLabel,
  checkLabelValue,
  checkOneOf,
  checkQualifiedName,
  checkPortNumber,
  checkSubdomain,
} from './field-checks.ts';
import type { StoredObject } from './generic-call.ts';
import { checkAddress, checkCanonicalAddress, checkReachable, warnOfAddress } from './internet-address.ts';
import { numberOf, optionalPart, partsOf, textOf, textsOf } from './json-parts.ts';

type Faults = readonly FieldError[];

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'] as const;
const ADDRESSES_MAX = 100;
const PORTS_MAX = 20_000;
const ENDPOINTS_MAX = 1000;
const HINTS_MAX = 8;
const LISTS = ['addresses', 'notReadyAddresses'] as const;

export const checkEndpoints = (endpoints: KubeObject): Faults =>
  subsetsOf(endpoints).flatMap((subset, index) => checkSubset(subset, `subsets[${index}]`));

const subsetsOf = (endpoints: KubeObject): readonly JsonObject[] => partsOf((endpoints as StoredObject)['subsets']);

function checkSubset(subset: JsonObject, path: string): Faults {
  const ports = partsOf(subset['ports']);
  const lists = LISTS.filter((name) => partsOf(subset[name]).length > 0);
  return [
    ...(lists.length === 0 ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...lists.flatMap((name) =>
      partsOf(subset[name]).flatMap((address, index) => {
        const at = `${path}.${name}[${index}]`;
        const { nodeName } = address;
        const [ip, hostname] = [textOf(address['ip']), textOf(address['hostname'])];
        return [
          ...checkAddress(`${at}.ip`, ip),
          ...(hostname === '' ? [] : checkLabel(`${at}.hostname`, hostname)),
          ...(typeof nodeName === 'string' ? checkSubdomain(`${at}.nodeName`, nodeName) : []),
          ...checkReachable(`${at}.ip`, ip),
        ];
      }),
    ),
    ...ports.flatMap((port, index) => checkSubsetPort(port, ports.length > 1, `${path}.ports[${index}]`)),
  ];
}

function checkSubsetPort(port: JsonObject, needsName: boolean, path: string): Faults {
  const name = textOf(port['name']);
  return [
    ...(name === '' ? (needsName ? [required(`${path}.name`)] : []) : checkLabel(`${path}.name`, name)),
    ...checkPortNumber(`${path}.port`, numberOf(port['port']) ?? 0),
    ...checkOneOf(`${path}.protocol`, textOf(port['protocol']), PROTOCOLS),
    ...checkAppProtocol(port, path),
  ];
}

function checkAppProtocol({ appProtocol }: JsonObject, path: string): Faults {
  return typeof appProtocol === 'string' ? checkQualifiedName(`${path}.appProtocol`, appProtocol) : [];
}

export const warnOfEndpoints = (endpoints: KubeObject): readonly string[] =>
  subsetsOf(endpoints).flatMap((subset, at) =>
    LISTS.flatMap((name) =>
      partsOf(subset[name]).flatMap((address, index) =>
        warnOfAddress(`subsets[${at}].${name}[${index}].ip`, textOf(address['ip'])),
      ),
    ),
  );

export function checkSlice(slice: KubeObject): Faults {
  const { addressType, endpoints, ports } = slice as StoredObject;
  const type = textOf(addressType);
  return [
    ...(type === '' ? [required('addressType')] : checkOneOf('addressType', type, ADDRESS_TYPES)),
    ...checkSlicePorts(partsOf(ports)),
    ...checkSliceEndpoints(partsOf(endpoints), type),
  ];
}

function checkSlicePorts(ports: readonly JsonObject[]): Faults {
  if (ports.length > PORTS_MAX) return [tooMany('ports', ports.length, PORTS_MAX)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `ports[${index}]`;
    const name = textOf(port['name']);
    const isTwice = names.has(name);
    names.add(name);
    return [
      ...(name === '' ? [] : checkLabel(`${path}.name`, name)),
      ...(isTwice ? [duplicate(`${path}.name`, name)] : []),
      ...checkOneOf(`${path}.protocol`, textOf(port['protocol']), PROTOCOLS),
      ...checkAppProtocol(port, path),
    ];
  });
}

function checkSliceEndpoints(endpoints: readonly JsonObject[], type: string): Faults {
  if (endpoints.length > ENDPOINTS_MAX) return [tooMany('endpoints', endpoints.length, ENDPOINTS_MAX)];
  return endpoints.flatMap((endpoint, index) => checkEndpoint(endpoint, type, `endpoints[${index}]`));
}

function checkEndpoint(endpoint: JsonObject, type: string, path: string): Faults {
  const addresses = textsOf(endpoint['addresses']);
  const { hostname, nodeName } = endpoint;
  const at = `${path}.addresses`;
  const hints = optionalPart(endpoint['hints']);
  return [
    ...(addresses.length === 0 ? [required(at, 'must contain at least 1 address')] : []),
    ...(addresses.length > ADDRESSES_MAX ? [tooMany(at, addresses.length, ADDRESSES_MAX)] : []),
    ...addresses.flatMap((address, index) => checkOfType(address, type, at, index)),
    ...(typeof nodeName === 'string' ? checkSubdomain(`${path}.nodeName`, nodeName) : []),
    ...(typeof hostname === 'string' ? checkLabel(`${path}.hostname`, hostname) : []),
    ...(hints === undefined ? [] : checkHints(hints, `${path}.hints`)),
  ];
}

/** IPv6 addresses are written in one way only; for the others that would have come too late. */
function checkOfType(address: string, type: string, path: string, index: number): Faults {
  const at = `${path}[${index}]`;
  if (type === 'FQDN') return checkDomain(at, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const faults = type === 'IPv4' ? checkAddress(at, address) : checkCanonicalAddress(at, address);
  if (faults.length > 0) return faults;
  const isOfType = address.includes(':') === (type === 'IPv6');
  return [...(isOfType ? [] : [invalid(path, address, `must be an ${type} address`)]), ...checkReachable(at, address)];
}

function checkDomain(path: string, text: string): Faults {
  if (text === '') return [required(path)];
  const name = text.replace(/\.$/, '');
  const faults = faultsOfSubdomain(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  const wrong = labels.find((label) => faultsOfLabel(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, faultsOfLabel(wrong).join(','))];
}

function checkHints(hints: JsonObject, path: string): Faults {
  const [zones, nodes] = [partsOf(hints['forZones']), partsOf(hints['forNodes'])];
  if (zones.length > HINTS_MAX) return [tooMany(`${path}.forZones`, zones.length, HINTS_MAX)];
  const ofZones = checkNames(zones, `${path}.forZones`, checkLabelValue);
  if (nodes.length > HINTS_MAX) return [...ofZones, tooMany(`${path}.forNodes`, nodes.length, HINTS_MAX)];
  return [...ofZones, ...checkNames(nodes, `${path}.forNodes`, checkSubdomain)];
}

function checkNames(parts: readonly JsonObject[], path: string, check: (path: string, name: string) => Faults): Faults {
  const names = new Set<string>();
  return parts.flatMap((part, index) => {
    const at = `${path}[${index}].name`;
    const name = textOf(part['name']);
    const isTwice = names.has(name);
    names.add(name);
    return [...(isTwice ? [duplicate(at, name)] : []), ...check(at, name)];
  });
}

export function warnOfSlice(slice: KubeObject, before: KubeObject | undefined): readonly string[] {
  const { addressType, endpoints } = slice as StoredObject;
  return [
    ...(before === undefined && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...partsOf(endpoints).flatMap((endpoint, at) =>
      textsOf(endpoint['addresses']).flatMap((address, index) =>
        warnOfAddress(`endpoints[${at}].addresses[${index}]`, address),
      ),
    ),
  ];
}
