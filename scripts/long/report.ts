// What a full-size run found, as a page that stays in the repository: when, on which commit, on what machine, with which
// figures. Runs that take hours are believed by their report, so a failed one is written down as well.

export interface Figure {
  readonly name: string;
  readonly value: string;
}

export interface LongRun {
  readonly program: string;
  readonly seconds: number;
  readonly failed: boolean;
  readonly figures: readonly Figure[];
}

export interface Circumstances {
  /** What was typed to get the report. */
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly node: string;
}

const MARK = 'figure ';

/** One line on stdout a figure; `npm run long` reads it there. */
export function reportFigure(figure: Figure): void {
  process.stdout.write(`${MARK}${JSON.stringify(figure)}\n`);
}

export function readFigures(output: string): Figure[] {
  const figures: Figure[] = [];
  for (const line of output.split('\n')) {
    if (!line.startsWith(MARK)) continue;
    const parsed: unknown = JSON.parse(line.slice(MARK.length));
    const isFigure = typeof parsed === 'object' && parsed !== null && 'name' in parsed && 'value' in parsed;
    if (!isFigure) throw new Error(`not a figure: ${line}`);
    figures.push({ name: String(parsed.name), value: String(parsed.value) });
  }
  return figures;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function renderReport(circumstances: Circumstances, runs: readonly LongRun[]): string {
  const { command, date, commit, machine, node } = circumstances;
  const lines = [
    '# Full-size runs',
    '',
    `Written by \`${command}\`; not edited by hand.`,
    '',
    `- date: ${date}`,
    `- commit: ${commit}`,
    `- machine: ${machine}`,
    `- node: ${node}`,
  ];
  for (const { program, seconds, failed, figures } of runs) {
    lines.push('', `## ${program}`, '', `${failed ? '**Failed**' : 'Passed'} after ${seconds.toFixed(0)} s.`);
    if (figures.length > 0) lines.push('', '| figure | value |', '|---|---|');
    for (const { name, value } of figures) lines.push(`| ${cell(name)} | ${cell(value)} |`);
  }
  return `${lines.join('\n')}\n`;
}
