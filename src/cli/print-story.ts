// A played story for people (table), for programs (JSON, YAML) and as a picture (Mermaid).
import type picocolors from 'picocolors';
import type { NumberedEntry } from '../runtime/timeline.ts';
import { SERVED_KINDS, findKind } from '../kube/resources/served-kinds.ts';
import type { StoryRun } from '../simulation/run-story.ts';
import { CommandError } from './command-error.ts';
import { printTable } from './table.ts';

type Colors = ReturnType<typeof picocolors.createColors>;

export interface Look {
  readonly colors: Colors;
  /** Columns of the terminal; lines are wrapped to it. */
  readonly width: number;
}

export function printStory(run: StoryRun, { colors, width }: Look): string {
  const { story, verdicts, seed } = run;
  const judged = verdicts.map(({ passed, expectation, atMs, why }) =>
    passed
      ? `${colors.green('✓')} ${expectation} ${colors.dim(`(${clockText(atMs)})`)}`
      : `${colors.red('✗')} ${expectation}: ${why}`,
  );
  const failed = verdicts.filter(({ passed }) => !passed).length;
  const known = run.findings.filter(({ severity }) => severity === 'known');
  return [
    colors.bold(story.name),
    ...wrap(story.about, Math.min(width, 110)),
    colors.dim(
      `seed ${seed}, Kubernetes ${story.cluster.profile}, ${story.cluster.nodes.length} nodes, ${clockText(story.lastsMs)} of virtual time`,
    ),
    '',
    printTimeline(run, { colors, width }),
    '',
    ...judged,
    ...known.map(
      ({ checker, about, says }) => `${colors.yellow('!')} ${checker}: ${about} ${says} (upstream does so, too)`,
    ),
    ...(verdicts.length === 0 ? [] : ['', `${verdicts.length - failed} of ${verdicts.length} expectations held`]),
  ].join('\n');
}

/** The last column says what happened and, after an arrow, what led to it. */
function printTimeline({ entries, startedAt }: StoryRun, { colors, width }: Look): string {
  const byNumber = new Map(entries.map((entry) => [entry.number, entry]));
  const left = entries.map((entry) => [
    String(entry.number),
    clockText(entry.at - startedAt),
    entry.actor,
    entry.verb,
    shortUids(nameOf(entry)),
  ]);
  const header = ['#', 'TIME', 'ACTOR', 'DOES', 'OBJECT', 'WHAT ← BECAUSE'];
  const used =
    printTable(
      header.slice(0, -1).concat(''),
      left.map((row) => [...row, '|']),
    )
      .split('\n')
      .at(-1)
      ?.indexOf('|') ?? 0;
  const room = Math.max(40, width - used);
  const rows = entries.flatMap((entry, index) => {
    const cause = causeOf(entry, byNumber);
    const lines = wrap(`${shortUids(entry.detail ?? '')}${cause === '' ? '' : ` ← ${cause}`}`, room);
    const [first = '', ...rest] = lines.map((line) => paint(entry, line, colors));
    return [[...(left[index] ?? []), first], ...rest.map((line) => ['', '', '', '', '', line])];
  });
  return printTable(header, rows);
}

/** A uid or a hash is told by its first eight characters. -o json has it whole. */
const shortUids = (text: string): string =>
  text.replaceAll(/([0-9a-f]{8})(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{56})/g, '$1…');

/** One object for programs; equal runs print equal bytes. */
export function storyAsData({ story, seed, startedAt, entries, verdicts }: StoryRun): object {
  return {
    story: story.name,
    seed,
    profile: story.cluster.profile,
    startedAt: new Date(startedAt).toISOString(),
    entries: entries.map(({ number, at, actor, verb, kind, key, detail, because }) => ({
      number,
      at: at - startedAt,
      actor,
      verb,
      kind,
      key,
      detail: detail ?? '',
      because,
    })),
    verdicts: verdicts.map(({ expectation, place, passed, atMs, why }) => ({
      expectation,
      line: place.line,
      passed,
      at: atMs,
      why,
    })),
  };
}

/** Who did what to one object, in order. */
export function storyAsMermaid(run: StoryRun, object: string | undefined): string {
  const wanted = object === undefined ? undefined : targetOf(object);
  const subject = wanted ?? firstSubject(run);
  const entries = run.entries.filter((entry) => entry.kind === subject.kind && entry.key === subject.key);
  if (entries.length === 0) {
    const known = [...new Set(run.entries.filter(({ kind }) => kind !== '').map(nameOf))];
    throw new CommandError(`nothing happened to ${subject.text} in this story; it tells of ${known.join(', ')}`);
  }
  const actors = [...new Set(entries.map(({ actor }) => actor))];
  const alias = new Map(actors.map((actor, index) => [actor, `A${index + 1}`]));
  return [
    'sequenceDiagram',
    ...actors.map((actor) => `  participant ${alias.get(actor) ?? ''} as ${actor}`),
    `  participant O as ${subject.text}`,
    ...entries.map((entry) => {
      const words = `${clockText(entry.at - run.startedAt)} ${entry.verb} ${entry.detail ?? ''}`.trim();
      return `  ${alias.get(entry.actor) ?? ''}->>O: ${words.replaceAll(';', ',').replaceAll('#', '')}`;
    }),
  ].join('\n');
}

interface Subject {
  readonly kind: string;
  readonly key: string;
  readonly text: string;
}

function targetOf(text: string): Subject {
  const [kindName = '', first = '', second] = text.split('/');
  const kind = findKind(kindName);
  if (kind === undefined || first === '')
    throw new CommandError(`"${text}" names no object: write KIND/NAME or KIND/NAMESPACE/NAME`);
  const { namespaced } = kind.resource;
  const key = namespaced ? `${second === undefined ? 'default' : first}/${second ?? first}` : first;
  return { kind: kind.resource.kind, key, text };
}

function firstSubject({ story, entries }: StoryRun): Subject {
  const [expectation] = story.expect;
  if (expectation !== undefined)
    return { kind: expectation.of.resource.kind, key: expectation.of.key, text: expectation.of.text };
  const claim = entries.find(({ kind }) => kind === 'PersistentVolumeClaim') ?? entries[0];
  return { kind: claim?.kind ?? '', key: claim?.key ?? '', text: claim === undefined ? 'nothing' : nameOf(claim) };
}

/** `pvc/data`; the namespace only where it is not the default one. */
function nameOf({ kind, key }: Pick<NumberedEntry, 'kind' | 'key'>): string {
  const served = SERVED_KINDS.find(({ resource }) => resource.kind === kind);
  const short = served?.shortNames[0] ?? served?.singular ?? kind.toLowerCase();
  if (short === '') return key;
  return `${short}/${key.replace(/^default\//, '')}`;
}

function causeOf(entry: NumberedEntry, byNumber: ReadonlyMap<number, NumberedEntry>): string {
  const cause = entry.because === null ? undefined : byNumber.get(entry.because);
  if (cause === undefined)
    return entry.trigger === undefined || entry.trigger === 'changed' ? '' : `(${entry.trigger})`;
  return `#${cause.number} ${cause.actor} ${cause.verb} ${shortUids(nameOf(cause))}`;
}

function paint({ verb, detail = '' }: NumberedEntry, line: string, colors: Colors): string {
  const [said = '', cause] = line.split(/ ?(?=← [#(])/);
  const isBad = verb === 'refused' || verb === 'fails' || detail.startsWith('Warning');
  const words = isBad ? colors.yellow(said) : said;
  return cause === undefined ? words : `${words}${said === '' ? '' : ' '}${colors.dim(cause)}`;
}

/** `00:03.250`, `1:02:03.000` */
export function clockText(ms: number): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, '0');
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const rest = `${pad(minutes, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(Math.round(ms) % 1000, 3)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
