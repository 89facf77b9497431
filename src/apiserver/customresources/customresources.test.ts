import { beforeEach, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { WatchEvent } from '../../kube/cluster.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import {
  type CustomResourceDefinition,
  CustomResourceDefinitions,
  type DefinitionVersion,
} from '../../kube/resources/custom-resource-definition.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { ApiServer } from '../apiserver.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import type { StoredObject } from '../registry/generic-call.ts';
import { defaultStrategies } from '../registry/strategies.ts';
import { tableStrategies } from '../registry/table-kinds.ts';

const ADMINISTRATOR = { name: 'test', groups: ['system:masters'] };
const GROUP = 'e.example.com';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 }, name: { type: 'string' } } },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
};

const version = (more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: SCHEMA },
  ...more,
});

const definition = (plural: string, kind: string, versions: readonly DefinitionVersion[] = [version()]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions },
});

let store = new ObjectStore();
let server: ApiServer;

function started(): ApiServer {
  const own = defaultStrategies();
  const made = new ApiServer({
    clock: new SteppedClock(0),
    random: new SeededRandom('custom'),
    store,
    strategies: [...own, ...tableStrategies(own)],
  });
  made.bootstrap();
  return made;
}

beforeEach(() => {
  store = new ObjectStore();
  server = started();
});

const resource = (plural: string, kind: string, name = 'v1'): Resource<KubeObject> => ({
  group: GROUP,
  version: name,
  plural,
  kind,
  namespaced: true,
});
const SNAPS = resource('snaps', 'Snap');

function create(on: Resource<KubeObject>, object: object): StoredObject {
  const namespace = on.namespaced ? 'default' : undefined;
  const answer = server.handle({ verb: 'create', resource: on, namespace, object }, ADMINISTRATOR);
  if (answer.type !== 'object') throw new Error('no object');
  return answer.object as StoredObject;
}

const define = (...words: Parameters<typeof definition>): void => {
  create(CustomResourceDefinitions, definition(...words));
};

function get(on: Resource<KubeObject>, key: string): StoredObject {
  const answer = server.handle({ verb: 'get', resource: on, key }, ADMINISTRATOR);
  if (answer.type !== 'object') throw new Error('no object');
  return answer.object as StoredObject;
}

function patch(on: Resource<KubeObject>, key: string, body: object, subresource?: string): StoredObject {
  const answer = server.handle(
    {
      verb: 'patch',
      resource: on,
      key,
      ...(subresource === undefined ? {} : { subresource }),
      patch: { type: 'merge', body },
    },
    ADMINISTRATOR,
  );
  if (answer.type !== 'object') throw new Error('no object');
  return answer.object as StoredObject;
}

const snap = (name: string, spec: object = {}, more: object = {}): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Snap',
  metadata: { name, ...more },
  spec,
});

const found = (plural: string): CustomResourceDefinition =>
  get(CustomResourceDefinitions, `${plural}.${GROUP}`) as unknown as CustomResourceDefinition;

const told = (plural: string): readonly string[] =>
  (found(plural).status.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`);

describe('CustomResources', () => {
  it('P-CR-1 a definition is written -> its names are accepted, it is established, its objects are served at once', () => {
    define('snaps', 'Snap');
    expect(told('snaps')).toEqual(['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted']);
    expect(found('snaps').status).toMatchObject({ storedVersions: ['v1'], acceptedNames: { listKind: 'SnapList' } });
    expect(create(SNAPS, snap('a', { size: 2 }))).toMatchObject({ spec: { size: 2 }, metadata: { generation: 1 } });
    expect(server.customKinds.map(({ facts }) => facts.plural)).toEqual(['snaps']);
  });

  it('P-CR-1 another server on the same store -> serves what was defined before it', () => {
    define('snaps', 'Snap');
    create(SNAPS, snap('a'));
    server = started();
    expect(get(SNAPS, 'default/a').metadata.name).toBe('a');
  });

  it('P-CR-2 a name that another definition has -> not accepted and not served, until it is free', () => {
    define('snaps', 'Snap');
    define('snapshots', 'Snap');
    expect(told('snapshots')).toEqual(['NamesAccepted False ListKindConflict', 'Established False NotAccepted']);
    expect(() => create(resource('snapshots', 'Snap'), snap('a'))).toThrow('could not find the requested resource');
    const key = `snaps.${GROUP}`;
    server.handle({ verb: 'delete', resource: CustomResourceDefinitions, key }, ADMINISTRATOR);
    expect(told('snapshots')).toEqual(['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted']);
  });

  it('P-CR-3 a definition is deleted -> its objects go with it, watches end', () => {
    define('snaps', 'Snap');
    create(SNAPS, snap('a'));
    const events: string[] = [];
    let isClosed = false;
    server.watch(SNAPS, { resourceVersion: String(server.revision) }, ADMINISTRATOR, {
      event: (event: WatchEvent<KubeObject>) => void events.push(event.type),
      closed: () => {
        isClosed = true;
      },
    });
    const key = `snaps.${GROUP}`;
    const answer = server.handle({ verb: 'delete', resource: CustomResourceDefinitions, key }, ADMINISTRATOR);
    expect(answer).toMatchObject({
      object: {
        metadata: {
          finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
          deletionTimestamp: expect.any(String) as string,
        },
      },
    });
    expect(() => found('snaps')).toThrow('not found');
    expect(() => get(SNAPS, 'default/a')).toThrow('could not find the requested resource');
    expect([events, isClosed]).toEqual([['DELETED'], true]);
  });

  it('P-CR-3 an object with a finalizer -> the definition waits for it, and nothing new is made', () => {
    define('snaps', 'Snap');
    create(SNAPS, snap('a', {}, { finalizers: ['x.example.com/y'] }));
    const key = `snaps.${GROUP}`;
    server.handle({ verb: 'delete', resource: CustomResourceDefinitions, key }, ADMINISTRATOR);
    expect(told('snaps').at(-1)).toBe('Terminating True InstanceDeletionInProgress');
    expect(() => create(SNAPS, snap('b'))).toThrow(
      'create not allowed while custom resource definition is terminating',
    );
    patch(SNAPS, 'default/a', { metadata: { finalizers: null } });
    expect(() => found('snaps')).toThrow('not found');
  });

  it('P-CR-4 a schema gets a default -> stored objects show it, and keep their generation', () => {
    define('snaps', 'Snap');
    create(SNAPS, snap('a', { size: 2 }));
    const spec = { type: 'object', properties: { size: { type: 'integer' }, name: { type: 'string', default: 'n' } } };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    patch(CustomResourceDefinitions, `snaps.${GROUP}`, {
      spec: { versions: [version({ schema: { openAPIV3Schema } })] },
    });
    expect(get(SNAPS, 'default/a')).toMatchObject({ spec: { size: 2, name: 'n' }, metadata: { generation: 1 } });
  });

  it('P-CR-5 two versions -> the same object under both names, stored in one', () => {
    define('snaps', 'Snap', [version(), version({ name: 'v1beta1', storage: false })]);
    const beta = resource('snaps', 'Snap', 'v1beta1');
    create(beta, { ...snap('a', { size: 3 }), apiVersion: `${GROUP}/v1beta1` });
    expect(get(SNAPS, 'default/a')).toMatchObject({ apiVersion: `${GROUP}/v1`, spec: { size: 3 } });
    expect(get(beta, 'default/a')).toMatchObject({ apiVersion: `${GROUP}/v1beta1` });
    expect(store.all(SNAPS)).toMatchObject([{ apiVersion: `${GROUP}/v1` }]);
  });

  it('P-CR-6 status and the rest -> each by its own path, only the rest counts generations', () => {
    define('snaps', 'Snap', [version({ subresources: { status: {} } })]);
    expect(create(SNAPS, { ...snap('a', { size: 1 }), status: { ready: true } })['status']).toBeUndefined();
    const ready = patch(SNAPS, 'default/a', { status: { ready: true }, spec: { size: 5 } }, 'status');
    expect(ready).toMatchObject({ status: { ready: true }, spec: { size: 1 }, metadata: { generation: 1 } });
    expect(patch(SNAPS, 'default/a', { spec: { size: 2 } }).metadata.generation).toBe(2);
    expect(() => patch(SNAPS, 'default/a', { status: { ready: 1 } }, 'status')).toThrow('status.ready: Invalid value');
  });

  it('P-CR-7 an invalid value that was there before -> may stay as long as it does not change', () => {
    define('snaps', 'Snap');
    create(SNAPS, snap('a', { size: 1 }));
    const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 5 }, name: { type: 'string' } } };
    patch(CustomResourceDefinitions, `snaps.${GROUP}`, {
      spec: { versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } })] },
    });
    expect(patch(SNAPS, 'default/a', { spec: { name: 'x' } })).toMatchObject({ spec: { size: 1, name: 'x' } });
    expect(() => patch(SNAPS, 'default/a', { spec: { size: 2 } })).toThrow('greater than or equal to 5');
  });

  it('P-CR-8 an empty list and none -> two different objects', () => {
    const list: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    define('snaps', 'Snap', [version({ schema: { openAPIV3Schema: list } })]);
    create(SNAPS, snap('a', { list: [] }));
    expect(patch(SNAPS, 'default/a', { spec: { list: null } })).toMatchObject({
      spec: {},
      metadata: { generation: 2 },
    });
  });

  it('P-CR-9 rules on a server without their language -> the definition is refused', () => {
    const openAPIV3Schema: JsonSchema = { ...SCHEMA, 'x-kubernetes-validations': [{ rule: 'self.spec.size > 1' }] };
    expect(() => define('snaps', 'Snap', [version({ schema: { openAPIV3Schema } })])).toThrow(
      'this server cannot check rules',
    );
  });

  it('P-CR-9 conversion by webhook between versions -> refused', () => {
    const webhook = { clientConfig: { url: 'https://x.example.com' }, conversionReviewVersions: ['v1'] };
    const two = definition('snaps', 'Snap', [version(), version({ name: 'v2', storage: false })]) as { spec: object };
    const conversion = { strategy: 'Webhook', webhook };
    expect(() => create(CustomResourceDefinitions, { ...two, spec: { ...two.spec, conversion } })).toThrow(
      'this server does not convert by webhook',
    );
  });

  it('P-CR-10 scale -> reads and writes the numbers at the paths of the definition', () => {
    const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.count' };
    define('snaps', 'Snap', [version({ subresources: { scale } })]);
    create(SNAPS, snap('a', { size: 2 }));
    const key = 'default/a';
    const asked = server.handle({ verb: 'get', resource: SNAPS, key, subresource: 'scale' }, ADMINISTRATOR);
    expect(asked).toMatchObject({ object: { kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 0 } } });
    patch(SNAPS, key, { spec: { replicas: 7 } }, 'scale');
    expect(get(SNAPS, key)).toMatchObject({ spec: { size: 7 } });
  });
});
