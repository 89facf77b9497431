// Which texts may be names, label keys, label values and the like, with the sentences that refuse the others. Every
// `faultsOf…` answers all sentences that apply, in upstream's order; an empty list is a good name.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go and pkg/api/validate/content/*.go
import { unreachable } from '../base/assert.ts';

/** What a kind's names must be. */
export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SERVICE = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const SERVICE_PATTERN = new RegExp(`^${SERVICE}$`);
const QUALIFIED_PATTERN = new RegExp(`^${QUALIFIED}$`);
const CONFIG_KEY_PATTERN = new RegExp(`^${CONFIG_KEY}$`);

const LABEL_BYTES_MAX = 63;
const SUBDOMAIN_BYTES_MAX = 253;

/** Upstream counts bytes, whatever unit it then names. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

const patternFault = (rule: string, pattern: string, ...examples: readonly string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;

/** A UTF-16 unit is at most three bytes, so short texts need no counting. */
const lengthFaults = (value: string, bytesMax: number, unit: 'characters' | 'bytes'): readonly string[] =>
  value.length * 3 > bytesMax && byteLength(value) > bytesMax ? [`must be no more than ${bytesMax} ${unit}`] : [];

function subdomainFaults(value: string, unit: 'characters' | 'bytes'): readonly string[] {
  const faults = lengthFaults(value, SUBDOMAIN_BYTES_MAX, unit);
  if (SUBDOMAIN_PATTERN.test(value)) return faults;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...faults, patternFault(rule, SUBDOMAIN, 'example.com')];
}

export const faultsOfSubdomain = (value: string): readonly string[] => subdomainFaults(value, 'characters');

export function faultsOfLabel(value: string): readonly string[] {
  const faults = lengthFaults(value, LABEL_BYTES_MAX, 'characters');
  if (LABEL_PATTERN.test(value)) return faults;
  if (SUBDOMAIN_PATTERN.test(value)) return [...faults, 'must not contain dots'];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...faults, patternFault(rule, LABEL, 'my-name', '123-abc')];
}

function faultsOfServiceName(value: string): readonly string[] {
  const faults = lengthFaults(value, LABEL_BYTES_MAX, 'characters');
  if (SERVICE_PATTERN.test(value)) return faults;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...faults, patternFault(rule, SERVICE, 'my-name', 'abc-123')];
}

export function faultsOfPathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathSegmentPrefixFaults(value);
}

const pathSegmentPrefixFaults = (value: string): readonly string[] =>
  ['/', '%'].filter((illegal) => value.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);

const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_EXAMPLES = ['MyName', 'my.name', '123-abc'];

/** Label keys, annotation keys, finalizers, taint keys: a name with an optional `domain/` before it. */
export function faultsOfQualifiedName(value: string): readonly string[] {
  // Good names without a domain are what nearly everyone asks about; their characters are bytes.
  if (value.length <= LABEL_BYTES_MAX && QUALIFIED_PATTERN.test(value)) return [];
  const parts = value.split('/');
  if (parts.length > 2) {
    const sentence = patternFault(QUALIFIED_RULE, QUALIFIED, ...QUALIFIED_EXAMPLES);
    return [`a valid label key ${sentence} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? prefixFaults(parts[0] ?? '') : []), ...namePartFaults(name)];
}

function prefixFaults(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return subdomainFaults(prefix, 'bytes').map((fault) => `prefix part ${fault}`);
}

function namePartFaults(name: string): readonly string[] {
  const length = name === '' ? ['must be non-empty'] : lengthFaults(name, LABEL_BYTES_MAX, 'bytes');
  const pattern = QUALIFIED_PATTERN.test(name) ? [] : [patternFault(QUALIFIED_RULE, QUALIFIED, ...QUALIFIED_EXAMPLES)];
  return [...length, ...pattern].map((fault) => `name part ${fault}`);
}

export function faultsOfLabelValue(value: string): readonly string[] {
  const faults = lengthFaults(value, LABEL_BYTES_MAX, 'bytes');
  if (value === '' || QUALIFIED_PATTERN.test(value)) return faults;
  const rule = `a valid label must be an empty string or ${QUALIFIED_RULE.slice('must '.length)}`;
  return [...faults, patternFault(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}

/** Keys of ConfigMap and Secret data. */
export function faultsOfConfigMapKey(value: string): readonly string[] {
  const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  const length = lengthFaults(value, SUBDOMAIN_BYTES_MAX, 'characters');
  const pattern = CONFIG_KEY_PATTERN.test(value)
    ? []
    : [patternFault(rule, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name')];
  return [...length, ...pattern, ...changeDirectoryFaults(value)];
}

function changeDirectoryFaults(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** `isPrefix` for a generateName: what follows it is appended, so it may end in a dash. */
export function faultsOfName(rule: NameRule, name: string, isPrefix = false): readonly string[] {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  switch (rule) {
    case 'subdomain':
      return faultsOfSubdomain(checked);
    case 'label':
      return faultsOfLabel(checked);
    case 'service':
      return faultsOfServiceName(checked);
    case 'path-segment':
      return isPrefix ? pathSegmentPrefixFaults(name) : faultsOfPathSegment(name);
    default:
      return unreachable(rule);
  }
}

/** Upstream replaces the last two characters, so the one before the dash goes unchecked too. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
