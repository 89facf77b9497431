// How many pods the controllers of some pods want. Deployments, ReplicaSets and StatefulSets are known from watches; the
// scale of any other kind is asked of the server. kubernetes:pkg/controller/disruption/disruption.go finders
import type { Cluster } from '../../kube/cluster.ts';
import { foundObject } from '../../kube/found-object.ts';
import { type KubeObject, type OwnerReference, type Resource, keyFrom, qualifiedResource } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import type { Deployment } from '../../kube/resources/deployment.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import type { Scale } from '../../kube/resources/scale.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';
import { BUILT_IN_RESOURCES } from '../../kube/schema-table.ts';
import type { Lister } from '../../runtime/informer.ts';

export interface Workloads {
  readonly deployments: Lister<Deployment>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly statefulSets: Lister<StatefulSet>;
}

interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}
interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

export interface ExpectedScale {
  readonly scale: number;
  /** Pods without a controller: nobody says how many of them there should be. */
  readonly unmanaged: readonly string[];
}

/** Throws if a controller cannot be found. */
export async function expectedScale(
  pods: readonly Pod[],
  workloads: Workloads,
  cluster: Cluster,
): Promise<ExpectedScale> {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name, namespace = '' } = pod.metadata;
    const reference = controllerOf(pod);
    if (reference === undefined) unmanaged.push(name);
    else if (!scales.has(reference.uid)) {
      const found = knownScale(reference, namespace, workloads) ?? (await askedScale(reference, namespace, cluster));
      if (found === undefined) throw new Error(`found no controllers for pod "${name}"`);
      scales.set(found.uid, found.replicas);
    }
  }
  return { scale: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

function knownScale(
  reference: OwnerReference,
  namespace: string,
  { deployments, replicaSets, statefulSets }: Workloads,
): ControllerScale | undefined {
  if (isOfKind(reference, 'StatefulSet', ['apps'])) return scaleOf(statefulSets, reference, namespace);
  if (!isOfKind(reference, 'ReplicaSet', ['apps', 'extensions'])) return undefined;
  const replicaSet = replicaSets.get(keyFrom(namespace, reference.name));
  if (replicaSet === undefined || replicaSet.metadata.uid !== reference.uid) return undefined;
  const owner = controllerOf(replicaSet);
  if (owner?.kind !== 'Deployment') return scaleOf(replicaSets, reference, namespace);
  return isOfKind(owner, 'Deployment', ['apps', 'extensions']) ? scaleOf(deployments, owner, namespace) : undefined;
}

function scaleOf<T extends Workload>(
  lister: Lister<T>,
  { name, uid }: OwnerReference,
  namespace: string,
): ControllerScale | undefined {
  const found = lister.get(keyFrom(namespace, name));
  return found === undefined || found.metadata.uid !== uid ? undefined : { uid, replicas: found.spec.replicas ?? 1 };
}

function isOfKind({ apiVersion, kind }: OwnerReference, wanted: string, groups: readonly string[]): boolean {
  return kind === wanted && groups.includes(groupOf(apiVersion));
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));

async function askedScale(
  reference: OwnerReference,
  namespace: string,
  cluster: Cluster,
): Promise<ControllerScale | undefined> {
  const resource = scaleResourceOf(reference);
  const found = await foundObject(cluster, resource, keyFrom(namespace, reference.name));
  if (found?.metadata.uid !== reference.uid) return undefined;
  return { uid: reference.uid, replicas: found.spec.replicas ?? 0 };
}

/** Kinds of extensions are not known here. */
function scaleResourceOf({ apiVersion, kind }: OwnerReference): Resource<Scale> {
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const found = BUILT_IN_RESOURCES.find(
    (each) => each.group === group && each.version === version && each.kind === kind,
  );
  if (found === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  const { plural, namespaced, subresources } = found;
  if (!subresources.some(({ name }) => name === 'scale')) {
    throw new Error(`${qualifiedResource({ group, plural })} does not implement the scale subresource`);
  }
  return { group, version, plural, subresource: 'scale', kind: 'Scale', namespaced };
}
