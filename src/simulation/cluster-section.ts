// What a cluster is made of: the `cluster` section of a story, and all of a cluster file. One language for both; they differ
// in what stands for a field that is absent.
import type { Taint } from '../kube/resources/node-selector.ts';
import {
  type AttributesClassShape,
  type ClassShape,
  type ClusterShape,
  type NodeShape,
  type SettingValue,
  plainNodes,
} from '../worlds/cluster-shape.ts';
import { usualStorage } from '../worlds/embedded-shape.ts';
import { PROFILES, DEFAULT_PROFILE } from '../worlds/profiles.ts';
import { faultOfSetting } from '../worlds/settings.ts';
import { readComponents } from './components-section.ts';
import { readDriver } from './driver-section.ts';
import { readManifests } from './manifests.ts';
import {
  optional,
  readLabels,
  readList,
  readName,
  readNamed,
  readOneOf,
  readQuantity,
  readWords,
} from './section-fields.ts';
import type { Manifest } from './story.ts';
import { type YamlValue, nearest, readYaml } from './yaml-reader.ts';

const DEFAULT_NODES = 3;

const SHAPE_FIELDS = ['profile', 'nodes', 'zones', 'drivers', 'classes', 'attributesClasses', 'settings', 'components'];
const STORY_FIELDS = [...SHAPE_FIELDS, 'tickless', 'manifests'];

/** Objects that are there before the first step. */
export function readClusterManifests(value: YamlValue | undefined): readonly Manifest[] {
  return readManifests(value?.fields(STORY_FIELDS, 'cluster').get('manifests'), 'cluster.manifests');
}

/** The cluster of a story: nothing is there but what it names, in one zone unless it says otherwise. */
export function readCluster(value: YamlValue | undefined): ClusterShape {
  const fields = value?.fields(STORY_FIELDS, 'cluster') ?? new Map<string, YamlValue>();
  return {
    ...readShape(fields, { zones: 1, furnished: false, nodesMax: 5000 }),
    ...optional('tickless', fields.get('tickless')?.bool('tickless')),
  };
}

/** A file that describes a cluster to start. Where it names no drivers, it has what `mooring up` has without a file. */
export function readClusterFile(file: string, text: string): ClusterShape {
  return readShape(readYaml(file, text).fields(SHAPE_FIELDS, 'a cluster'), {
    zones: 2,
    furnished: true,
    nodesMax: 100,
  });
}

interface Absent {
  /** How many there are where nothing is said, unless there are fewer nodes. */
  readonly zones: number;
  /** A cluster without drivers of its own gets a driver and a default class. */
  readonly furnished: boolean;
  readonly nodesMax: number;
}

type Fields = ReadonlyMap<string, YamlValue>;

function readShape(fields: Fields, absent: Absent): ClusterShape {
  const profile = readProfile(fields.get('profile'));
  const nodes = readNodes(fields.get('nodes'), fields.get('zones'), absent);
  const { drivers, classes } = readStorage(fields, nodes, absent);
  const attributesClasses = fields.get('attributesClasses');
  const components = fields.get('components');
  return {
    profile,
    nodes,
    drivers,
    classes,
    settings: readSettings(fields.get('settings')),
    ...optional(
      'attributesClasses',
      attributesClasses === undefined
        ? undefined
        : readNamed(attributesClasses, 'attributesClasses', readAttributesClass, nameOf),
    ),
    ...optional('components', components === undefined ? undefined : readComponents(components, { nodes, drivers })),
  };
}

function readStorage(
  fields: Fields,
  nodes: readonly NodeShape[],
  { furnished }: Absent,
): Pick<ClusterShape, 'drivers' | 'classes'> {
  const [drivers, classes] = [fields.get('drivers'), fields.get('classes')];
  const given = classes === undefined ? [] : readNamed(classes, 'classes', readClass, nameOf);
  if (drivers === undefined && furnished) {
    const usual = usualStorage(nodes);
    return { drivers: usual.drivers, classes: classes === undefined ? usual.classes : given };
  }
  return {
    drivers:
      drivers === undefined
        ? []
        : readNamed(
            drivers,
            'drivers',
            (each) => readDriver(each, nodes),
            ({ driver }) => driver.name,
          ),
    classes: given,
  };
}

const nameOf = ({ name }: { readonly name: string }): string => name;

function readProfile(value: YamlValue | undefined): string {
  if (value === undefined) return DEFAULT_PROFILE;
  const profile = value.word('profile');
  return PROFILES.includes(profile) ? profile : value.fail(`unknown profile "${profile}"${nearest(profile, PROFILES)}`);
}

function readNodes(value: YamlValue | undefined, zones: YamlValue | undefined, absent: Absent): readonly NodeShape[] {
  if (value?.isList === true) {
    if (zones !== undefined) zones.failAtKey('zones goes with a number of nodes; named nodes say their own zone');
    const nodes = readNamed(value, 'nodes', readNode, nameOf);
    return nodes.length <= absent.nodesMax ? nodes : value.fail(`there may be up to ${absent.nodesMax} nodes`);
  }
  const count = value?.whole('nodes') ?? DEFAULT_NODES;
  const zoneCount = zones?.whole('zones') ?? Math.min(absent.zones, Math.max(1, count));
  if (count < 0 || count > absent.nodesMax) value?.fail(`nodes must be 0 to ${absent.nodesMax}`);
  if (zoneCount < 1) zones?.fail('zones must be at least 1');
  return plainNodes(count, zoneCount);
}

const AGENTS = ['kubelet', 'bare'] as const;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

function readNode(value: YamlValue): NodeShape {
  const fields = value.fields(['name', 'agent', 'zone', 'labels', 'taints', 'capacity'], 'a node');
  const name = fields.get('name') ?? value.fail('a node needs a name');
  const [agent, labels, capacity] = ['agent', 'labels', 'capacity'].map((key) => fields.get(key));
  return {
    name: readName(name, 'the name of a node'),
    ...optional('agent', agent === undefined ? undefined : readOneOf(agent, AGENTS)),
    ...optional('zone', fields.get('zone')?.word('zone')),
    ...optional('labels', labels === undefined ? undefined : readLabels(labels, 'labels')),
    ...optional('capacity', capacity === undefined ? undefined : readCapacity(capacity)),
    ...optional('taints', fields.get('taints')?.list('taints').map(readTaint)),
  };
}

function readCapacity(value: YamlValue): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...value.entries('capacity')].map(([key, each]) => [key, readQuantity(each, `capacity.${key}`)]),
  );
}

function readTaint(value: YamlValue): Taint {
  const fields = value.fields(['key', 'value', 'effect'], 'a taint');
  const effect = fields.get('effect') ?? value.fail('a taint needs an effect');
  return {
    key: fields.get('key')?.word('key') ?? value.fail('a taint needs a key'),
    effect: readOneOf(effect, EFFECTS),
    ...optional('value', fields.get('value')?.word('value')),
  };
}

const CLASS_FIELDS = [
  'name',
  'driver',
  'provisioner',
  'parameters',
  'waitForFirstConsumer',
  'default',
  'reclaimPolicy',
  'allowVolumeExpansion',
  'mountOptions',
];

function readClass(value: YamlValue): ClassShape {
  const fields = value.fields(CLASS_FIELDS, 'a class');
  const name = fields.get('name') ?? value.fail('a class needs a name');
  const provisioner = fields.get('driver') ?? fields.get('provisioner') ?? value.fail('a class needs a driver');
  const [parameters, policy, options] = ['parameters', 'reclaimPolicy', 'mountOptions'].map((key) => fields.get(key));
  return {
    name: readName(name, 'the name of a class'),
    provisioner: provisioner.word('driver'),
    ...optional('parameters', parameters === undefined ? undefined : readWords(parameters, 'parameters')),
    ...optional('waitForFirstConsumer', fields.get('waitForFirstConsumer')?.bool('waitForFirstConsumer')),
    ...optional('default', fields.get('default')?.bool('default')),
    ...optional('reclaimPolicy', policy === undefined ? undefined : readReclaimPolicy(policy)),
    ...optional('allowVolumeExpansion', fields.get('allowVolumeExpansion')?.bool('allowVolumeExpansion')),
    ...optional('mountOptions', options === undefined ? undefined : readList(options, 'mountOptions')),
  };
}

function readReclaimPolicy(value: YamlValue): 'Delete' | 'Retain' {
  const policy = value.text('reclaimPolicy');
  return policy === 'Delete' || policy === 'Retain'
    ? policy
    : value.fail(`reclaimPolicy must be Delete or Retain, not "${policy}"`);
}

function readAttributesClass(value: YamlValue): AttributesClassShape {
  const fields = value.fields(['name', 'driver', 'parameters'], 'an attributes class');
  const name = fields.get('name') ?? value.fail('an attributes class needs a name');
  const driver = fields.get('driver') ?? value.fail('an attributes class needs a driver');
  const parameters = fields.get('parameters');
  return {
    name: readName(name, 'the name of an attributes class'),
    driverName: driver.word('driver'),
    ...optional('parameters', parameters === undefined ? undefined : readWords(parameters, 'parameters')),
  };
}

function readSettings(value: YamlValue | undefined): Readonly<Record<string, SettingValue>> {
  if (value === undefined) return {};
  return Object.fromEntries([...value.entries('settings')].map(([name, each]) => [name, readSetting(name, each)]));
}

function readSetting(name: string, value: YamlValue): SettingValue {
  const given = value.json() as SettingValue;
  const fault = faultOfSetting(name, given);
  return fault === undefined ? given : fault.startsWith('unknown') ? value.failAtKey(fault) : value.fail(fault);
}
