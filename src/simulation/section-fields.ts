// Fields that sections of story and cluster files have in common.
import { type NameRule, faultsOfLabelValue, faultsOfName, faultsOfQualifiedName } from '../kube/names.ts';
import { QuantityError, parseQuantity } from '../kube/quantity.ts';
import { type YamlValue, nearest } from './yaml-reader.ts';

/** `{ [key]: value }`, or nothing: an optional field is absent, never undefined. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

export function readOneOf<T extends string>(value: YamlValue, allowed: readonly T[]): T {
  const word = value.text('this');
  return allowed.find((each) => each === word) ?? value.fail(`"${word}" is not known${nearest(word, allowed)}`);
}

export function readSeveralOf<T extends string>(value: YamlValue, what: string, allowed: readonly T[]): readonly T[] {
  return value.list(what).map((each) => readOneOf(each, allowed));
}

export function readWords(value: YamlValue, what: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...value.entries(what)].map(([key, each]) => [key, each.word(`${what}.${key}`)]));
}

export function readList(value: YamlValue, what: string): readonly string[] {
  return value.list(what).map((each) => each.word(`each of ${what}`));
}

/** A text such as 10Gi, or a plain number. */
export function readQuantity(value: YamlValue, what: string): string {
  const text = value.word(what);
  try {
    parseQuantity(text);
    return text;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return value.fail(`${what} must be a quantity such as 10Gi, not "${text}"`);
  }
}

export function readName(value: YamlValue, what: string, rule: NameRule = 'subdomain'): string {
  const name = value.word(what);
  const [fault] = faultsOfName(rule, name);
  return fault === undefined ? name : value.fail(`${what} "${name}": ${fault}`);
}

export function readLabels(value: YamlValue, what: string): Readonly<Record<string, string>> {
  for (const [key, each] of value.entries(what)) {
    const [keyFault] = faultsOfQualifiedName(key);
    if (keyFault !== undefined) each.failAtKey(`${what} "${key}": ${keyFault}`);
    const [valueFault] = faultsOfLabelValue(each.word(`${what}.${key}`));
    if (valueFault !== undefined) each.fail(`${what}.${key}: ${valueFault}`);
  }
  return readWords(value, what);
}

/** A list whose members have names of their own: the second of one name is a fault at its place. */
export function readNamed<T>(
  value: YamlValue,
  what: string,
  read: (value: YamlValue) => T,
  nameOf: (member: T) => string,
): readonly T[] {
  const seen = new Set<string>();
  return value.list(what).map((each) => {
    const member = read(each);
    const name = nameOf(member);
    if (seen.has(name)) return each.fail(`${what} has "${name}" twice`);
    seen.add(name);
    return member;
  });
}
