// One driver of a cluster: what it can do, where its disks are, how large they get, how long its calls take.
import type {
  MemoryDriverConfig,
  MemoryPoolConfig,
  MemoryTopologyConfig,
  MemoryVolumeConfig,
} from '../csi/drivers/memory/config.ts';
import {
  ACCESS_MODES,
  CONTROLLER_CAPABILITIES,
  CONTROLLER_CHANGES,
  NODE_CAPABILITIES,
  NODE_CHANGES,
  type PluginServiceType,
  type StringMap,
} from '../csi/driver.ts';
import { type DriverShape, type NodeShape, HOSTNAME_LABEL, ZONE_LABEL } from '../worlds/cluster-shape.ts';
import {
  optional,
  readList,
  readName,
  readNamed,
  readOneOf,
  readQuantity,
  readSeveralOf,
  readWords,
} from './section-fields.ts';
import { type YamlValue, nearest } from './yaml-reader.ts';

const PLUGIN: readonly PluginServiceType[] = ['CONTROLLER_SERVICE', 'VOLUME_ACCESSIBILITY_CONSTRAINTS'];

const EXPANSION = ['ONLINE', 'OFFLINE'] as const;

/** Every call that a driver may get; `default` stands for the others. */
const RPCS: readonly string[] = [
  'default',
  'GetPluginInfo',
  'GetPluginCapabilities',
  'Probe',
  'ControllerGetCapabilities',
  ...CONTROLLER_CHANGES,
  'ValidateVolumeCapabilities',
  'ListVolumes',
  'ControllerGetVolume',
  'GetCapacity',
  'CreateSnapshot',
  'DeleteSnapshot',
  'ListSnapshots',
  'GetSnapshot',
  'NodeGetCapabilities',
  'NodeGetInfo',
  ...NODE_CHANGES,
  'NodeGetVolumeStats',
];

/** One reader for each field of a driver that is the memory driver's own, in the order of its configuration. */
const CONFIG: {
  readonly [K in Exclude<keyof MemoryDriverConfig, 'topology' | 'attaches'>]: Reader<MemoryDriverConfig[K]>;
} = {
  name: (value) => readName(value, 'the name of a driver'),
  vendorVersion: (value) => value.word('vendorVersion'),
  sharedNodeId: (value) => value.word('sharedNodeId'),
  nodes: (value) => readList(value, 'nodes'),
  capabilities: readCapabilities,
  pools: (value) => readNamed(value, 'pools', readPool, ({ name }) => name),
  minimumVolumeSize: (value) => readQuantity(value, 'minimumVolumeSize'),
  maximumVolumeSize: (value) => readQuantity(value, 'maximumVolumeSize'),
  fill: (value) => readQuantity(value, 'fill'),
  acceptedParameters: readAccepted,
  acceptedMutableParameters: (value) => readList(value, 'acceptedMutableParameters'),
  accessModes: (value) => readSeveralOf(value, 'accessModes', ACCESS_MODES),
  maxVolumesPerNode: (value) => readCount(value, 'maxVolumesPerNode'),
  volumeExpansion: (value) => readOneOf(value, EXPANSION),
  nodeExpansionRequired: (value) => value.bool('nodeExpansionRequired'),
  unreadySnapshotAnswers: (value) => readCount(value, 'unreadySnapshotAnswers'),
  volumes: (value) => readNamed(value, 'volumes', readVolume, ({ volumeId }) => volumeId),
};
type Reader<T> = (value: YamlValue) => T;

export function readDriver(value: YamlValue, nodes: readonly NodeShape[]): DriverShape {
  const known = [...Object.keys(CONFIG), 'topology', 'attachRequired', 'storageCapacity', 'latency'];
  const fields = value.fields(known, 'a driver');
  if (!fields.has('name')) value.fail('a driver needs a name');
  const config = Object.fromEntries(
    Object.entries(CONFIG).flatMap(([key, read]) => {
      const field = fields.get(key);
      return field === undefined ? [] : [[key, read(field)]];
    }),
  ) as unknown as MemoryDriverConfig;
  const topology = readTopology(fields.get('topology'), nodes);
  if (topology === undefined) refuseSegments(fields);
  return {
    driver: { ...config, ...optional('topology', topology) },
    ...optional('attachRequired', fields.get('attachRequired')?.bool('attachRequired')),
    ...optional('storageCapacity', fields.get('storageCapacity')?.bool('storageCapacity')),
    ...optional('latencyMs', readLatency(fields.get('latency'))),
  };
}

function readCapabilities(value: YamlValue): NonNullable<MemoryDriverConfig['capabilities']> {
  const fields = value.fields(['plugin', 'controller', 'node'], 'capabilities');
  const [plugin, controller, node] = ['plugin', 'controller', 'node'].map((key) => fields.get(key));
  return {
    ...optional('plugin', plugin === undefined ? undefined : readSeveralOf(plugin, 'plugin', PLUGIN)),
    ...optional(
      'controller',
      controller === undefined ? undefined : readSeveralOf(controller, 'controller', CONTROLLER_CAPABILITIES),
    ),
    ...optional('node', node === undefined ? undefined : readSeveralOf(node, 'node', NODE_CAPABILITIES)),
  };
}

function readPool(value: YamlValue): MemoryPoolConfig {
  const fields = value.fields(['name', 'capacity', 'parameters', 'segments'], 'a pool');
  const name = fields.get('name')?.word('name') ?? value.fail('a pool needs a name');
  const capacity = fields.get('capacity') ?? value.fail('a pool needs a capacity');
  const parameters = fields.get('parameters');
  return {
    name,
    capacity: readQuantity(capacity, 'capacity'),
    ...optional('parameters', parameters === undefined ? undefined : readWords(parameters, 'parameters')),
    ...optional('segments', readSegments(fields.get('segments'))),
  };
}

function readVolume(value: YamlValue): MemoryVolumeConfig {
  const fields = value.fields(['volumeId', 'capacity', 'accessModes', 'segments'], 'a volume');
  const name = fields.get('volumeId')?.word('volumeId') ?? value.fail('a volume needs a volumeId');
  const capacity = fields.get('capacity') ?? value.fail('a volume needs a capacity');
  const modes = fields.get('accessModes');
  return {
    volumeId: name,
    capacity: readQuantity(capacity, 'capacity'),
    ...optional('accessModes', modes === undefined ? undefined : readSeveralOf(modes, 'accessModes', ACCESS_MODES)),
    ...optional('segments', readSegments(fields.get('segments'))),
  };
}

const readSegments = (value: YamlValue | undefined): StringMap | undefined =>
  value === undefined ? undefined : readWords(value, 'segments');

/** A pool in one place belongs to a driver that has places. */
function refuseSegments(fields: ReadonlyMap<string, YamlValue>): void {
  for (const pool of fields.get('pools')?.list('pools') ?? [])
    pool.entries('a pool').get('segments')?.failAtKey('segments need a driver with topology');
}

function readAccepted(value: YamlValue): Readonly<Record<string, readonly string[]>> {
  const entries = [...value.entries('acceptedParameters')];
  return Object.fromEntries(entries.map(([key, each]) => [key, readList(each, `acceptedParameters.${key}`)]));
}

function readCount(value: YamlValue, what: string): number {
  const count = value.whole(what);
  return count >= 0 ? count : value.fail(`${what} must not be negative`);
}

/** `zone` and `node` stand for the obvious keys; anything else is written out as the driver's own configuration. */
function readTopology(value: YamlValue | undefined, nodes: readonly NodeShape[]): MemoryTopologyConfig | undefined {
  if (value === undefined) return undefined;
  if (value.isMap) return readWrittenTopology(value);
  const word = value.text('topology');
  if (word === 'node') return { segments: { [HOSTNAME_LABEL]: '${node}' } };
  if (word !== 'zone') return value.fail(`topology must be "zone", "node" or a mapping with segments, not "${word}"`);
  return { segments: { [ZONE_LABEL]: Object.fromEntries(nodes.map(({ name, zone }) => [name, zone ?? ''])) } };
}

function readWrittenTopology(value: YamlValue): MemoryTopologyConfig {
  const fields = value.fields(['segments', 'accessibleFrom', 'ignoresRequirement'], 'topology');
  const segments = fields.get('segments') ?? value.fail('a topology needs segments');
  const accessibleFrom = fields.get('accessibleFrom')?.list('accessibleFrom');
  return {
    segments: Object.fromEntries(
      [...segments.entries('segments')].map(([key, each]) => [
        key,
        each.isMap ? readWords(each, `segments.${key}`) : each.word(`segments.${key}`),
      ]),
    ),
    ...optional(
      'accessibleFrom',
      accessibleFrom?.map((each) => readWords(each, 'accessibleFrom')),
    ),
    ...optional('ignoresRequirement', fields.get('ignoresRequirement')?.bool('ignoresRequirement')),
  };
}

/** `latency: 5ms` for all calls, or one by RPC with `default` for the others. */
function readLatency(value: YamlValue | undefined): Readonly<Record<string, number>> | undefined {
  if (value === undefined) return undefined;
  if (!value.isMap) return { default: value.durationMs('latency') };
  return Object.fromEntries(
    [...value.entries('latency')].map(([rpc, each]) => {
      if (!RPCS.includes(rpc)) each.failAtKey(`no call "${rpc}"${nearest(rpc, RPCS)}`);
      return [rpc, each.durationMs(`latency of ${rpc}`)];
    }),
  );
}
