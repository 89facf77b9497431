// Functions that Kubernetes adds to the language. kubernetes:staging/src/k8s.io/apiserver/pkg/cel/library
import type { Environment } from '@marcbachmann/cel-js';
import { QuantityError, compareQuantities, parseQuantity } from '../../../kube/quantity.ts';
import { goPattern } from '../../customresources/go-pattern.ts';
import { textFormat } from '../../customresources/formats.ts';

type Handler = (...values: readonly never[]) => unknown;

/** A quantity inside an expression: the text is all that is needed to compare it. */
class CelQuantity {
  readonly text: string;

  constructor(text: string) {
    parseQuantity(text);
    this.text = text;
  }
}

const compare = (left: CelQuantity, right: CelQuantity): number => compareQuantities(left.text, right.text);

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

type Ordered = bigint | number | string | Date;

function orderedPairs(list: readonly Ordered[]): readonly (readonly [Ordered, Ordered])[] {
  return list.slice(1).map((each, index) => [list[index] ?? each, each] as const);
}

function extreme(list: readonly Ordered[], isBetter: (left: Ordered, right: Ordered) => boolean): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error('min/max called on empty list');
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first);
}

const replaced = (text: string, from: string, to: string, times: bigint): string => {
  const parts = text.split(from);
  const cuts = times < 0n ? parts.length - 1 : Math.min(Number(times), parts.length - 1);
  return [parts.slice(0, cuts + 1).join(to), ...parts.slice(cuts + 1)].join(from);
};

const found = (text: string, pattern: string): readonly string[] => {
  const expression = goPattern(pattern);
  if (expression === undefined) throw new Error(`Illegal regex: ${pattern}`);
  return [...text.matchAll(new RegExp(expression, `${expression.flags}g`))].map(([whole]) => whole);
};

const FUNCTIONS: Readonly<Record<string, Handler>> = {
  'string.replace(string, string): string': (text: string, from: string, to: string) => text.replaceAll(from, to),
  'string.replace(string, string, int): string': replaced,
  'string.charAt(int): string': (text: string, index: bigint) => Array.from(text)[Number(index)] ?? '',
  'string.find(string): string': (text: string, pattern: string) => found(text, pattern)[0] ?? '',
  'string.findAll(string): list<string>': found,
  'string.findAll(string, int): list<string>': (text: string, pattern: string, limit: bigint) =>
    limit < 0n ? found(text, pattern) : found(text, pattern).slice(0, Number(limit)),
  'list.isSorted(): bool': (list: readonly Ordered[]) => orderedPairs(list).every(([left, right]) => left <= right),
  'list.sum(): dyn': (list: readonly (bigint | number)[]) =>
    list.every((each) => typeof each === 'bigint')
      ? list.reduce((sum, each) => sum + each, 0n)
      : list.reduce((sum: number, each) => sum + Number(each), 0),
  'list.min(): dyn': (list: readonly Ordered[]) => extreme(list, (left, right) => left < right),
  'list.max(): dyn': (list: readonly Ordered[]) => extreme(list, (left, right) => left > right),
  'list.indexOf(dyn): int': (list: readonly unknown[], value: unknown) => BigInt(list.indexOf(value)),
  'list.lastIndexOf(dyn): int': (list: readonly unknown[], value: unknown) => BigInt(list.lastIndexOf(value)),
  'isURL(string): bool': (text: string) => URL.canParse(text) || text.startsWith('/'),
  'url(string): URL': (text: string) => new URL(text),
  'URL.getScheme(): string': (url: URL) => url.protocol.replace(/:$/, ''),
  'URL.getHost(): string': (url: URL) => url.host,
  'URL.getHostname(): string': (url: URL) => url.hostname,
  'URL.getPort(): string': (url: URL) => url.port,
  'URL.getEscapedPath(): string': (url: URL) => url.pathname,
  'isIP(string): bool': (text: string) => isAddress(text),
  'isCIDR(string): bool': (text: string) => textFormat('cidr')?.(text) === true,
  'isQuantity(string): bool': isQuantity,
  'quantity(string): Quantity': (text: string) => new CelQuantity(text),
  'Quantity.compareTo(Quantity): int': (left: CelQuantity, right: CelQuantity) => BigInt(compare(left, right)),
  'Quantity.isGreaterThan(Quantity): bool': (left: CelQuantity, right: CelQuantity) => compare(left, right) > 0,
  'Quantity.isLessThan(Quantity): bool': (left: CelQuantity, right: CelQuantity) => compare(left, right) < 0,
  'Quantity.sign(): int': (quantity: CelQuantity) => BigInt(compare(quantity, new CelQuantity('0'))),
};

const isAddress = (text: string): boolean => textFormat('ipv4')?.(text) === true || textFormat('ipv6')?.(text) === true;

export function registerFunctions(environment: Environment): Environment {
  environment.registerType('URL', { ctor: URL, fields: {} });
  environment.registerType('Quantity', { ctor: CelQuantity, fields: {} });
  for (const [signature, handler] of Object.entries(FUNCTIONS)) environment.registerFunction(signature, handler);
  return environment;
}
