// What this server serves, by group, version and plural: the facts of discovery joined with the resources that the core
// knows. Built-in facts come from the table of all kinds; kinds that a real cluster has by definition (CRD) come after them.
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import { ALL_VERBS, BUILT_IN_RESOURCES, type ResourceFacts } from '../../kube/schema-table.ts';

export interface ServedApi extends ResourceFacts {
  /** As the core knows it. Kinds that are only posted have none. */
  readonly resource: Resource<KubeObject> | undefined;
  /** Defined by a client, as upstream sees it: members of its lists repeat kind and apiVersion. */
  readonly isCustom: boolean;
}

const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';

/** kubernetes-csi/external-snapshotter:client/config/crd */
const snapshotFacts = (
  plural: string,
  kind: string,
  shortNames: readonly string[],
  { namespaced, hasStatus }: { readonly namespaced: boolean; readonly hasStatus: boolean },
): ResourceFacts => ({
  group: SNAPSHOT_GROUP,
  version: 'v1',
  plural,
  singular: kind.toLowerCase(),
  kind,
  namespaced,
  verbs: ALL_VERBS,
  shortNames,
  categories: [],
  subresources: hasStatus ? [{ name: 'status', kind, verbs: ['get', 'patch', 'update'] }] : [],
});

const CUSTOM_RESOURCES: readonly ResourceFacts[] = [
  snapshotFacts('volumesnapshotclasses', 'VolumeSnapshotClass', ['vsclass', 'vsclasses'], {
    namespaced: false,
    hasStatus: false,
  }),
  snapshotFacts('volumesnapshotcontents', 'VolumeSnapshotContent', ['vsc', 'vscs'], {
    namespaced: false,
    hasStatus: true,
  }),
  snapshotFacts('volumesnapshots', 'VolumeSnapshot', ['vs'], { namespaced: true, hasStatus: true }),
];

export class ServedApis {
  /** In the order of discovery. */
  readonly all: readonly ServedApi[];
  readonly #byName = new Map<string, ServedApi>();
  readonly #versions = new Set<string>();
  readonly #groups = new Set<string>();

  constructor(resources: readonly Resource<KubeObject>[]) {
    const known = new Map(resources.map((resource) => [nameOf(resource), resource]));
    const builtIn = BUILT_IN_RESOURCES.map((facts) => ({
      ...facts,
      resource: known.get(nameOf(facts)),
      isCustom: false,
    }));
    const custom = CUSTOM_RESOURCES.map((facts) => ({ ...facts, resource: known.get(nameOf(facts)), isCustom: true }));
    this.all = [...builtIn, ...custom].filter(isServable);
    for (const api of this.all) {
      this.#byName.set(nameOf(api), api);
      this.#versions.add(apiVersionOf(api));
      this.#groups.add(api.group);
    }
  }

  find(group: string, version: string, plural: string): ServedApi | undefined {
    return this.#byName.get(nameOf({ group, version, plural }));
  }

  hasVersion(group: string, version: string): boolean {
    return this.#versions.has(apiVersionOf({ group, version }));
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }
}

type Named = Pick<ResourceFacts, 'group' | 'version' | 'plural'>;

const nameOf = ({ group, version, plural }: Named): string => `${group}/${version}/${plural}`;

/** Stored kinds need the core; others are posted to, or list what is no object of the store. */
const isServable = ({ resource, verbs }: ServedApi): boolean => resource !== undefined || !verbs.includes('update');
