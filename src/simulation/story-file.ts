// Reads a story file. Everything that can be wrong with it is found here, before anything is played, and said in one line.
import type { JsonPatchOp, Patch } from '../kube/cluster.ts';
import { type Cast, castOf } from './cast.ts';
import { readCluster, readClusterManifests } from './cluster-section.ts';
import { parseCondition } from './condition.ts';
import { readFault } from './faults/fault-section.ts';
import { readManifests, readTarget } from './manifests.ts';
import { optional } from './section-fields.ts';
import type { Expectation, Step, Story, Target } from './story.ts';
import type { ClusterShape } from '../worlds/cluster-shape.ts';
import { FileFault, type YamlValue, readYaml } from './yaml-reader.ts';

/** How long a story goes on after its last step or deadline when it does not say how long it lasts. */
const LINGER_MS = 60_000;

export function readStory(file: string, text: string): Story {
  const root = readYaml(file, text);
  const fields = root.fields(['name', 'about', 'seed', 'cluster', 'steps', 'expect', 'lasts', 'settles'], 'a story');
  const need = (key: string): YamlValue => fields.get(key) ?? root.fail(`a story needs "${key}"`);
  const cluster = readCluster(fields.get('cluster'));
  const cast = lazyCast(cluster);
  const steps = need('steps')
    .list('steps')
    .flatMap((each) => readStep(each, cast));
  const expect = fields.get('expect')?.list('expect').map(readExpectation) ?? [];
  const lastsMs = fields.get('lasts')?.durationMs('lasts') ?? lastOf(steps, expect) + LINGER_MS;
  const story: Story = {
    name: need('name').text('name'),
    about: need('about').text('about').trim(),
    seed: fields.get('seed')?.whole('seed') ?? 1,
    file,
    cluster,
    manifests: readClusterManifests(fields.get('cluster')),
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    expect: expect.map(({ expectation }) => expectation),
    lastsMs,
    ...optional('settlesMs', fields.get('settles')?.durationMs('settles')),
  };
  refuseImpossible(story, expect);
  return story;
}

/** Most stories name no component: who there is costs a world to know. */
function lazyCast(cluster: ClusterShape): () => Cast {
  const known: { cast?: Cast } = {};
  return () => (known.cast ??= castOf(cluster));
}

function lastOf(steps: readonly Step[], expect: readonly ReadExpectation[]): number {
  const deadlines = expect.map(({ expectation }) => deadlineOf(expectation));
  return Math.max(0, ...steps.map(({ atMs }) => atMs), ...deadlines);
}

function deadlineOf(expectation: Expectation): number {
  if (expectation.type === 'within') return expectation.withinMs;
  return expectation.type === 'never' ? (expectation.afterMs ?? 0) : 0;
}

const ACTIONS = ['apply', 'patch', 'delete', 'fault'] as const;

function readStep(value: YamlValue, cast: () => Cast): readonly Step[] {
  const fields = value.fields(['at', 'refused', 'mayBeRefused', 'for', ...ACTIONS], 'a step');
  const named = ACTIONS.filter((action) => fields.has(action));
  const [action] = named;
  if (action === undefined || named.length > 1) return value.fail(`a step needs exactly one of ${ACTIONS.join(', ')}`);
  const given = fields.get(action) ?? value.fail(`a step needs a ${action}`);
  const duration = fields.get('for');
  if (duration !== undefined && action !== 'fault') duration.failAtKey('"for" belongs to a fault');
  const about = {
    atMs: fields.get('at')?.durationMs('at') ?? 0,
    place: value.place,
    ...optional('refused', fields.get('refused')?.text('refused')),
    ...optional('mayBeRefused', fields.get('mayBeRefused')?.bool('mayBeRefused')),
  };
  switch (action) {
    case 'apply':
      return readManifests(given, 'apply').map(({ resource, object }) => ({
        ...about,
        do: 'apply' as const,
        resource,
        object,
      }));
    case 'patch':
      return [{ ...about, ...readPatch(given) }];
    case 'delete':
      return [{ ...about, ...readDelete(given) }];
    default:
      return [
        { ...about, do: 'fault', fault: readFault(given, cast()), ...optional('forMs', duration?.durationMs('for')) },
      ];
  }
}

function readPatch(value: YamlValue): {
  readonly do: 'patch';
  readonly target: Target;
  readonly patch: Patch;
  readonly subresource?: 'status';
} {
  const fields = value.fields(['target', 'type', 'patch', 'subresource'], 'a patch');
  const target = fields.get('target') ?? value.fail('a patch needs a target');
  const body = fields.get('patch') ?? value.fail('a patch needs a patch');
  const subresource = fields.get('subresource');
  if (subresource !== undefined && subresource.text('subresource') !== 'status')
    subresource.fail('the only subresource of a patch is status');
  return {
    do: 'patch',
    target: readTarget(target, target.text('target')),
    patch: readPatchBody(body, fields.get('type')),
    ...optional('subresource', subresource === undefined ? undefined : ('status' as const)),
  };
}

function readPatchBody(body: YamlValue, type: YamlValue | undefined): Patch {
  const word = type?.text('type') ?? 'merge';
  if (word === 'json') {
    if (!body.isList) return body.fail('a json patch is a list of operations');
    return { type: 'json', ops: body.json() as readonly JsonPatchOp[] };
  }
  if (!body.isMap) return body.fail(`a ${word} patch is a mapping`);
  if (word === 'merge' || word === 'strategic') return { type: word, body: body.json() as object };
  return (type ?? body).fail(`patch type must be merge, strategic or json, not "${word}"`);
}

function readDelete(value: YamlValue): { readonly do: 'delete'; readonly target: Target; readonly force: boolean } {
  if (!value.isMap) return { do: 'delete', target: readTarget(value, value.text('delete')), force: false };
  const fields = value.fields(['target', 'force'], 'a delete');
  const target = fields.get('target') ?? value.fail('a delete needs a target');
  return {
    do: 'delete',
    target: readTarget(target, target.text('target')),
    force: fields.get('force')?.bool('force') ?? false,
  };
}

interface ReadExpectation {
  readonly value: YamlValue;
  readonly expectation: Expectation;
}

function readExpectation(value: YamlValue): ReadExpectation {
  const fields = value.fields(['within', 'after', 'of', 'condition', 'never', 'atEnd', 'is'], 'an expectation');
  if (fields.has('within')) return { value, expectation: readWithin(value, fields) };
  if (fields.has('never')) return { value, expectation: readNever(value, fields) };
  if (fields.has('atEnd')) return { value, expectation: readAtEnd(value, fields) };
  return value.fail('an expectation needs one of within, never, atEnd');
}

type ExpectationFields = ReadonlyMap<string, YamlValue>;

function readWithin(value: YamlValue, fields: ExpectationFields): Expectation {
  only(fields, ['within', 'after', 'of', 'condition']);
  const of = fields.get('of') ?? value.fail('"within" needs "of": the object that is meant');
  const said = fields.get('condition') ?? value.fail('"within" needs a condition');
  const within = fields.get('within') ?? value;
  const [target, text] = [of.text('of'), said.text('condition')];
  return {
    type: 'within',
    place: value.place,
    text: `${target} ${text}${afterText(fields)} within ${within.word('within')}`,
    withinMs: within.durationMs('within'),
    ...optional('afterMs', fields.get('after')?.durationMs('after')),
    of: readTarget(of, target),
    condition: conditionOf(said, text),
  };
}

function readNever(value: YamlValue, fields: ExpectationFields): Expectation {
  only(fields, ['never', 'after']);
  const said = fields.get('never') ?? value;
  const text = said.text('never').trim();
  const [target = ''] = text.split(/\s+/, 1);
  const condition = conditionOf(said, text.slice(target.length));
  return {
    type: 'never',
    place: value.place,
    text: `never ${text}${afterText(fields)}`,
    ...optional('afterMs', fields.get('after')?.durationMs('after')),
    of: readTarget(said, target),
    condition,
  };
}

function afterText(fields: ExpectationFields): string {
  const after = fields.get('after')?.word('after');
  return after === undefined ? '' : ` after ${after}`;
}

function readAtEnd(value: YamlValue, fields: ExpectationFields): Expectation {
  only(fields, ['atEnd', 'is']);
  const of = fields.get('atEnd') ?? value;
  const is = fields.get('is') ?? value.fail('"atEnd" needs "is": fields that are equal in the end, or gone');
  const target = of.text('atEnd');
  const about = { type: 'atEnd' as const, place: value.place, of: readTarget(of, target) };
  if (is.isMap)
    return {
      ...about,
      text: `at the end ${target} is ${JSON.stringify(is.json())}`,
      is: is.json() as Readonly<Record<string, unknown>>,
    };
  if (is.text('is') !== 'gone') is.fail('"is" takes a mapping of fields, or gone');
  return { ...about, text: `at the end ${target} is gone`, is: 'gone' };
}

function conditionOf(value: YamlValue, text: string): Exclude<ReturnType<typeof parseCondition>, string> {
  const condition = parseCondition(text);
  return typeof condition === 'string' ? value.fail(condition) : condition;
}

function only(fields: ExpectationFields, allowed: readonly string[]): void {
  for (const [key, value] of fields)
    if (!allowed.includes(key)) value.failAtKey(`"${key}" does not go with "${allowed[0] ?? ''}"`);
}

/** Promises that no run could keep are faults of the file, not of the run. */
function refuseImpossible(story: Story, expect: readonly ReadExpectation[]): void {
  for (const { atMs, place } of story.steps) {
    if (atMs > story.lastsMs)
      throw new FileFault(
        story.file,
        place,
        `a step at ${atMs / 1000}s lies after the end of the story at ${story.lastsMs / 1000}s`,
      );
  }
  const refused = new Set(
    expect.flatMap(({ expectation }) =>
      expectation.type === 'never' && expectation.afterMs === undefined ? [promiseOf(expectation)] : [],
    ),
  );
  const ends = new Map<string, string>();
  for (const { value, expectation } of expect) {
    if (expectation.type === 'within' && expectation.withinMs > story.lastsMs)
      value.fail(`cannot hold: the story ends at ${story.lastsMs / 1000}s, before ${expectation.withinMs / 1000}s`);
    if (expectation.type === 'within' && (expectation.afterMs ?? 0) > expectation.withinMs)
      value.fail('cannot hold: "after" lies behind "within"');
    if (expectation.type === 'never' && (expectation.afterMs ?? 0) > story.lastsMs)
      value.fail(`says nothing: the story ends at ${story.lastsMs / 1000}s`);
    if (expectation.type === 'within' && refused.has(promiseOf(expectation)))
      value.fail(`cannot hold: the same is expected never to be so`);
    if (expectation.type !== 'atEnd') continue;
    const key = `${expectation.of.resource.plural} ${expectation.of.key}`;
    const said = expectation.is === 'gone' ? 'gone' : 'there';
    if ((ends.get(key) ?? said) !== said)
      value.fail(`cannot hold: ${expectation.of.text} is expected both gone and there at the end`);
    ends.set(key, said);
  }
}

const promiseOf = ({ of, condition }: Extract<Expectation, { readonly type: 'within' | 'never' }>): string =>
  JSON.stringify([of.resource.plural, of.key, condition], (_, value: unknown) =>
    value instanceof RegExp ? value.source : value,
  );
