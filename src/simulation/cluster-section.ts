// The `cluster` section of a story file.
import type { MemoryDriverConfig, MemoryTopologyConfig } from '../csi/drivers/memory/config.ts';
import type { Taint } from '../kube/resources/node-selector.ts';
import {
  type ClassShape,
  type ClusterShape,
  type DriverShape,
  type NodeShape,
  type SettingValue,
  HOSTNAME_LABEL,
  ZONE_LABEL,
  plainNodes,
} from '../worlds/cluster-shape.ts';
import { PROFILES, DEFAULT_PROFILE } from '../worlds/profiles.ts';
import { faultOfSetting } from '../worlds/settings.ts';
import { readManifests } from './manifests.ts';
import type { Manifest } from './story.ts';
import { type YamlValue, nearest } from './yaml-reader.ts';

const NODES_MAX = 5000;

const FIELDS = ['profile', 'nodes', 'zones', 'drivers', 'classes', 'settings', 'tickless', 'manifests'];

/** Objects that are there before the first step. */
export function readClusterManifests(value: YamlValue | undefined): readonly Manifest[] {
  return readManifests(value?.fields(FIELDS, 'cluster').get('manifests'), 'cluster.manifests');
}

export function readCluster(value: YamlValue | undefined): ClusterShape {
  const fields = value?.fields(FIELDS, 'cluster') ?? new Map<string, YamlValue>();
  const nodes = readNodes(fields.get('nodes'), fields.get('zones'));
  return {
    profile: readProfile(fields.get('profile')),
    nodes,
    drivers:
      fields
        .get('drivers')
        ?.list('cluster.drivers')
        .map((each) => readDriver(each, nodes)) ?? [],
    classes: fields.get('classes')?.list('cluster.classes').map(readClass) ?? [],
    settings: readSettings(fields.get('settings')),
    ...optional('tickless', fields.get('tickless')?.bool('cluster.tickless')),
  };
}

function readProfile(value: YamlValue | undefined): string {
  if (value === undefined) return DEFAULT_PROFILE;
  const profile = value.word('cluster.profile');
  return PROFILES.includes(profile) ? profile : value.fail(`unknown profile "${profile}"${nearest(profile, PROFILES)}`);
}

function readNodes(value: YamlValue | undefined, zones: YamlValue | undefined): readonly NodeShape[] {
  if (value?.isList === true) {
    if (zones !== undefined) zones.failAtKey('zones goes with a number of nodes; named nodes say their own zone');
    return value.list('cluster.nodes').map(readNode);
  }
  const count = value?.whole('cluster.nodes') ?? 3;
  const zoneCount = zones?.whole('cluster.zones') ?? 1;
  if (count < 0 || count > NODES_MAX) value?.fail(`cluster.nodes must be 0 to ${NODES_MAX}`);
  if (zoneCount < 1) zones?.fail('cluster.zones must be at least 1');
  return plainNodes(count, zoneCount);
}

function readNode(value: YamlValue): NodeShape {
  const fields = value.fields(['name', 'zone', 'labels', 'taints', 'capacity'], 'a node');
  const name = fields.get('name')?.word('name') ?? value.fail('a node needs a name');
  return {
    name,
    ...optional('zone', fields.get('zone')?.word('zone')),
    ...optional('labels', readWords(fields.get('labels'), 'labels')),
    ...optional('capacity', readWords(fields.get('capacity'), 'capacity')),
    ...optional('taints', fields.get('taints')?.list('taints').map(readTaint)),
  };
}

function readTaint(value: YamlValue): Taint {
  const fields = value.fields(['key', 'value', 'effect'], 'a taint');
  return {
    key: fields.get('key')?.word('key') ?? value.fail('a taint needs a key'),
    effect: fields.get('effect')?.word('effect') ?? value.fail('a taint needs an effect'),
    ...optional('value', fields.get('value')?.word('value')),
  };
}

const DRIVER_FIELDS = [
  'name',
  'vendorVersion',
  'sharedNodeId',
  'capabilities',
  'topology',
  'pools',
  'minimumVolumeSize',
  'maximumVolumeSize',
  'acceptedParameters',
  'acceptedMutableParameters',
  'accessModes',
  'maxVolumesPerNode',
  'volumeExpansion',
  'nodeExpansionRequired',
  'unreadySnapshotAnswers',
  'volumes',
] as const;

function readDriver(value: YamlValue, nodes: readonly NodeShape[]): DriverShape {
  const fields = value.fields([...DRIVER_FIELDS, 'attachRequired', 'storageCapacity', 'latency'], 'a driver');
  if (!fields.has('name')) value.fail('a driver needs a name');
  const config = Object.fromEntries(
    DRIVER_FIELDS.flatMap((key) => {
      const field = fields.get(key);
      return field === undefined || key === 'topology' ? [] : [[key, field.json()]];
    }),
  ) as unknown as MemoryDriverConfig;
  const topology = readTopology(fields.get('topology'), nodes);
  return {
    driver: topology === undefined ? config : { ...config, topology },
    ...optional('attachRequired', fields.get('attachRequired')?.bool('attachRequired')),
    ...optional('storageCapacity', fields.get('storageCapacity')?.bool('storageCapacity')),
    ...optional('latencyMs', readLatency(fields.get('latency'))),
  };
}

/** `zone` and `node` stand for the obvious keys; anything else is written out as the driver's own configuration. */
function readTopology(value: YamlValue | undefined, nodes: readonly NodeShape[]): MemoryTopologyConfig | undefined {
  if (value === undefined) return undefined;
  if (value.isMap) return value.json() as MemoryTopologyConfig;
  const word = value.text('topology');
  if (word === 'node') return { segments: { [HOSTNAME_LABEL]: '${node}' } };
  if (word !== 'zone') return value.fail(`topology must be "zone", "node" or a mapping with segments, not "${word}"`);
  return { segments: { [ZONE_LABEL]: Object.fromEntries(nodes.map(({ name, zone }) => [name, zone ?? ''])) } };
}

function readLatency(value: YamlValue | undefined): Readonly<Record<string, number>> | undefined {
  if (value === undefined) return undefined;
  if (!value.isMap) return { default: value.durationMs('latency') };
  return Object.fromEntries(
    [...value.entries('latency')].map(([rpc, each]) => [rpc, each.durationMs(`latency of ${rpc}`)]),
  );
}

function readClass(value: YamlValue): ClassShape {
  const fields = value.fields(
    [
      'name',
      'driver',
      'provisioner',
      'parameters',
      'waitForFirstConsumer',
      'default',
      'reclaimPolicy',
      'allowVolumeExpansion',
      'mountOptions',
    ],
    'a class',
  );
  const provisioner = fields.get('driver') ?? fields.get('provisioner') ?? value.fail('a class needs a driver');
  return {
    name: fields.get('name')?.word('name') ?? value.fail('a class needs a name'),
    provisioner: provisioner.word('driver'),
    ...optional('parameters', readWords(fields.get('parameters'), 'parameters')),
    ...optional('waitForFirstConsumer', fields.get('waitForFirstConsumer')?.bool('waitForFirstConsumer')),
    ...optional('default', fields.get('default')?.bool('default')),
    ...optional('reclaimPolicy', readReclaimPolicy(fields.get('reclaimPolicy'))),
    ...optional('allowVolumeExpansion', fields.get('allowVolumeExpansion')?.bool('allowVolumeExpansion')),
    ...optional(
      'mountOptions',
      fields
        .get('mountOptions')
        ?.list('mountOptions')
        .map((each) => each.word('a mount option')),
    ),
  };
}

function readReclaimPolicy(value: YamlValue | undefined): 'Delete' | 'Retain' | undefined {
  if (value === undefined) return undefined;
  const policy = value.text('reclaimPolicy');
  return policy === 'Delete' || policy === 'Retain'
    ? policy
    : value.fail(`reclaimPolicy must be Delete or Retain, not "${policy}"`);
}

function readSettings(value: YamlValue | undefined): Readonly<Record<string, SettingValue>> {
  if (value === undefined) return {};
  return Object.fromEntries(
    [...value.entries('cluster.settings')].map(([name, each]) => [name, readSetting(name, each)]),
  );
}

function readSetting(name: string, value: YamlValue): SettingValue {
  const given = value.json() as SettingValue;
  const fault = faultOfSetting(name, given);
  return fault === undefined ? given : fault.startsWith('unknown') ? value.failAtKey(fault) : value.fail(fault);
}

function readWords(value: YamlValue | undefined, what: string): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  return Object.fromEntries([...value.entries(what)].map(([key, each]) => [key, each.word(`${what}.${key}`)]));
}

/** `{ [key]: value }`, or nothing: an optional field is absent, never undefined. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
