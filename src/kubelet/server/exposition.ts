// Figures in the text format of Prometheus. A family is written with its help and type once, also if it has no sample.
import type { InstantMs } from '../../base/clock.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** What follows the name of the family: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
  /** When it was so; absent: now. */
  readonly at?: InstantMs;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** In the order of their names, as a registry gives them. */
export function exposition(families: readonly Family[]): string {
  return families
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(familyText)
    .join('');
}

function familyText({ name, help, type, samples }: Family): string {
  const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
  return `${head}${samples.map((sample) => sampleLine(name, sample)).join('')}`;
}

function sampleLine(name: string, { suffix = '', labels = {}, value, at }: Sample): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(text).replaceAll('"', String.raw`\"`)}"`,
  );
  const told = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${suffix}${told} ${valueText(value)}${at === undefined ? '' : ` ${at}`}\n`;
}

const escaped = (text: string): string => text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);

/** The shortest form that reads back the same, with an exponent below -4 and from 6 on, as Go writes it. */
export function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (Number.isNaN(value)) return 'NaN';
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
}
