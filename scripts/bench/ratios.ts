// Budgets are ratios. What a bench measures is set against a ceiling measured in the same run (the same bytes through
// JSON.parse, the same number of bare barriers), so the figure means the same on a slow machine and a fast one. Absolute
// figures are printed, never judged.

export interface Ratio {
  readonly name: string;
  /** Cost of ours over cost of the ceiling: lower is better. */
  readonly ratio: number;
  readonly measured: string;
  readonly against: string;
}

export type StoredRatios = Readonly<Record<string, number>>;

export type Verdict =
  | { readonly type: 'kept'; readonly measured: Ratio; readonly stored: number }
  | { readonly type: 'worse'; readonly measured: Ratio; readonly stored: number }
  | { readonly type: 'not-stored'; readonly measured: Ratio }
  | { readonly type: 'not-measured'; readonly name: string };

/** How much worse than the stored ratio is still taken for noise. */
const TOLERANCE = 0.2;

const MARK = 'ratio ';

/** One line on stdout a ratio; `npm run bench` reads it there. */
export function reportRatio(ratio: Ratio): void {
  process.stdout.write(`${MARK}${JSON.stringify(ratio)}\n`);
}

function isRatio(value: unknown): value is Ratio {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('ratio' in value)) return false;
  return typeof value.name === 'string' && typeof value.ratio === 'number' && Number.isFinite(value.ratio);
}

export function readRatios(output: string): Ratio[] {
  const ratios: Ratio[] = [];
  for (const line of output.split('\n')) {
    if (!line.startsWith(MARK)) continue;
    const parsed: unknown = JSON.parse(line.slice(MARK.length));
    if (!isRatio(parsed)) throw new Error(`not a ratio: ${line}`);
    ratios.push(parsed);
  }
  return ratios;
}

/** Of several runs the best counts: a busy machine only ever makes a run slower. */
export const bestOf = (runs: readonly (readonly Ratio[])[]): Ratio[] =>
  chosen(runs, (ratio, before) => ratio.ratio < before.ratio);

/** What is stored: whatever a run on an undisturbed machine may show. */
export const worstOf = (runs: readonly (readonly Ratio[])[]): Ratio[] =>
  chosen(runs, (ratio, before) => ratio.ratio > before.ratio);

function chosen(runs: readonly (readonly Ratio[])[], isPreferred: (ratio: Ratio, before: Ratio) => boolean): Ratio[] {
  const kept = new Map<string, Ratio>();
  for (const ratio of runs.flat()) {
    const before = kept.get(ratio.name);
    if (before === undefined || isPreferred(ratio, before)) kept.set(ratio.name, ratio);
  }
  return [...kept.values()];
}

export function isWorse(measured: number, stored: number): boolean {
  return measured > stored * (1 + TOLERANCE);
}

/** A ratio that nobody stored, and a stored one that nobody measured, are failures: neither would be judged. */
export function judge(measured: readonly Ratio[], stored: StoredRatios): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const each of measured) {
    const before = stored[each.name];
    if (before === undefined) verdicts.push({ type: 'not-stored', measured: each });
    else verdicts.push({ type: isWorse(each.ratio, before) ? 'worse' : 'kept', measured: each, stored: before });
  }
  const names = new Set(measured.map((each) => each.name));
  for (const name of Object.keys(stored)) if (!names.has(name)) verdicts.push({ type: 'not-measured', name });
  return verdicts;
}
