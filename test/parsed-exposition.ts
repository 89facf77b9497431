// Reads the text format of Prometheus as strictly as its own tools do: what they would refuse throws here.
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|[-+0-9.eE]+)(?: (\\d+))?$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] };

export function parsedExposition(text: string): ReadonlyMap<string, ParsedFamily> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { name: string; help: string; type: string; samples: ParsedSample[] }>();
  const seen = new Set<string>();
  let current: { name: string; help: string; type: string; samples: ParsedSample[] } | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (families.has(name)) throw new Error(`${name} comes twice`);
      current = { name, help: rest, type: '', samples: [] };
      families.set(name, current);
    } else if (kind === 'TYPE') {
      if (current?.name !== name || current.type !== '') throw new Error(`stray type: ${line}`);
      current.type = rest;
    } else {
      const sample = parsedSample(line);
      const key = `${sample.name}${JSON.stringify(sample.labels)}`;
      if (seen.has(key)) throw new Error(`${key} comes twice`);
      seen.add(key);
      const names = (SUFFIXES[current?.type ?? ''] ?? ['']).map((suffix) => `${current?.name ?? ''}${suffix}`);
      if (!names.includes(sample.name)) throw new Error(`${sample.name} is not of ${current?.name ?? 'any family'}`);
      current?.samples.push(sample);
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function parsedSample(line: string): ParsedSample {
  const [, name, labelText = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labelText.length) {
    const [, label, text] = LABEL.exec(labelText) ?? [];
    if (label === undefined || text === undefined || label in labels) throw new Error(`wrong labels: ${line}`);
    labels[label] = text.replace(/\\(.)/g, (_all, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

/** Buckets only grow, and the last is the count. */
function checkHistogram({ name, samples }: ParsedFamily): void {
  const last = new Map<string, number>();
  for (const { name: sample, labels, value } of samples) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const before = last.get(key) ?? 0;
    if (sample === `${name}_bucket` && value < before) throw new Error(`${name}: the bucket ${le ?? ''} shrinks`);
    if (sample === `${name}_count` && value !== before) throw new Error(`${name}: the count is not the last bucket`);
    if (sample === `${name}_bucket`) last.set(key, value);
  }
}
