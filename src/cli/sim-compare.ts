// `mooring sim run --compare KEY=a,b,c`: one row a value, one column a promise, and how it all ended.
import type { StoryRun } from '../simulation/run-story.ts';
import { CommandError } from './command-error.ts';
import { clockText } from './print-story.ts';
import { printTable } from './table.ts';

export interface Compared {
  readonly value: string;
  readonly run: StoryRun;
}

export async function compare(
  file: { readonly shown: string; readonly text: string },
  words: string,
  seed: number | undefined,
): Promise<readonly Compared[]> {
  const [{ ComparisonFault, variantsOf }, { runStory }] = await Promise.all([
    import('../simulation/compare.ts'),
    import('../simulation/run-story.ts'),
  ]);
  const { key, values } = readComparison(words);
  try {
    const variants = variantsOf(file, key, values);
    const compared: Compared[] = [];
    for (const { value, story } of variants) {
      process.stderr.write(`${key}=${value}\n`);
      compared.push({ value, run: await runStory(story, seed ?? story.seed) });
    }
    return compared;
  } catch (error) {
    if (error instanceof ComparisonFault) throw new CommandError(error.message);
    throw error;
  }
}

function readComparison(words: string): { readonly key: string; readonly values: readonly string[] } {
  const at = words.indexOf('=');
  const values = words
    .slice(at + 1)
    .split(',')
    .map((each) => each.trim());
  if (at < 1 || values.some((value) => value === ''))
    throw new CommandError(`--compare takes KEY=a,b,c, not "${words}"`);
  return { key: words.slice(0, at), values };
}

export function comparisonAsTable(words: string, compared: readonly Compared[]): string {
  const { key } = readComparison(words);
  const expectations = compared[0]?.run.story.expect ?? [];
  const header = [key.toUpperCase(), ...expectations.map((_, index) => `E${index + 1}`), 'HELD', 'END'];
  const rows = compared.map(({ value, run }) => [value, ...timesOf(run), heldOf(run), endOf(run)]);
  const legend = expectations.map(({ text }, index) => `E${index + 1}  ${text}`);
  const findings = compared.flatMap(({ value, run }) => findingsOf(run).map((says) => `${value}  ${says}`));
  return [
    printTable(header, rows),
    ...(legend.length === 0 ? [] : ['', ...legend]),
    ...(findings.length === 0 ? [] : ['', ...findings]),
  ].join('\n');
}

/** What checkers found, each once. */
const findingsOf = (run: StoryRun): readonly string[] => [
  ...new Set(
    run.findings.map(({ severity, checker, about, says }) =>
      severity === 'known'
        ? `! ${checker}: ${about} ${says} (upstream does so, too)`
        : `✗ ${checker}: ${about} ${says}`,
    ),
  ),
];

/** When each promise was decided; a cross for one that was not kept. */
const timesOf = (run: StoryRun): readonly string[] =>
  verdictsOf(run).map(({ passed, atMs }) => (passed ? clockText(atMs) : '✗'));
const heldOf = (run: StoryRun): string =>
  run.verdicts.every(({ passed }) => passed)
    ? 'all'
    : `${run.verdicts.filter(({ passed }) => passed).length} of ${run.verdicts.length}`;
const endOf = (run: StoryRun): string => run.ends.map(({ object, state }) => `${object} ${state}`).join(', ');

function verdictsOf({ story, verdicts }: StoryRun): StoryRun['verdicts'] {
  return story.expect.flatMap(({ text }) => verdicts.find(({ expectation }) => expectation === text) ?? []);
}

/** For programs: every value with its verdicts and ends. */
export function comparisonAsData(words: string, compared: readonly Compared[]): object {
  return {
    compare: readComparison(words).key,
    variants: compared.map(({ value, run }) => ({
      value,
      verdicts: run.verdicts.map(({ expectation, passed, atMs, why }) => ({ expectation, passed, at: atMs, why })),
      findings: run.findings.map(({ severity, checker, about, says }) => ({ severity, checker, about, says })),
      ends: run.ends,
    })),
  };
}
