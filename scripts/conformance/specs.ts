// Names of Kubernetes' own specs, and what a run of them says.

export interface SpecResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** The first line of what went wrong. */
  readonly why: string;
}

/** One name a line, written as a regular expression as ginkgo's focus takes it. */
export const readFocus = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

export const plainName = (focus: string): string => focus.replaceAll(/\\(.)/gu, '$1');

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#34': '"',
  '#39': "'",
  '#xA': '\n',
};
const unescaped = (text: string): string =>
  text.replaceAll(/&([^;]+);/gu, (whole, name: string) => ENTITIES[name] ?? whole);

const attribute = (tag: string, name: string): string =>
  unescaped(new RegExp(` ${name}="([^"]*)"`, 'u').exec(tag)?.[1] ?? '');

/** Nodes of other kinds prepare and clear up. */
const IT = '[It] ';

/** Specs that ran, from ginkgo's JUnit report; those that the focus left out are skipped there. */
export function readReport(xml: string): readonly SpecResult[] {
  const cases = xml.split('<testcase ').slice(1);
  return cases.flatMap((text) => {
    const tag = ` ${text.slice(0, text.indexOf('>'))}`;
    const status = attribute(tag, 'status');
    const name = attribute(tag, 'name');
    if (!name.startsWith(IT) || status === 'skipped' || status === 'pending') return [];
    const failure = /<(?:failure|error) message="([^"]*)"/u.exec(text)?.[1] ?? '';
    const why = unescaped(failure).split('\n')[0] ?? '';
    return [{ name: name.slice(IT.length), passed: status === 'passed', seconds: Number(attribute(tag, 'time')), why }];
  });
}

/** ginkgo adds the labels of a spec to its name in the report. */
export const isOf = (result: SpecResult, name: string): boolean => result.name.startsWith(name);

/** A spec that must pass, and how long it took when it was stored. */
export interface PassingSpec {
  readonly focus: string;
  readonly seconds: number;
}

/** What ginkgo runs beside nothing else. */
export const isSerial = ({ focus }: PassingSpec): boolean => plainName(focus).includes('[Serial]');

/** As many shares as asked for, each to be run by a process of its own, that take about as long as each other; none is empty. */
export function shares(specs: readonly PassingSpec[], count: number): readonly (readonly string[])[] {
  const all = Array.from({ length: count }, () => ({ seconds: 0, focus: [] as string[] }));
  for (const { focus, seconds } of specs.toSorted((a, b) => b.seconds - a.seconds)) {
    const shortest = all.reduce((least, each) => (each.seconds < least.seconds ? each : least));
    shortest.focus.push(focus);
    // One that takes no time takes its turn all the same.
    shortest.seconds += seconds + 0.1;
  }
  return all.map(({ focus }) => focus).filter((focus) => focus.length > 0);
}

/** One a line: seconds, then the name. */
export const readPassing = (text: string): readonly PassingSpec[] =>
  readFocus(text).map((line) => {
    const [, seconds = '', focus = ''] = /^ *([\d.]+) (.*)$/u.exec(line) ?? [];
    return { focus, seconds: Number(seconds) };
  });

export const writePassing = (specs: readonly PassingSpec[]): string =>
  specs.map(({ focus, seconds }) => `${seconds.toFixed(1).padStart(5)} ${focus}\n`).join('');

/** What passes now, and what has ever passed: a spec that fails stays in the list and is to be mended. */
export function storedPassing(
  before: readonly PassingSpec[],
  focus: readonly string[],
  results: readonly SpecResult[],
): readonly PassingSpec[] {
  return focus.flatMap((name) => {
    const passed = results.find((result) => result.passed && isOf(result, plainName(name)));
    const known = before.find((each) => each.focus === name);
    return passed === undefined ? (known ?? []) : { focus: name, seconds: passed.seconds };
  });
}
