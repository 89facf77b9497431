// The ControllerRevisions of a set: one for each template that it had, of which one is in force.
// kubernetes:pkg/controller/daemon/update.go#constructHistory
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { contentHash, orderedJson } from '../../kube/content-hash.ts';
import { claimControlled } from '../../kube/controller-claim.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { keyFrom, keyOf } from '../../kube/object.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type ControllerRevision, ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { type DaemonSet, DaemonSets } from '../../kube/resources/daemon-set.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { HASH_LABEL } from './daemon-pods.ts';

export interface Revisions {
  /** Of the one in force: what its pods bear. */
  readonly hash: string;
  readonly collisionCount: number;
  /** Those that are not in force, the oldest first. */
  readonly old: readonly ControllerRevision[];
}

const dataOf = ({ spec }: DaemonSet): object => ({ spec: { template: { ...spec.template, $patch: 'replace' } } });

const holds = (revision: ControllerRevision, set: DaemonSet): boolean =>
  orderedJson(revision.data) === orderedJson(dataOf(set));

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[HASH_LABEL] ?? metadata.name;

export async function syncRevisions(cluster: Cluster, set: DaemonSet): Promise<Revisions> {
  const known = await ownRevisions(cluster, set);
  const collisionCount = set.status.collisionCount ?? 0;
  const old = known.filter((revision) => !holds(revision, set));
  const number = (old.at(-1)?.revision ?? 0) + 1;
  const inForce = known.findLast((revision) => holds(revision, set));
  if (inForce === undefined) return { ...(await newRevision(cluster, set, number)), old };
  for (const double of known.filter((each) => each !== inForce && holds(each, set)))
    await cluster.delete(ControllerRevisions, keyOf(double));
  if (inForce.revision < number) await cluster.update(ControllerRevisions, { ...inForce, revision: number });
  return { hash: hashOf(inForce), collisionCount, old };
}

/** Those that the set controls, and orphans that it selects, by number. */
async function ownRevisions(cluster: Cluster, set: DaemonSet): Promise<readonly ControllerRevision[]> {
  const { namespace = '' } = set.metadata;
  const matcher = labelMatcherOf(set.spec.selector);
  const claimed = await claimControlled({
    cluster,
    controller: set,
    controllerResource: DaemonSets,
    resource: ControllerRevisions,
    objects: (await cluster.list(ControllerRevisions, { namespace })).items,
    isWanted: ({ metadata }) => matcher.matches(metadata.labels),
  });
  return claimed.toSorted((a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** A name that other content has taken is avoided by the next collision count. */
async function newRevision(
  cluster: Cluster,
  set: DaemonSet,
  revision: number,
): Promise<Pick<Revisions, 'hash' | 'collisionCount'>> {
  for (let collisionCount = set.status.collisionCount ?? 0; ; collisionCount++) {
    const hash = contentHash(set.spec.template, collisionCount === 0 ? undefined : collisionCount);
    const name = `${set.metadata.name}-${hash}`;
    const { namespace, annotations } = set.metadata;
    const metadata = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...set.spec.template.metadata.labels, [HASH_LABEL]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })],
    };
    try {
      await cluster.create(ControllerRevisions, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata,
        data: dataOf(set),
        revision,
      });
      return { hash, collisionCount };
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    const there = await cluster.get(ControllerRevisions, keyFrom(namespace, name));
    if (holds(there, set)) return { hash, collisionCount };
  }
}

/** Old revisions that no pod has, beyond as many as are kept, the oldest first. */
export function decideTruncation(
  { spec }: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): readonly ControllerRevision[] {
  const { revisionHistoryLimit = 10 } = spec;
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL]));
  return old.filter((revision) => !live.has(hashOf(revision))).slice(0, Math.max(0, old.length - revisionHistoryLimit));
}
