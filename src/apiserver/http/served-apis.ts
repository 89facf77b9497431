// What this server serves, by group, version and plural: the facts of discovery joined with the resources that the core
// knows. Built-in facts come from the table of all kinds; kinds that a real cluster has by definition (CRD) come after them,
// those that clients define as long as they do.
import { type KubeObject, type ObjectMeta, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import type { CustomKind } from '../customresources/custom-kind.ts';
import { compareVersions } from '../customresources/version-order.ts';
import type { Printer } from '../tables/printer.ts';
import { ALL_VERBS, BUILT_IN_RESOURCES, type ResourceFacts } from '../../kube/schema-table.ts';

export interface ServedApi extends ResourceFacts {
  /** As the core knows it. Kinds that are only posted have none. */
  readonly resource: Resource<KubeObject> | undefined;
  /** Defined by a client, as upstream sees it: members of its lists repeat kind and apiVersion. */
  readonly isCustom: boolean;
  /** Of a kind that is not stored: all there is of it now. */
  readonly objects?: MadeKind['objects'];
  /** What a client said of the kind that it defined. */
  readonly defined?: {
    readonly printer: Printer;
    readonly schema: JsonSchema;
    readonly listKind: string;
    readonly isPublished: boolean;
  };
}

/** Nobody stored it, so it has no uid and no version. */
export interface MadeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'labels' | 'creationTimestamp'>;
}

/** A kind whose objects are made when they are asked for, and can only be read. */
export interface MadeKind {
  /** Its verbs are `get` and `list`. */
  readonly facts: ResourceFacts;
  /** All of them, in the order in which they are listed. */
  readonly objects: () => readonly MadeObject[];
}

/** Where the kinds come from: the server. */
export interface KindSource {
  readonly resources: readonly Resource<KubeObject>[];
  readonly customKinds: readonly CustomKind[];
  /** Changes with the custom kinds. */
  readonly kindsRevision: number;
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

interface Index {
  /** Of the source it was made from. */
  readonly revision: number;
  readonly all: readonly ServedApi[];
  readonly byName: ReadonlyMap<string, ServedApi>;
  readonly versions: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

export class ServedApis {
  readonly #source: KindSource;
  readonly #made: readonly MadeKind[];
  #index: Index | undefined;

  constructor(source: KindSource, made: readonly MadeKind[] = []) {
    this.#source = source;
    this.#made = made;
  }

  /** Changes with what is served. */
  get revision(): number {
    return this.#source.kindsRevision;
  }

  /** In the order of discovery. */
  get all(): readonly ServedApi[] {
    return this.#current().all;
  }

  find(group: string, version: string, plural: string): ServedApi | undefined {
    return this.#current().byName.get(nameOf({ group, version, plural }));
  }

  hasVersion(group: string, version: string): boolean {
    return this.#current().versions.has(apiVersionOf({ group, version }));
  }

  hasGroup(group: string): boolean {
    return this.#current().groups.has(group);
  }

  #current(): Index {
    const revision = this.#source.kindsRevision;
    if (this.#index?.revision !== revision) this.#index = indexOf(this.#source, this.#made, revision);
    return this.#index;
  }
}

function indexOf({ resources, customKinds }: KindSource, made: readonly MadeKind[], revision: number): Index {
  const known = new Map(resources.map((resource) => [nameOf(resource), resource]));
  const builtIn = BUILT_IN_RESOURCES.map((facts) => ({
    ...facts,
    resource: known.get(nameOf(facts)),
    isCustom: false,
  }));
  const defined = customKinds.map(servedKind);
  const taken = new Set(defined.map(({ group, plural }) => `${plural}.${group}`));
  const given = CUSTOM_RESOURCES.filter(({ group, plural }) => !taken.has(`${plural}.${group}`)).map((facts) => ({
    ...facts,
    resource: known.get(nameOf(facts)),
    isCustom: true,
  }));
  // Last, so that a name which others have too means theirs.
  const notStored = made.map(({ facts, objects }) => ({ ...facts, resource: undefined, isCustom: false, objects }));
  const all: readonly ServedApi[] = [...builtIn, ...[...given, ...defined].toSorted(customOrder), ...notStored].filter(
    isServable,
  );
  return {
    revision,
    all,
    byName: new Map(all.map((api) => [nameOf(api), api])),
    versions: new Set(all.map(apiVersionOf)),
    groups: new Set(all.map(({ group }) => group)),
  };
}

function servedKind({ facts, view, printer, schema, listKind, isPublished }: CustomKind): ServedApi {
  return { ...facts, resource: view.resource, isCustom: true, defined: { printer, schema, listKind, isPublished } };
}

/** Groups by name, versions by age, kinds by name. */
function customOrder(left: Named, right: Named): number {
  if (left.group !== right.group) return left.group < right.group ? -1 : 1;
  return compareVersions(left.version, right.version) || (left.plural < right.plural ? -1 : 1);
}

type Named = Pick<ResourceFacts, 'group' | 'version' | 'plural'>;

const nameOf = ({ group, version, plural }: Named): string => `${group}/${version}/${plural}`;

/** Stored kinds need the core; others are posted to, or list what is no object of the store. */
const isServable = ({ resource, verbs }: ServedApi): boolean => resource !== undefined || !verbs.includes('update');
