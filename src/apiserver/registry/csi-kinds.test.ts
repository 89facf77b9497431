import { describe, expect, it } from 'vitest';
import { csiDriverStrategy } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacity.ts';
import { decoded, toldOfChange, toldOfNew } from './makers.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-class.ts';

describe('CSIDriver', () => {
  const driver = (spec: object = {}) => ({ spec });

  it('P-REG-4 nothing said -> every default', () => {
    expect(decoded(csiDriverStrategy, driver()).spec).toEqual({
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    });
  });

  it.each<[string, object, readonly string[]]>([
    [
      'unknown policy -> unsupported',
      { fsGroupPolicy: 'All' },
      ['spec.fsGroupPolicy: Unsupported value: "All": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
    ],
    [
      'unknown lifecycle -> unsupported',
      { volumeLifecycleModes: ['Eternal'] },
      ['spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"'],
    ],
    [
      'one audience twice -> duplicate',
      { tokenRequests: [{ audience: 'x' }, { audience: 'x' }] },
      ['spec.tokenRequests[1].audience: Duplicate value: "x"'],
    ],
    [
      'token for a minute -> too short',
      { tokenRequests: [{ audience: 'x', expirationSeconds: 60 }] },
      ['spec.tokenRequests[0].expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes'],
    ],
    [
      'allocatable every 5 s -> too often',
      { nodeAllocatableUpdatePeriodSeconds: 5 },
      ['spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds'],
    ],
  ])('P-REG-2 %s', (_situation, spec, expected) => {
    expect(toldOfNew(csiDriverStrategy, driver(spec))).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'attachRequired -> immutable under a name of its own',
      { attachRequired: false },
      ['spec.attachedRequired: Invalid value: false: field is immutable'],
    ],
    [
      'lifecycle modes -> immutable',
      { volumeLifecycleModes: ['Ephemeral'] },
      ['spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable'],
    ],
    [
      'the rest -> fine',
      {
        podInfoOnMount: true,
        storageCapacity: true,
        fsGroupPolicy: 'File',
        requiresRepublish: true,
        seLinuxMount: true,
      },
      [],
    ],
  ])('P-REG-12 %s', (_situation, spec, expected) => {
    expect(toldOfChange(csiDriverStrategy, driver(), driver(spec))).toEqual(expected);
  });

  it('P-REG-12 generation -> none at first, 1 after the first change of the spec, unchanged by labels', () => {
    const old = decoded(csiDriverStrategy, driver());
    const change = (spec: object) =>
      csiDriverStrategy.prepareForUpdate?.(decoded(csiDriverStrategy, driver(spec)), old, { now: 0 });
    expect(change({})?.metadata.generation).toBeUndefined();
    expect(change({ podInfoOnMount: true })?.metadata.generation).toBe(1);
  });

  it('P-REG-5 tokens in the volume context -> warned about when they are new', () => {
    const before = decoded(csiDriverStrategy, driver({ tokenRequests: [{ audience: 'x' }] }));
    expect(csiDriverStrategy.warnings?.(before, undefined)).toHaveLength(1);
    expect(csiDriverStrategy.warnings?.(before, before)).toEqual([]);
  });
});

describe('CSINode', () => {
  const node = (...drivers: object[]) => ({ spec: { drivers } });
  const driver = (fields: object = {}) => ({ name: 'a.example.com', nodeID: 'n1', ...fields });

  it.each<[string, object, readonly string[]]>([
    [
      'one driver twice -> duplicate',
      node(driver(), driver()),
      ['spec.drivers[1].name: Duplicate value: "a.example.com"'],
    ],
    ['no node id -> required', node(driver({ nodeID: '' })), ['spec.drivers[0].nodeID: Required value']],
    [
      'node id of 257 letters -> invalid',
      node(driver({ nodeID: 'n'.repeat(257) })),
      [`spec.drivers[0].nodeID: Invalid value: "${'n'.repeat(257)}": must be 256 characters or less`],
    ],
    [
      'one topology key twice -> duplicate',
      node(driver({ topologyKeys: ['z', 'z'] })),
      ['spec.drivers[0]: Duplicate value: "z"'],
    ],
    [
      'negative count -> invalid',
      node(driver({ allocatable: { count: -1 } })),
      ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['no drivers -> fine', node(), []],
  ])('P-REG-2 %s', (_situation, typed, expected) => {
    expect(toldOfNew(csiNodeStrategy, typed)).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'another node id -> immutable',
      node(driver({ nodeID: 'n2' })),
      [
        'spec.drivers: Invalid value: {"Name":"a.example.com","NodeID":"n2","TopologyKeys":null,"Allocatable":null}: field is immutable',
      ],
    ],
    ['another count -> fine', node(driver({ allocatable: { count: 5 } })), []],
    ['entry removed, another added -> fine', node(driver({ name: 'b.example.com' })), []],
  ])('P-REG-13 %s', (_situation, typed, expected) => {
    expect(toldOfChange(csiNodeStrategy, node(driver({ allocatable: { count: 1 } })), typed)).toEqual(expected);
  });
});

describe('CSIStorageCapacity', () => {
  const capacity = (fields: object = {}) => ({
    storageClassName: 'fast',
    nodeTopology: { matchLabels: { zone: 'a' } },
    ...fields,
  });

  it.each<[string, object, readonly string[]]>([
    ['capacity -> fine', { capacity: '5Gi', maximumVolumeSize: '2Gi' }, []],
    [
      'negative capacity -> invalid',
      { capacity: '-1' },
      ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'class -> immutable',
      { storageClassName: 'slow' },
      ['storageClassName: Invalid value: "slow": field is immutable'],
    ],
    [
      'topology -> immutable',
      { nodeTopology: { matchLabels: { zone: 'b' } } },
      ['nodeTopology: Invalid value: {"matchLabels":{"zone":"b"}}: field is immutable'],
    ],
  ])('P-REG-14 %s', (_situation, fields, expected) => {
    expect(toldOfChange(csiStorageCapacityStrategy, capacity(), capacity(fields))).toEqual(expected);
  });
});

describe('VolumeAttributesClass', () => {
  const attributes = (fields: object = {}) => ({
    driverName: 'disk.example.com',
    parameters: { iops: '1' },
    ...fields,
  });

  it('P-REG-2 no parameters -> required', () => {
    expect(toldOfNew(volumeAttributesClassStrategy, attributes({ parameters: {} }))).toEqual([
      'parameters: Required value: must contain at least one key/value pair',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'parameters -> forbidden',
      { parameters: { iops: '2' } },
      ['parameters: Forbidden: updates to parameters are forbidden.'],
    ],
    ['driver -> forbidden', { driverName: 'x' }, ['driverName: Forbidden: updates to driverName are forbidden.']],
    ['same parameters in another order -> fine', {}, []],
  ])('P-REG-15 %s', (_situation, fields, expected) => {
    expect(toldOfChange(volumeAttributesClassStrategy, attributes(), attributes(fields))).toEqual(expected);
  });
});
