// Where objects lie in etcd: under the same keys as upstream's, so that tools and people find them.
// kubernetes:pkg/kubeapiserver/default_storage_factory_builder.go, staging/src/k8s.io/apiserver/pkg/registry/generic/storage_decorator.go
import type { KubeObject, ObjectKey, Resource } from '../../../kube/object.ts';

export const REGISTRY = '/registry/';

/** Kinds whose folder is not their plural. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['nodes.', 'minions'],
  ['services.', 'services/specs'],
  ['endpoints.', 'services/endpoints'],
  ['ingresses.networking.k8s.io', 'ingress'],
  ['replicationcontrollers.', 'controllers'],
  ['podsecuritypolicies.policy', 'podsecuritypolicy'],
]);

/** Groups whose kinds lie in folders named by the plural alone. Those of clients have their group before it. */
const BARE_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

function folderOf({ plural, group }: Pick<Resource<KubeObject>, 'plural' | 'group'>): string {
  const named = FOLDERS.get(`${plural}.${group}`);
  if (named !== undefined) return named;
  return BARE_GROUPS.has(group) ? plural : `${group}/${plural}`;
}

export interface Placed {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
}

export class RegistryKeys {
  readonly #byFolder = new Map<string, Resource<KubeObject>>();

  constructor(resources: readonly Resource<KubeObject>[]) {
    for (const resource of resources) this.#byFolder.set(folderOf(resource), resource);
  }

  keyOf(resource: Resource<KubeObject>, key: ObjectKey): string {
    return `${REGISTRY}${folderOf(resource)}/${key}`;
  }

  /** undefined for what is no object of ours. */
  placeOf(text: string): Placed | undefined {
    const [first = '', second = '', ...rest] = text.slice(REGISTRY.length).split('/');
    const byOne = this.#byFolder.get(first);
    if (byOne !== undefined) return { resource: byOne, key: [second, ...rest].join('/') };
    const folder = `${first}/${second}`;
    const byTwo = this.#byFolder.get(folder) ?? (first.includes('.') ? this.#learn(folder, first, second) : undefined);
    return byTwo === undefined ? undefined : { resource: byTwo, key: rest.join('/') };
  }

  /** A kind that a client defined, known by its name alone until it is served. */
  #learn(folder: string, group: string, plural: string): Resource<KubeObject> {
    const bare = { group, version: '', plural, kind: '', namespaced: true };
    this.#byFolder.set(folder, bare);
    return bare;
  }
}
