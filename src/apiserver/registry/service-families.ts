// Which families of addresses a service gets. The cluster has one, IPv4; only a service that names neither an address nor
// pods may be of both. kubernetes:pkg/registry/core/service/storage/alloc.go (initIPFamilyFields)
import { type FieldError, invalid } from '../../kube/field-error.ts';
import type { ServiceSpec } from '../../kube/resources/service.ts';
import { sameValue } from './semantic-equal.ts';
import { checkAddresses } from './service-address-checks.ts';
import { familyOf, hasAddress, isBare } from './service-traits.ts';

type Faults = readonly FieldError[];

interface Judged {
  readonly spec: ServiceSpec;
  readonly faults: Faults;
}

const OWN_FAMILY = 'IPv4';
const OTHER_FAMILY = 'IPv6';
const POLICY_PATH = 'spec.ipFamilyPolicy';

export function withFamilies(given: ServiceSpec, before: ServiceSpec | undefined): Judged {
  if (!hasAddress(given) || isSettled(given, before)) return { spec: given, faults: [] };
  const unsaid = isBare(given) ? 'RequireDualStack' : 'SingleStack';
  const ipFamilyPolicy = given.ipFamilyPolicy ?? before?.ipFamilyPolicy ?? unsaid;
  const asked = { ...given, ipFamilyPolicy };
  const unread = checkAddresses(asked, before);
  if (unread.length > 0) return { spec: asked, faults: unread };
  const spec = before === undefined ? asked : released(asked, before);
  const { ipFamilies, faults: unknown } = inferred(spec);
  const unfit = [...(before === undefined ? [] : checkRelease(spec, before)), ...checkSingle(spec), ...unknown];
  if (unfit.length > 0) return { spec, faults: unfit };
  if (isBare(spec)) return { spec: { ...spec, ipFamilies: familiesOfBare(ipFamilies, ipFamilyPolicy) }, faults: [] };
  const faults = checkConfigured(ipFamilyPolicy, ipFamilies);
  return { spec: { ...spec, ipFamilies: ipFamilies.length === 0 ? [OWN_FAMILY] : ipFamilies }, faults };
}

/** A preference that is met as far as it can be is not looked at again. */
function isSettled(spec: ServiceSpec, before: ServiceSpec | undefined): boolean {
  return (
    before !== undefined &&
    before.type === spec.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameValue(before.clusterIPs, spec.clusterIPs) &&
    sameValue(before.ipFamilies, spec.ipFamilies)
  );
}

/** To ask for one family is enough to give the other back. */
function released(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  if (spec.ipFamilyPolicy !== 'SingleStack') return spec;
  const { clusterIPs = [], ipFamilies = [] } = spec;
  return {
    ...spec,
    clusterIPs: sameValue(clusterIPs, before.clusterIPs) ? clusterIPs.slice(0, 1) : clusterIPs,
    ipFamilies: sameValue(ipFamilies, before.ipFamilies) ? ipFamilies.slice(0, 1) : ipFamilies,
  };
}

function checkRelease(spec: ServiceSpec, before: ServiceSpec): Faults {
  if (spec.ipFamilyPolicy === 'SingleStack') return [];
  const isReduced = (key: 'clusterIPs' | 'ipFamilies'): boolean => {
    const { length } = spec[key] ?? [];
    return length > 0 && length < (before[key] ?? []).length;
  };
  const refused = (what: string): FieldError =>
    invalid(POLICY_PATH, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isReduced('clusterIPs') ? [refused('cluster IP')] : []),
    ...(isReduced('ipFamilies') ? [refused('IP family')] : []),
  ];
}

function checkSingle({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): Faults {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const refused = (what: string): FieldError =>
    invalid(
      POLICY_PATH,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs.length === 2 ? [refused('cluster IPs')] : []),
    ...(ipFamilies.length === 2 ? [refused('IP families')] : []),
  ];
}

/** The families that are named, and after them those of addresses that have none. */
function inferred({ clusterIPs = [], ipFamilies: named = [] }: ServiceSpec): {
  readonly ipFamilies: readonly string[];
  readonly faults: Faults;
} {
  const ipFamilies = [...named];
  const faults: FieldError[] = [];
  for (const [index, address] of clusterIPs.entries()) {
    if (address === 'None') break;
    if (index < ipFamilies.length) continue;
    const family = familyOf(address);
    if (family === OWN_FAMILY) ipFamilies.push(family);
    else faults.push(invalid(`spec.clusterIPs[${index}]`, clusterIPs, `${family} is not configured on this cluster`));
  }
  return { ipFamilies, faults };
}

function familiesOfBare(given: readonly string[], policy: string): readonly string[] {
  const [first = OWN_FAMILY, ...others] = given;
  if (policy === 'SingleStack' || others.length > 0) return [first, ...others];
  return [first, first === OWN_FAMILY ? OTHER_FAMILY : OWN_FAMILY];
}

const checkConfigured = (policy: string, families: readonly string[]): Faults => [
  ...(policy === 'RequireDualStack'
    ? [invalid(POLICY_PATH, policy, 'this cluster is not configured for dual-stack services')]
    : []),
  ...families.flatMap((family, index) =>
    family === OWN_FAMILY ? [] : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
  ),
];
