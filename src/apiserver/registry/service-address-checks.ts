// The addresses of a service, their families and how the two go together.
// kubernetes:pkg/apis/core/validation/validation.go (ValidateServiceClusterIPsRelatedFields, validateUpgradeDowngradeClusterIPs)
import { type FieldError, duplicate, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { ServiceSpec } from '../../kube/resources/service.ts';
import { checkOneOf } from './field-checks.ts';
import { checkAddress } from './internet-address.ts';
import { familyOf, hasAddress, isHeadless } from './service-traits.ts';

type Faults = readonly FieldError[];

const FAMILIES = ['IPv4', 'IPv6'] as const;
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'] as const;
const ADDRESSES_MAX = 2;
const PATH = 'spec.clusterIPs';

export function checkAddresses(spec: ServiceSpec, before: ServiceSpec | undefined): Faults {
  if (!hasAddress(spec)) return [];
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const unread = checkEach(clusterIPs, before?.clusterIPs ?? []);
  const tooMany = clusterIPs.length > ADDRESSES_MAX;
  return [
    ...checkFirst(spec.clusterIP ?? '', clusterIPs),
    ...ipFamilies.flatMap((family, index) => checkFamily(family, ipFamilies, index)),
    ...(ipFamilyPolicy === undefined ? [] : checkOneOf('spec.ipFamilyPolicy', ipFamilyPolicy, POLICIES)),
    ...unread,
    ...(tooMany ? [invalid(PATH, clusterIPs, `may only hold up to ${ADDRESSES_MAX} values`)] : []),
    ...(unread.length > 0 ? [] : checkFamiliesOf(clusterIPs, spec)),
  ];
}

/** The one address that older clients know is the first of the list. */
function checkFirst(clusterIP: string, clusterIPs: readonly string[]): Faults {
  if (clusterIP === '') {
    return clusterIPs.length === 0
      ? []
      : [invalid(PATH, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [required(PATH)];
  return clusterIPs[0] === clusterIP ? [] : [invalid(PATH, clusterIPs, 'first value must match `clusterIP`')];
}

function checkFamily(family: string, families: readonly string[], index: number): Faults {
  const path = `spec.ipFamilies[${index}]`;
  return [
    ...(FAMILIES.some((known) => known === family) ? [] : [notSupported(path, family, FAMILIES)]),
    ...(families.indexOf(family) < index ? [duplicate(path, family)] : []),
  ];
}

function checkEach(clusterIPs: readonly string[], existing: readonly string[]): Faults {
  return clusterIPs.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return existing.includes(address) ? [] : checkAddress(`${PATH}[${index}]`, address);
    }
    return clusterIPs.length === 1 ? [] : [invalid(PATH, clusterIPs, "'None' must be the first and only value")];
  });
}

function checkFamiliesOf(clusterIPs: readonly string[], spec: ServiceSpec): Faults {
  const ofOneFamily = clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size === 1;
  const expected = isHeadless(spec) ? [] : (spec.ipFamilies ?? []);
  return [
    ...(ofOneFamily ? [invalid(PATH, clusterIPs, 'may specify no more than one IP for each IP family')] : []),
    ...clusterIPs.flatMap((address, index) => {
      const family = expected[index];
      if (family === undefined || family === familyOf(address)) return [];
      if (family !== 'IPv4' && family !== 'IPv6') return [];
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
      return [invalid(`${PATH}[${index}]`, address, detail)];
    }),
  ];
}

/** The address of a service stays while its type has one. */
export function checkAddressesKept(spec: ServiceSpec, before: ServiceSpec): Faults {
  if (!hasAddress(spec) || !hasAddress(before)) return [];
  const { clusterIPs = [] } = spec;
  return (before.clusterIPs ?? []).flatMap((address, index) =>
    address === clusterIPs[index] ? [] : [invalid(`${PATH}[${index}]`, clusterIPs, 'may not change once set')],
  );
}
