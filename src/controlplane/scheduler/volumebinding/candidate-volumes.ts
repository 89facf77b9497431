// The volumes that a claim could get on some node, sorted out once for all nodes. Local volumes are reachable from one node
// each: looking at all of them for every node would make scheduling a pod cost nodes times volumes.
import type { Node } from '../../../kube/resources/node.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../../kube/resources/persistent-volume.ts';
import { isEligible, wantedBy } from '../../../volume/claim-matching.ts';
import { isVolumeBoundToClaim } from '../../../volume/claim-reference.ts';

export class CandidateVolumes {
  /** Volumes by one label that a node must have to reach them: key, then value. */
  readonly #pinned = new Map<string, Map<string, PersistentVolume[]>>();
  /** All others, and those already given to the claim: if the node cannot reach such a one, none at all will do. */
  readonly #loose: PersistentVolume[] = [];

  /** Throws if the selector of the claim does not parse. */
  constructor(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>) {
    const wanted = wantedBy(claim, { delayBinding: true });
    for (const volume of volumes) {
      if (!isEligible(volume, wanted)) continue;
      const pin = isVolumeBoundToClaim(volume, claim) ? undefined : pinOf(volume);
      if (pin === undefined) this.#loose.push(volume);
      else for (const value of pin.values) this.#listOf(pin.key, value).push(volume);
    }
  }

  /** Every volume that can match on this node is among them. */
  on(node: Node): readonly PersistentVolume[] {
    const labels = node.metadata.labels ?? {};
    const found = [...this.#loose];
    for (const [key, lists] of this.#pinned) found.push(...(lists.get(labels[key] ?? '') ?? []));
    return found;
  }

  #listOf(key: string, value: string): PersistentVolume[] {
    const lists = this.#pinned.get(key) ?? new Map<string, PersistentVolume[]>();
    this.#pinned.set(key, lists);
    const list = lists.get(value) ?? [];
    lists.set(value, list);
    return list;
  }
}

interface Pin {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** A label without which the only alternative of the volume's affinity cannot hold. */
function pinOf(volume: PersistentVolume): Pin | undefined {
  const [term, ...others] = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (term === undefined || others.length > 0) return undefined;
  const pin = term.matchExpressions?.find(({ operator }) => operator === 'In');
  return pin === undefined ? undefined : { key: pin.key, values: new Set(pin.values) };
}
