import { describe, expect, test } from 'vitest';
import { frozenCopy } from './deep-freeze.ts';
import { ShapeError, deepFreeze, shapeObject, shapeOf } from './go-shape.ts';
import type { KubeObject, Resource } from './object.ts';
import { CSINodes } from './resources/csi-node.ts';
import { ConfigMaps } from './resources/config-map.ts';
import { Deployments } from './resources/deployment.ts';
import { Events } from './resources/event.ts';
import { Leases } from './resources/lease.ts';
import { PersistentVolumeClaims } from './resources/persistent-volume-claim.ts';
import { Pods } from './resources/pod.ts';
import { Secrets } from './resources/secret.ts';
import { StatefulSets } from './resources/stateful-set.ts';
import * as schema from './schema.ts';

const shaped = (resource: Resource<KubeObject>, value: object, unknownFields?: string[]): unknown =>
  shapeObject(resource, value, unknownFields === undefined ? {} : { unknownFields });
const encoded = (resource: Resource<KubeObject>, value: object): string => JSON.stringify(shaped(resource, value));

describe('P-KUBE-8 an object in the shape of its Go type', () => {
  test.each<[string, Resource<KubeObject>, object, string]>([
    [
      'nothing given -> what is always written',
      Pods,
      {},
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[]},"status":{}}',
    ],
    [
      'fields in any order -> in the order of declaration',
      Pods,
      { status: { phase: 'Running' }, metadata: { uid: 'u', name: 'a' } },
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u"},"spec":{"containers":[]},"status":{"phase":"Running"}}',
    ],
    [
      'empty texts, lists and maps -> left out',
      Pods,
      { metadata: { name: '', labels: {}, finalizers: [] } },
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[]},"status":{}}',
    ],
    [
      'null -> as if not given',
      PersistentVolumeClaims,
      { metadata: { name: 'a', annotations: null }, spec: { storageClassName: null }, status: null },
      '{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"a"},"spec":{"resources":{}},"status":{}}',
    ],
    [
      'an explicit zero of a pointer -> kept',
      PersistentVolumeClaims,
      { spec: { storageClassName: '' } },
      '{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{},"spec":{"resources":{},"storageClassName":""},"status":{}}',
    ],
    [
      'an empty object of a pointer -> kept',
      Pods,
      { spec: { volumes: [{ name: 'v', emptyDir: {} }], containers: [] } },
      '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[]},"status":{}}',
    ],
    [
      'a nullable list that is empty -> null',
      CSINodes,
      { spec: { drivers: [] } },
      '{"kind":"CSINode","apiVersion":"storage.k8s.io/v1","metadata":{},"spec":{"drivers":null}}',
    ],
    [
      'a nullable object that is empty -> kept',
      Deployments,
      { spec: { selector: {}, template: null } },
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":{},"template":{"metadata":{},"spec":{"containers":[]}},"strategy":{}},"status":{}}',
    ],
    [
      'null members -> zero values',
      ConfigMaps,
      { data: { a: null, b: 'c' } },
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":"","b":"c"}}',
    ],
    [
      'quantities -> canonical',
      PersistentVolumeClaims,
      { spec: { resources: { requests: { storage: ' 1024Mi ', cpu: 2000 } } } },
      '{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{},"spec":{"resources":{"requests":{"storage":"1Gi","cpu":"2k"}}},"status":{}}',
    ],
    [
      'times -> UTC seconds; the zero time -> none',
      Pods,
      {
        metadata: { creationTimestamp: '2021-03-04T05:06:07.89+02:00' },
        status: {
          startTime: '2021-03-31T00:00:00Z',
          conditions: [{ type: 'R', status: 'T', lastProbeTime: '0001-01-01T00:00:00Z' }],
        },
      },
      '{"kind":"Pod","apiVersion":"v1","metadata":{"creationTimestamp":"2021-03-04T03:06:07Z"},"spec":{"containers":[]},"status":{"conditions":[{"type":"R","status":"T","lastProbeTime":null,"lastTransitionTime":null}],"startTime":"2021-03-31T00:00:00Z"}}',
    ],
    [
      'micro times -> UTC microseconds',
      Leases,
      { spec: { renewTime: '2021-01-01T02:00:00.000001+02:00', acquireTime: '2021-01-31T00:00:00.123456Z' } },
      '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{},"spec":{"acquireTime":"2021-01-31T00:00:00.123456Z","renewTime":"2021-01-01T00:00:00.000001Z"}}',
    ],
    [
      'unset event times -> null',
      Events,
      { reason: 'R' },
      '{"kind":"Event","apiVersion":"v1","metadata":{},"involvedObject":{},"reason":"R","source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    ],
    [
      'numbers and texts where both may be -> as given',
      Deployments,
      { spec: { strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } } },
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":[]}},"strategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":"25%"}}},"status":{}}',
    ],
    [
      'a claim template -> keeps its own kind',
      StatefulSets,
      { spec: { volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1' }] } },
      expect.stringContaining(
        '"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{},"spec":{"resources":{}},"status":{}}]',
      ),
    ],
    [
      'base64 over several lines -> on one',
      Secrets,
      { data: { a: 'YW\nI=' } },
      '{"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"a":"YWI="}}',
    ],
    [
      'a data key that a prototype has -> an ordinary key',
      ConfigMaps,
      { data: JSON.parse('{"__proto__":"x","toString":"y"}') },
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"__proto__":"x","toString":"y"}}',
    ],
  ])('%s', (_situation, resource, value, json) => {
    expect(encoded(resource, value)).toEqual(json);
  });

  test('kind and apiVersion of the body -> replaced by those of the resource', () => {
    expect(shaped(ConfigMaps, { kind: 'Other', apiVersion: 'v9' })).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {},
    });
  });

  test('a kind without schema -> only frozen', () => {
    const value = { kind: 'Snap', apiVersion: 'x.io/v1', spec: { size: null } };
    const object = shapeObject(
      { group: 'x.io', version: 'v1', plural: 'snaps', kind: 'Snap', namespaced: true },
      value,
    );
    expect(object).toEqual(value);
    expect(object).not.toBe(value);
    expect(Object.isFrozen(object)).toBe(true);
  });
});

describe('P-KUBE-8 unknown fields', () => {
  test('at any depth -> dropped and named once, in the order of the document', () => {
    const unknown: string[] = [];
    const value = {
      metadata: { name: 'a' },
      spec: { sise: '1Gi', selector: { matchLabel: {} }, resources: {} },
      extra: null,
      kin: 1,
    };
    expect(shaped(PersistentVolumeClaims, value, unknown)).toEqual({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      spec: { selector: {}, resources: {} },
      status: {},
    });
    expect(unknown).toEqual(['spec.sise', 'spec.selector.matchLabel', 'extra', 'kin']);
  });

  test('inside lists -> with the index', () => {
    const unknown: string[] = [];
    shaped(Pods, { spec: { containers: [{ name: 'c', env: [{}, { nam: 'x' }] }], '.dot': 1 } }, unknown);
    expect(unknown).toEqual(['spec.containers[0].env[1].nam', 'spec..dot']);
  });

  test('inside maps of objects -> with the key', () => {
    const member = schema.message('x.Member', { a: schema.omitempty(1, schema.string) });
    const holder = schema.message('x.Holder', { members: schema.omitempty(1, schema.map(schema.of(member))) });
    const unknownFields: string[] = [];
    expect(shapeOf(holder, { members: { k: { a: 'x', b: 1 }, l: null } }, { unknownFields })).toEqual({
      members: { k: { a: 'x' }, l: {} },
    });
    expect(unknownFields).toEqual(['members.k.b']);
  });
});

describe('P-KUBE-8 values that do not decode', () => {
  test.each<[Resource<KubeObject>, object, string]>([
    [
      Pods,
      { metadata: { name: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [Pods, { spec: 'x' }, 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec'],
    [
      Pods,
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      Pods,
      { spec: { containers: [{ ports: [{ containerPort: 1.5 }] }] } },
      'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      Pods,
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      Pods,
      { spec: { terminationGracePeriodSeconds: '30' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      Pods,
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      Pods,
      { metadata: { labels: [] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      Pods,
      { metadata: { finalizers: [true] } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      Pods,
      { metadata: { managedFields: [{ fieldsV1: [] }] } },
      'json: cannot unmarshal array into Go struct field ManagedFieldsEntry.metadata.managedFields.fieldsV1 of type v1.FieldsV1',
    ],
    [
      Pods,
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [Pods, { metadata: { creationTimestamp: '2021-02-30T00:00:00Z' } }, expect.stringContaining('parsing time')],
    [Pods, { metadata: { creationTimestamp: '2021-02-03T00:00:00+25:00' } }, expect.stringContaining('parsing time')],
    [Pods, { metadata: { creationTimestamp: '2021-02-03T24:00:00Z' } }, expect.stringContaining('parsing time')],
    [Leases, { spec: { renewTime: '2021-01-01T00:01:00.5Z' } }, expect.stringContaining('parsing time')],
    [
      PersistentVolumeClaims,
      { spec: { resources: { requests: { storage: '1Gx' } } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      PersistentVolumeClaims,
      { spec: { resources: { requests: { storage: {} } } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      Deployments,
      { spec: { replicas: 3_000_000_000 } },
      'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      Deployments,
      { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [Secrets, { data: { a: '!!' } }, 'illegal base64 data at input byte 0'],
  ])('%o %j -> %s', (resource, value, message) => {
    expect(() => shaped(resource, value)).toThrow(ShapeError);
    expect(() => shaped(resource, value)).toThrow(expect.objectContaining({ message }));
  });

  test('no object at all -> said of the value', () => {
    const empty = schema.message('x.y.Thing', {});
    expect(() => shapeOf(empty, [])).toThrow('json: cannot unmarshal array into Go value of type v1.Thing');
  });

  test.each<[Resource<KubeObject>, object, string]>([
    [PersistentVolumeClaims, { spec: { accessModes: 'x' } }, 'cannot restore slice from string'],
    [PersistentVolumeClaims, { spec: { resources: { requests: 1 } } }, 'cannot restore map from int64'],
    [PersistentVolumeClaims, { spec: { resources: [] } }, 'cannot restore struct from: slice'],
    [PersistentVolumeClaims, { spec: { volumeName: 5 } }, 'cannot convert int64 to string'],
    [PersistentVolumeClaims, { spec: { volumeName: true } }, 'unrecognized type: string'],
    [Deployments, { spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    [Deployments, { spec: { replicas: 'x' } }, 'unrecognized type: int32'],
    [Deployments, { spec: { paused: 1 } }, 'unrecognized type: bool'],
    [
      Leases,
      { spec: { renewTime: 5 } },
      'json: cannot unmarshal number into Go struct field LeaseSpec.spec.renewTime of type string',
    ],
  ])('%o %j, put together from the parts of a merge -> %s', (resource, value, restoring) => {
    expect(() => shaped(resource, value)).toThrow(expect.objectContaining({ restoring }));
  });

  test('the rarer scalars -> by their own rules', () => {
    const thing = schema.message('x.y.Thing', {
      wait: schema.always(1, schema.duration),
      part: schema.always(2, schema.double),
      any: schema.pointer(3, schema.raw),
      size: schema.always(4, schema.quantity),
      either: schema.always(5, schema.intOrString),
      blob: schema.always(6, schema.bytes),
    });
    expect(shapeOf(thing, { wait: '90s', part: 1.5, any: { a: [null] } })).toEqual({
      wait: '1m30s',
      part: 1.5,
      any: { a: [null] },
      size: '0',
      either: 0,
      blob: '',
    });
    expect(shapeOf(thing, undefined)).toEqual({ wait: '0s', part: 0, size: '0', either: 0, blob: '' });
    expect(() => shapeOf(thing, { wait: 'x' })).toThrow(new ShapeError('time: invalid duration "x"'));
    expect(() => shapeOf(thing, { part: 'x' })).toThrow(ShapeError);
  });

  test('a message that contains itself -> shaped to any depth', () => {
    const fields: Record<string, schema.Field> = { name: schema.omitempty(1, schema.string) };
    const node: schema.MessageSchema = { name: 'x.Node', fields };
    fields['next'] = schema.pointer(2, schema.of(node));
    expect(shapeOf(node, { next: { next: { name: '' } } })).toEqual({ next: { next: {} } });
  });
});

describe('P-KUBE-9 what is shaped is frozen and shared', () => {
  const pod = () => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', labels: { x: 'y' } },
    spec: { containers: [{ name: 'c', resources: {} }] },
    status: {},
  });

  test('frozen at every depth, and the input left alone', () => {
    const input = pod();
    const object = shapeObject(Pods, input);
    expect(Object.isFrozen(object.metadata.labels)).toBe(true);
    expect(Object.isFrozen(object.spec.containers[0])).toBe(true);
    expect(Object.isFrozen(input.metadata)).toBe(false);
    input.metadata.labels.x = 'z';
    expect(object.metadata.labels).toEqual({ x: 'y' });
  });

  test('shaped again -> the very same object', () => {
    const object = shapeObject(Pods, pod());
    expect(shaped(Pods, object)).toBe(object);
  });

  test('one path changed -> all else shared', () => {
    const object = shapeObject(Pods, pod());
    const changed = shapeObject(Pods, { ...object, metadata: { ...object.metadata, name: 'b' } });
    expect(changed.spec).toBe(object.spec);
    expect(changed.metadata.labels).toBe(object.metadata.labels);
    expect(Object.isFrozen(changed.metadata)).toBe(true);
  });

  test('a frozen object in another order -> put in order', () => {
    const object = shaped(
      Pods,
      deepFreeze({ status: {}, spec: { containers: [] }, metadata: {}, kind: 'Pod', apiVersion: 'v1' }),
    );
    expect(Object.keys(object as object)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
  });

  test('deepFreeze -> in place; frozenCopy -> leaves the original', () => {
    const value = { a: [{ b: 1 }] };
    const copy = frozenCopy(value);
    expect(copy).toEqual(value);
    expect(Object.isFrozen(value.a)).toBe(false);
    expect(Object.isFrozen((copy as typeof value).a[0])).toBe(true);
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value.a[0])).toBe(true);
    expect(frozenCopy(value)).toBe(value);
  });
});
