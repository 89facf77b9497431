// Internet addresses, blocks and host names, as kinds of the network check them.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go, pkg/apis/core/validation/validation.go
import { type FieldError, internalError, invalid, required } from '../../kube/field-error.ts';
import { checkSubdomain } from './field-checks.ts';

type Faults = readonly FieldError[];

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Undefined for what is no address. Leading zeros are read as if they were not there. */
function addressOf(text: string): Address | undefined {
  return text.includes(':') ? sixOf(text) : fourOf(text);
}

function fourOf(text: string): Address | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return { bits: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

function sixOf(text: string): Address | undefined {
  const tail = /^(.*:)(\d+(?:\.\d+){3})$/.exec(text);
  const four = tail === null ? undefined : fourOf(tail[2] ?? '');
  if (tail !== null && four === undefined) return undefined;
  const low = four === undefined ? '' : `${(four.value >> 16n).toString(16)}:${(four.value & 0xffffn).toString(16)}`;
  const whole = tail === null ? text : `${tail[1] ?? ''}${low}`;
  const halves = whole.split('::');
  if (halves.length > 2) return undefined;
  const groupsIn = (half: string | undefined): readonly string[] =>
    half === undefined || half === '' ? [] : half.split(':');
  const [left, right] = [groupsIn(halves[0]), groupsIn(halves[1])];
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return { bits: 128, value: groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n) };
}

interface Block extends Address {
  readonly prefix: number;
}

function blockOf(text: string): Block | undefined {
  const [, host = '', length = ''] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  const address = addressOf(host);
  const prefix = Number(length);
  return address === undefined || length === '' || prefix > address.bits ? undefined : { ...address, prefix };
}

/** An address of four parts, written as one of the other family. */
const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

/** The address that is meant by one of four parts that is written as one of the other family. */
const unmapped = (address: Address): Address =>
  isMapped(address) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;

const networkOf = ({ value, bits }: Address, prefix: number): bigint => value >> BigInt(bits - prefix);

/** Written as it is meant: no zeros in front. */
export function checkAddress(path: string, text: string): Faults {
  const address = addressOf(text);
  if (address === undefined) {
    return [invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (hasLeadingZero(text)) return [invalid(path, text, 'must not have leading 0s')];
  return isMapped(address) ? [invalid(path, text, 'must not be an IPv4-mapped IPv6 address')] : [];
}

/** As newer fields have it: in one way only. */
export function checkCanonicalAddress(path: string, text: string): Faults {
  const faults = checkAddress(path, text);
  const address = addressOf(text);
  if (faults.length > 0 || address === undefined) return faults;
  const canonical = addressText(address);
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}

/** Only the parts of an IPv4 address and the length of a prefix: groups of an IPv6 one may have them. */
const hasLeadingZero = (text: string): boolean => /(?:^|[.])0\d+(?=[./]|$)|:0\d+[.]|\/0\d/.test(text);

/** What is said of an address that is not written as it should be, and of one of the newer family that RFC 5952 writes otherwise. */
export function warnOfAddress(path: string, text: string): readonly string[] {
  const address = addressOf(text);
  if (address === undefined) return [];
  if (hasLeadingZero(text) || isMapped(address)) {
    const meant = addressText(unmapped(address));
    return [`${path}: non-standard IP address ${quoted(text)} is invalid: use ${quoted(meant)}`];
  }
  return address.bits === 128 ? adviseCanonical(path, 'address', text, addressText(address)) : [];
}

export function warnOfBlock(path: string, text: string): readonly string[] {
  const block = blockOf(text);
  if (block?.bits !== 128 || isMapped(block)) return [];
  return adviseCanonical(path, 'CIDR value', text, `${addressText(block)}/${block.prefix}`);
}

const adviseCanonical = (path: string, what: string, text: string, canonical: string): readonly string[] =>
  text === canonical
    ? []
    : [`${path}: IPv6 ${what} ${quoted(text)} should be in RFC 5952 canonical format (${quoted(canonical)})`];

const quoted = (text: string): string => JSON.stringify(text);

/** RFC 5952: no zeros in front, the longest run of zero groups left out, the first of several. */
function addressText({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const { from, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + length).join(':')}`;
}

function longestZeros(groups: readonly string[]): { readonly from: number; readonly length: number } {
  let best = { from: 0, length: 0 };
  for (let from = 0; from < groups.length; from++) {
    const end = groups.findIndex((group, index) => index >= from && group !== '0');
    const length = (end < 0 ? groups.length : end) - from;
    if (length > best.length) best = { from, length };
  }
  return best;
}

interface Range {
  readonly blocks: readonly string[];
  readonly says: string;
}
const SPECIAL: readonly Range[] = [
  {
    blocks: ['127.0.0.0/8', '::1/128'],
    says: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  },
  {
    blocks: ['169.254.0.0/16', 'fe80::/10'],
    says: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    blocks: ['224.0.0.0/24', 'ff02::/16'],
    says: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
];

/** Traffic to an endpoint must leave the machine that sends it. */
export function checkReachable(path: string, text: string): Faults {
  const address = addressOf(text);
  if (address === undefined) return [invalid(path, text, 'must be a valid IP address')];
  if (address.value === 0n) return [invalid(path, text, `may not be unspecified (${text})`)];
  return SPECIAL.filter(({ blocks }) => blocks.some((block) => isIn(address, blockOf(block)))).map(({ says }) =>
    invalid(path, text, says),
  );
}

function isIn(address: Address, block: Block | undefined): boolean {
  if (block?.bits !== address.bits) return false;
  return networkOf(address, block.prefix) === networkOf(block, block.prefix);
}

const BLOCK_RULE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** A block of addresses and what is taken out of it. */
export function checkBlock(text: string, except: readonly string[], path: string): Faults {
  if (text === '') return [required(`${path}.cidr`)];
  const faults = checkCidr(`${path}.cidr`, text);
  const block = blockOf(text);
  if (block === undefined) return faults;
  const inner = except.flatMap((each, index) => checkTakenOut(each, block, `${path}.except[${index}]`));
  return [...faults, ...inner];
}

function checkTakenOut(text: string, block: Block, path: string): Faults {
  const inner = blockOf(text);
  const isPart = inner === undefined || (isIn(unmapped(inner), block) && inner.prefix > block.prefix);
  return [...checkCidr(path, text), ...(isPart ? [] : [invalid(path, text, 'must be a strict subset of `cidr`')])];
}

/** Written as it is meant: no zeros in front, and nothing beyond the prefix. */
export function checkCidr(path: string, text: string): Faults {
  const block = blockOf(text);
  if (block === undefined) return [invalid(path, text, BLOCK_RULE)];
  if (hasLeadingZero(text)) return [invalid(path, text, 'must not have leading 0s in IP or prefix length')];
  if (isMapped(block)) return [invalid(path, text, 'must not have an IPv4-mapped IPv6 address')];
  return block.value === networkOf(block, block.prefix) << BigInt(block.bits - block.prefix)
    ? []
    : [invalid(path, text, 'must not have bits set beyond the prefix length')];
}

/** The blocks of one holder: at most one for each family. */
export function checkFamilies(path: string, texts: readonly string[]): Faults {
  const blocks = texts.map(blockOf);
  const faults = texts.flatMap((text, index) => checkCidr(`${path}[${index}]`, text));
  if (blocks.length < 2) return faults;
  const unread = blocks.indexOf(undefined);
  const families = new Set(blocks.map((block) => block?.bits));
  return [
    ...faults,
    ...(unread < 0 ? [] : [unreadFamilies(path, unread, texts[unread] ?? '')]),
    ...(unread < 0 && families.size === 2 && blocks.length === 2
      ? []
      : [invalid(path, texts, 'may specify no more than one CIDR for each IP family')]),
  ];
}

const unreadFamilies = (path: string, index: number, text: string): FieldError =>
  internalError(
    path,
    `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${index}]: <nil> (invalid CIDR address: ${text})`,
  );

const WILDCARD = String.raw`\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const WILDCARD_RULE = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${WILDCARD}')`;

/** A name, or all names below one. */
export function checkHost(host: string, path: string): Faults {
  if (host.includes('*')) return new RegExp(`^${WILDCARD}$`).test(host) ? [] : [invalid(path, host, WILDCARD_RULE)];
  return [...checkNoAddress(path, host), ...checkSubdomain(path, host)];
}

export const checkNoAddress = (path: string, host: string): Faults =>
  addressOf(host) === undefined ? [] : [invalid(path, host, 'must be a DNS name, not an IP address')];
