// The documents by which clients learn what is served: one for everything, or one for each group and version.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/discovery
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../kube/object.ts';
import type { ResourceFacts, SubresourceFacts } from '../../kube/schema-table.ts';
import type { ServedApi, ServedApis } from './served-apis.ts';

export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface GroupOfVersions {
  readonly group: string;
  /** The preferred first. */
  readonly versions: readonly (readonly [version: string, resources: readonly ServedApi[]])[];
}

export interface AggregatedDocument {
  readonly bytes: Buffer;
  /** Quoted, as the header wants it. */
  readonly etag: string;
}

/** What is told of one state of what is served. */
interface Told {
  readonly revision: number;
  readonly groups: readonly GroupOfVersions[];
  readonly aggregated: Map<'api' | 'apis', AggregatedDocument>;
}

export class Discovery {
  readonly #apis: ServedApis;
  #told: Told | undefined;

  constructor(apis: ServedApis) {
    this.#apis = apis;
  }

  #current(): Told {
    const { revision, all } = this.#apis;
    if (this.#told?.revision === revision) return this.#told;
    const groups = grouped(all, ({ group }) => group).map(([group, apis]) => ({
      group,
      versions: grouped(apis, ({ version }) => version),
    }));
    this.#told = { revision, groups, aggregated: new Map() };
    return this.#told;
  }

  get #groups(): readonly GroupOfVersions[] {
    return this.#current().groups;
  }

  aggregated(root: 'api' | 'apis'): AggregatedDocument {
    const { aggregated, groups } = this.#current();
    const known = aggregated.get(root);
    if (known !== undefined) return known;
    const items = groups
      .filter(({ group }) => (group === '') === (root === 'api'))
      .map(({ group, versions }) => ({
        metadata: group === '' ? {} : { name: group },
        versions: versions.map(([version, resources]) => ({
          version,
          resources: resources.map(aggregatedResource),
          freshness: 'Current',
        })),
      }));
    const document = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
    const bytes = Buffer.from(`${JSON.stringify(document)}\n`);
    const etag = `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"`;
    const made = { bytes, etag };
    aggregated.set(root, made);
    return made;
  }

  /** `/api`; `address` is where the server listens. */
  versions(address: string): object {
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }

  /** `/apis` */
  groups(): object {
    const groups = this.#groups.filter(({ group }) => group !== '').map(groupDocument);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  /** `/apis/GROUP` */
  group(name: string): object | undefined {
    const found = this.#groups.find(({ group }) => group === name && group !== '');
    return found === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found) };
  }

  /** `/api/v1`, `/apis/GROUP/VERSION` */
  resources(group: string, version: string): object | undefined {
    const found = this.#groups.find((each) => each.group === group)?.versions.find(([name]) => name === version);
    if (found === undefined) return undefined;
    const groupVersion = apiVersionOf({ group, version });
    const resources = found[1].flatMap((api) => [
      plainResource(api),
      ...api.subresources.map((each) => plainSubresource(api, each)),
    ]);
    return { kind: 'APIResourceList', ...(group === '' ? {} : { apiVersion: 'v1' }), groupVersion, resources };
  }
}

/** Groups and members keep the order in which they come. */
function grouped<T>(members: readonly T[], keyOf: (member: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return [...groups];
}

function groupDocument({ group, versions }: GroupOfVersions): object {
  const named = versions.map(([version]) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

const listed = (name: string, words: readonly string[]): object => (words.length === 0 ? {} : { [name]: words });

/** A kind of its parent's own group version is told without them, unless a client defined it. */
function aggregatedResource(api: ServedApi): object {
  const { plural, kind, singular, namespaced, verbs, shortNames, categories, subresources, isCustom } = api;
  const own = isCustom ? { group: api.group, version: api.version } : { group: '', version: '' };
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...listed('shortNames', shortNames),
    ...listed('categories', categories),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((each) => aggregatedSubresource(own, each)) }),
  };
}

const aggregatedSubresource = (
  own: { readonly group: string; readonly version: string },
  { name, kind, of, verbs }: SubresourceFacts,
): object => ({ subresource: name, responseKind: { ...(of ?? own), kind }, verbs });

const plainResource = ({
  plural,
  singular,
  namespaced,
  kind,
  verbs,
  shortNames,
  categories,
}: ResourceFacts): object => ({
  name: plural,
  singularName: singular,
  namespaced,
  kind,
  verbs,
  ...listed('shortNames', shortNames),
  ...listed('categories', categories),
});

const plainSubresource = (
  { plural, namespaced }: ResourceFacts,
  { name, kind, of, verbs }: SubresourceFacts,
): object => ({
  name: `${plural}/${name}`,
  singularName: '',
  namespaced,
  ...of,
  kind,
  verbs,
});
