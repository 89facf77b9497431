// The ControllerRevisions of a set as they are on the server: found, adopted, made, renumbered and cleared away.
import { unreachable } from '../../base/assert.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { claimControlled, orphansOf } from '../../kube/controller-claim.ts';
import { keyFrom, keyOf } from '../../kube/object.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type ControllerRevision, ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import type { Lister } from '../../runtime/informer.ts';
import {
  type HistoryFacts,
  canonicalJson,
  decideRevision,
  decideTruncation,
  inOrder,
  revisionHash,
  revisionName,
} from './revision.ts';

export interface RevisionsInForce {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
  /** All that were known, in order, without one that was made just now. */
  readonly known: readonly ControllerRevision[];
}

/** One pass over the history of one set. */
export class RevisionHistory {
  readonly #cluster: Cluster;
  readonly #set: StatefulSet;
  readonly #revisions: Lister<ControllerRevision>;

  constructor(cluster: Cluster, set: StatefulSet, revisions: Lister<ControllerRevision>) {
    this.#cluster = cluster;
    this.#set = set;
    this.#revisions = revisions;
  }

  async inForce(): Promise<RevisionsInForce> {
    const known = inOrder(await this.#adopted());
    const { update, collisionCount } = await this.#update(known);
    const { currentRevision } = this.#set.status;
    const current = known.find(({ metadata }) => metadata.name === currentRevision) ?? update;
    return { current, update, collisionCount, known };
  }

  async truncate(facts: HistoryFacts): Promise<void> {
    for (const revision of decideTruncation(facts)) {
      await this.#cluster.delete(ControllerRevisions, keyOf(revision));
    }
  }

  /** Adopts what matches and has no controller, which happens after a set was deleted with its dependents orphaned. */
  async #adopted(): Promise<readonly ControllerRevision[]> {
    const set = this.#set;
    const matcher = labelMatcherOf(set.spec.selector ?? undefined);
    const { uid, namespace } = set.metadata;
    const found = [
      ...this.#revisions.by('controller', uid),
      ...this.#revisions.by('controller', orphansOf(namespace)),
    ].filter(({ metadata }) => matcher.matches(metadata.labels));
    return claimControlled({
      cluster: this.#cluster,
      controller: set,
      controllerResource: StatefulSets,
      resource: ControllerRevisions,
      objects: found,
      isWanted: () => true,
    });
  }

  async #update(
    known: readonly ControllerRevision[],
  ): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
    const collisionCount = this.#set.status.collisionCount ?? 0;
    const decision = decideRevision(this.#set, known);
    switch (decision.type) {
      case 'use':
        return { update: decision.revision, collisionCount };
      case 'renumber': {
        const renumbered = { ...decision.revision, revision: decision.number };
        return { update: await this.#cluster.update(ControllerRevisions, renumbered), collisionCount };
      }
      case 'create':
        return this.#create(decision.draft, collisionCount);
      default:
        return unreachable(decision);
    }
  }

  /** A name that is taken by other content is tried again with the next collision count. */
  async #create(
    draft: Draft<ControllerRevision>,
    collisionsBefore: number,
  ): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
    for (let collisionCount = collisionsBefore; ; collisionCount++) {
      const name = revisionName(this.#set, revisionHash(draft.data, collisionCount));
      try {
        const named = { ...draft, metadata: { ...draft.metadata, name } };
        return { update: await this.#cluster.create(ControllerRevisions, named), collisionCount };
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      }
      const there = await this.#cluster.get(ControllerRevisions, keyFrom(this.#set.metadata.namespace, name));
      if (canonicalJson(there.data) === canonicalJson(draft.data)) return { update: there, collisionCount };
    }
  }
}
