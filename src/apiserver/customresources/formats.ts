// Formats of texts that a schema may ask for. A format that is not here is not checked.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go, kube-openapi:pkg/validation/strfmt
import { faultsOfLabel, faultsOfSubdomain } from '../../kube/names.ts';

type Check = (text: string) => boolean;

const byPattern =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const GO_DURATION = /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*)$/;
const WORDED_DURATION =
  /^\s*-?\d+(\.\d+)?\s*(ns|nano|nanos|nanosecond|nanoseconds|us|µs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hour|hours|d|day|days|w|week|weeks)\s*$/i;

const isDate: Check = (text) => DATE.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (!text.includes(':')) return false;
  const last = text.slice(text.lastIndexOf(':') + 1);
  const plain = last.includes('.') ? (isIpv4(last) ? text.replace(last, '0:0') : undefined) : text;
  if (plain === undefined) return false;
  const halves = plain.split('::');
  if (halves.length > 2) return false;
  const words = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!words.every((word) => /^[0-9a-fA-F]{1,4}$/.test(word))) return false;
  return halves.length === 2 ? words.length < 8 : words.length === 8;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isUri(text: string): boolean {
  if (text.startsWith('/')) return !/\p{C}|\s/u.test(text);
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text);
}

const isHostname: Check = (text) =>
  HOSTNAME.test(text) && text.length <= 255 && text.split('.').every((part) => part.length <= 63);

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const CHECKS: Readonly<Record<string, Check>> = {
  bsonobjectid: byPattern(/^[0-9a-fA-F]{24}$/),
  uri: isUri,
  email: byPattern(/^(?:[^<>@\s]+@[^<>@\s]+|[^<>]*<[^<>@\s]+@[^<>@\s]+>)$/),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: byPattern(/^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2})$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/),
  uuid: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: byPattern(/^(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx]$/),
  isbn10: byPattern(/^(?:\d[- ]?){9}[\dXx]$/),
  isbn13: byPattern(/^97[89][- ]?(?:\d[- ]?){9}\d$/),
  creditcard: (text) => /^\d{13,19}$/.test(text.replace(/\D/g, '')),
  ssn: byPattern(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: byPattern(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: byPattern(/^rgb\(\s*(?:\d{1,3}\s*,\s*){2}\d{1,3}\s*\)$/),
  byte: byPattern(BASE64),
  password: () => true,
  date: isDate,
  duration: (text) => GO_DURATION.test(text) || WORDED_DURATION.test(text),
  datetime: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  k8sshortname: (text) => faultsOfLabel(text).length === 0,
  k8slongname: (text) => faultsOfSubdomain(text).length === 0,
};

const normal = (format: string): string => format.replaceAll('-', '');

/** The check of a format of texts, undefined if it is not known. */
export function textFormat(format: string): Check | undefined {
  const name = normal(format);
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

/** Whether values of this type are checked against this format at all. */
export function isKnownFormat(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return textFormat(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
