// One story played with several values of one thing: which setting helps most? What is compared is a setting by its
// upstream name, a field of all drivers or classes, a path in the story file, or one of the few things people ask for that
// stand in many places of a file.
import { stringify } from 'yaml';
import { parseDuration } from '../kube/go-duration.ts';
import { faultOfSetting } from '../worlds/settings.ts';
import type { Story } from './story.ts';
import { readStory } from './story-file.ts';
import { readYaml } from './yaml-reader.ts';

export interface Variant {
  readonly value: string;
  readonly story: Story;
}

/** What is wrong with the words of a comparison. */
export class ComparisonFault extends Error {
  override readonly name = 'ComparisonFault';
}

type Json = Readonly<Record<string, unknown>>;
type Edit = (file: Json, value: unknown) => Json;

const DRIVER_FIELDS = ['storageCapacity', 'topology', 'maxVolumesPerNode', 'latency', 'volumeExpansion'];
const CLASS_FIELDS = ['waitForFirstConsumer', 'reclaimPolicy', 'allowVolumeExpansion'];
const CLUSTER_FIELDS = ['profile', 'nodes', 'zones'];
const FILE_FIELDS = ['seed', 'lasts', 'settles'];

export function variantsOf(
  file: { readonly shown: string; readonly text: string },
  key: string,
  values: readonly string[],
): readonly Variant[] {
  const whole = readYaml(file.shown, file.text).json() as Json;
  readStory(file.shown, file.text);
  const edit = editOf(key);
  return values.map((value) => {
    const edited = edit(whole, readValue(value));
    return {
      value,
      story: readStory(`${file.shown} with ${key}=${value}`, stringify(edited, { aliasDuplicateObjects: false })),
    };
  });
}

function readValue(text: string): unknown {
  return readYaml('a value', `value: ${text}`).entries('a value').get('value')?.json();
}

function editOf(key: string): Edit {
  const named = NAMED[key];
  if (named !== undefined) return named;
  const isSetting = !(faultOfSetting(key, 0) ?? '').startsWith('unknown');
  if (isSetting) return (file, value) => within(file, ['cluster', 'settings', key], value);
  if (DRIVER_FIELDS.includes(key)) return (file, value) => ofEach(file, 'drivers', key, value);
  if (CLASS_FIELDS.includes(key)) return (file, value) => ofEach(file, 'classes', key, value);
  if (CLUSTER_FIELDS.includes(key)) return (file, value) => within(file, ['cluster', key], value);
  if (FILE_FIELDS.includes(key)) return (file, value) => within(file, [key], value);
  const path = [...key.matchAll(/[^.[\]]+/g)].map(([step]) => step);
  if (path.length > 1) return (file, value) => within(file, path, value);
  throw new ComparisonFault(
    `cannot compare by "${key}": write a setting, a path such as cluster.drivers[0].latency, or one of ${[...Object.keys(NAMED), ...DRIVER_FIELDS, ...CLASS_FIELDS, ...CLUSTER_FIELDS, ...FILE_FIELDS].join(', ')}`,
  );
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The file with the value at a path. Mappings on the way are made; members of lists must be there, by index or name. */
function within(file: Json, path: readonly string[], value: unknown): Json {
  const [step = '', ...rest] = path;
  const inner = file[step];
  if (rest.length === 0) return { ...file, [step]: value };
  if (Array.isArray(inner)) return { ...file, [step]: withinList(inner, rest, value) };
  if (inner !== undefined && !isRecord(inner))
    throw new ComparisonFault(`"${step}" of the story holds no "${rest[0] ?? ''}"`);
  return { ...file, [step]: within(inner ?? {}, rest, value) };
}

function withinList(
  list: readonly unknown[],
  [step = '', ...rest]: readonly string[],
  value: unknown,
): readonly unknown[] {
  const index = /^\d+$/.test(step) ? Number(step) : list.findIndex((each) => isRecord(each) && each['name'] === step);
  const member = list[index];
  if (member === undefined) throw new ComparisonFault(`the story has no "${step}" there`);
  if (rest.length === 0) return list.with(index, value);
  if (!isRecord(member)) throw new ComparisonFault(`"${step}" of the story holds no "${rest[0] ?? ''}"`);
  return list.with(index, within(member, rest, value));
}

function ofEach(file: Json, list: 'drivers' | 'classes', field: string, value: unknown): Json {
  return mapMembers(file, list, (member) => ({ ...member, [field]: value }));
}

function mapMembers(file: Json, list: 'drivers' | 'classes', change: (member: Json) => Json): Json {
  const cluster = isRecord(file['cluster']) ? file['cluster'] : {};
  const members = Array.isArray(cluster[list]) ? cluster[list].filter(isRecord) : [];
  if (members.length === 0) throw new ComparisonFault(`the story has no ${list}`);
  return { ...file, cluster: { ...cluster, [list]: members.map(change) } };
}

// ---- what stands in many places

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const AWAY = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

const NAMED: Readonly<Record<string, Edit>> = {
  /** How long pods stay on a node that is silent. */
  tolerationSeconds: (file, value) => mapPodSpecs(file, (spec) => tolerating(spec, value)),
  /** How long pods are given to end. */
  terminationGracePeriodSeconds: (file, terminationGracePeriodSeconds) =>
    mapPodSpecs(file, (spec) => ({ ...spec, terminationGracePeriodSeconds })),
  /** Whether drivers attach volumes at all: said to the cluster, and so in what they can do. */
  attachRequired: (file, value) => mapMembers(file, 'drivers', (driver) => attaching(driver, value)),
  /** `never`, or how long after a crash somebody takes the node out of service. */
  'out-of-service': outOfService,
};

const ATTACHING = ['PUBLISH_UNPUBLISH_VOLUME', 'PUBLISH_READONLY', 'LIST_VOLUMES_PUBLISHED_NODES'];

function attaching(driver: Json, attachRequired: unknown): Json {
  const capabilities = isRecord(driver['capabilities']) ? driver['capabilities'] : {};
  if (!Array.isArray(capabilities['controller'])) return { ...driver, attachRequired };
  const given: readonly unknown[] = capabilities['controller'];
  const others = given.filter((each) => !ATTACHING.includes(String(each)));
  const controller = attachRequired === false ? others : [...others, 'PUBLISH_UNPUBLISH_VOLUME'];
  return { ...driver, attachRequired, capabilities: { ...capabilities, controller } };
}

function tolerating(spec: Json, tolerationSeconds: unknown): Json {
  const given: readonly unknown[] = Array.isArray(spec['tolerations']) ? spec['tolerations'] : [];
  const others = given.filter((each) => !isRecord(each) || !AWAY.includes(String(each['key'])));
  const own = AWAY.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
  return { ...spec, tolerations: [...others, ...own] };
}

/** Every pod spec of the file: in manifests and in steps, of pods and of templates. */
function mapPodSpecs(value: Json, change: (spec: Json) => Json): Json {
  const walk = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(walk);
    if (!isRecord(each)) return each;
    if (Array.isArray(each['containers'])) return change(each);
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(value) as Json;
}

function outOfService(file: Json, value: unknown): Json {
  const steps = (Array.isArray(file['steps']) ? file['steps'] : []).filter(isRecord);
  const kept = steps.filter((step) => !JSON.stringify(step['patch'] ?? '').includes(OUT_OF_SERVICE));
  if (value === 'never') return { ...file, steps: kept };
  const delayMs = parseDuration(String(value));
  if (delayMs === undefined)
    throw new ComparisonFault(`out-of-service takes never or a duration, not "${String(value)}"`);
  return { ...file, steps: [...kept, ...kept.flatMap((step) => taintAfter(step, delayMs))] };
}

function taintAfter({ at, fault }: Json, delayMs: number): readonly Json[] {
  if (!isRecord(fault) || fault['type'] !== 'node-crash') return [];
  const crashedAt = typeof at === 'string' ? (parseDuration(at) ?? 0) : 0;
  const taints = [{ key: OUT_OF_SERVICE, value: 'nodeshutdown', effect: 'NoExecute' }];
  const patch = { target: `node/${String(fault['node'])}`, type: 'strategic', patch: { spec: { taints } } };
  return [{ at: `${crashedAt + delayMs}ms`, patch }];
}
