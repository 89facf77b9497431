import { describe, expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '../../kube/schema-table.ts';
import { builtInSchema } from '../../kube/schema-table-messages.ts';
import { OpenApi } from './openapi.ts';
import type { PublishedKind } from './published-kind.ts';

const BUILT_IN: readonly PublishedKind[] = BUILT_IN_RESOURCES.map((facts) => {
  const message = builtInSchema(facts);
  return {
    ...facts,
    listKind: `${facts.kind}List`,
    schema: message === undefined ? { type: 'open' } : { type: 'declared', message },
  };
});

const custom = (description: string): PublishedKind => ({
  group: 'stable.example.com',
  version: 'v1',
  plural: 'crontabs',
  singular: 'crontab',
  kind: 'CronTab',
  listKind: 'CronTabList',
  namespaced: true,
  verbs: ['create', 'get', 'list', 'patch', 'update', 'delete', 'watch'],
  shortNames: [],
  categories: [],
  subresources: [],
  schema: { type: 'defined', schema: { type: 'object', description, properties: { spec: { type: 'object' } } } },
});

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': { readonly kind: string };
}
interface Contents {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object; readonly description?: string }>>;
  };
}
interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

const source = { revision: 1, kinds: BUILT_IN };
const published = {
  get revision() {
    return source.revision;
  },
  all: () => source.kinds,
};
const openApi = new OpenApi(published);
const contentsOf = (path: string): Contents => JSON.parse(openApi.document(path)?.text ?? '{}') as Contents;
const index = (): Index => JSON.parse(openApi.index()) as Index;

describe('OpenApi', () => {
  it('P-OA-1 every group version -> in the index, by the hash of its document', () => {
    const { paths } = index();
    expect(Object.keys(paths)).toContain('apis/storage.k8s.io/v1');
    for (const [path, { serverRelativeURL }] of Object.entries(paths))
      expect(serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${openApi.document(path)?.hash ?? ''}`);
    expect(openApi.document('apis/nope/v1')).toBeUndefined();
  });

  it('P-OA-2 every kind that can be patched -> a patch that names it and can check fields', () => {
    for (const { group, version, plural, kind, namespaced, verbs } of BUILT_IN) {
      if (!verbs.includes('patch')) continue;
      const { paths } = contentsOf(group === '' ? `api/${version}` : `apis/${group}/${version}`);
      const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const patch = paths[`${prefix}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`]?.['patch'];
      expect(patch?.['x-kubernetes-action'], plural).toBe('patch');
      expect(patch?.['x-kubernetes-group-version-kind'].kind).toBe(kind);
      expect(patch?.parameters?.map(({ name }) => name)).toContain('fieldValidation');
    }
  });

  it('P-OA-3 every reference -> to a schema of the same document', () => {
    for (const path of Object.keys(index().paths)) {
      const text = openApi.document(path)?.text ?? '';
      const { components } = contentsOf(path);
      const references = new Set(
        [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
      );
      expect(
        [...references].filter((name) => components.schemas[name ?? ''] === undefined),
        path,
      ).toEqual([]);
    }
  });

  it('P-OA-3 fields -> types, list types, merge keys and our own words', () => {
    const { schemas } = contentsOf('api/v1').components;
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties).toMatchObject({
      containers: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
      },
    });
    expect(schemas['io.k8s.api.core.v1.PersistentVolumeClaim']?.description).toMatch(/^A request for storage/);
  });

  it('P-OA-4 a kind that a client defines -> published as it was written; when it changes so does its hash, and no other', () => {
    const before = index().paths;
    source.kinds = [...BUILT_IN, custom('one')];
    source.revision = 2;
    const one = openApi.document('apis/stable.example.com/v1')?.hash;
    const name = 'com.example.stable.v1.CronTab';
    expect(contentsOf('apis/stable.example.com/v1').components.schemas[name]).toMatchObject({
      description: 'one',
      properties: { spec: { type: 'object' }, kind: { type: 'string' } },
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', version: 'v1', kind: 'CronTab' }],
    });
    source.kinds = [...BUILT_IN, custom('two')];
    source.revision = 3;
    expect(openApi.document('apis/stable.example.com/v1')?.hash).not.toBe(one);
    expect(index().paths).toMatchObject(before);
    expect(openApi.swagger().text).toContain(`"${name}":{"type":"object","description":"two"`);
  });
});
