// How many volumes of a driver a node takes, as its CSINode says. Counted are the volumes of the pods on the node and,
// because a volume outlives its pod there, the attachments. kubernetes:pkg/scheduler/framework/plugins/nodevolumelimits/csi.go
import { keyFrom } from '../../kube/object.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { claimClass } from '../../volume/claim-class.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';
import { migratedDriverOf } from '../../volume/migration.ts';
import type { StorageView } from './cluster-snapshot.ts';
import { lookupError } from './lookup.ts';
import type { NodeInfo } from './node-info.ts';
import { type FilterPlugin, SKIP, filterBy } from './plugin.ts';
import type { Profile } from './profile.ts';
import { type Failure, type Rejection, type Status, SUCCESS, failure, unresolvable, unschedulable } from './status.ts';
import { notOwnerMessage } from './volumebinding/pod-claims.ts';

/** Driver by volume: `driver/handle`. */
type Volumes = Map<string, string>;

export interface VolumeLimitsOptions {
  readonly profile: Profile;
  /** Stands before the name of a claim without volume, so that it cannot be taken for a handle. */
  readonly unboundPrefix: string;
}

export const nodeVolumeLimits = (options: VolumeLimitsOptions): FilterPlugin => ({
  name: 'NodeVolumeLimits',
  preFilter: (pod, { storage }) => {
    const hasClaims = (pod.spec.volumes ?? []).some((volume) => claimNameOf(pod, volume) !== undefined);
    return hasClaims ? filterBy((node) => new NodeCount(storage, node, options).check(pod)) : SKIP;
  },
});

/** One question about one node. */
class NodeCount {
  readonly #storage: StorageView;
  readonly #node: NodeInfo;
  readonly #csiNode: CSINode | undefined;
  readonly #options: VolumeLimitsOptions;

  constructor(storage: StorageView, node: NodeInfo, options: VolumeLimitsOptions) {
    this.#storage = storage;
    this.#node = node;
    this.#csiNode = storage.csiNodes.get(node.name);
    this.#options = options;
  }

  /** Claims that are missing were refused before any node was looked at, so a node without limits is done at once. */
  check(pod: Pod): Status {
    const limits = this.#limits();
    if (limits.size === 0 && !this.#options.profile.requiresInstalledDriver) return SUCCESS;
    const wanted: Volumes = new Map();
    const refusal = this.#collect(pod, wanted, { isNew: true });
    if (refusal !== undefined) return refusal;
    const uninstalled = [...wanted.values()].find((driver) => !this.#mayBeUsed(driver));
    if (uninstalled !== undefined) return unschedulable(`${uninstalled} CSI driver is not installed on the node`);
    if (wanted.size === 0 || limits.size === 0) return SUCCESS;
    // Counting each volume of the node, and more than once, is cheap and mostly enough to see that there is room.
    const most = this.#node.claimCount + this.#storage.attachmentCountOn(this.#node.name) + wanted.size;
    if ([...limits.values()].every((limit) => most <= limit)) return SUCCESS;

    const present: Volumes = new Map();
    for (const other of this.#node.pods.values()) {
      const failed = this.#collect(other, present, { isNew: false });
      if (failed !== undefined) return failed;
    }
    for (const volume of present.keys()) wanted.delete(volume);
    this.#collectAttached(present);
    const isExceeded = [...limits].some(([driver, limit]) => {
      const added = countOf(driver, wanted);
      return added > 0 && countOf(driver, present) + added > limit;
    });
    return isExceeded ? unschedulable('node(s) exceed max volume count') : SUCCESS;
  }

  /** A claim that the new pod lacks keeps it off; one that a pod on the node lacks is not counted. */
  #collect(pod: Pod, into: Volumes, { isNew }: { readonly isNew: boolean }): Rejection | Failure | undefined {
    const { namespace } = pod.metadata;
    for (const volume of pod.spec.volumes ?? []) {
      const name = claimNameOf(pod, volume);
      if (name === undefined) continue;
      if (name === '') return failure('PersistentVolumeClaim had no name');
      const claim = this.#storage.claims.get(keyFrom(namespace, name));
      if (claim === undefined) {
        if (!isNew) continue;
        const text = `looking up PVC ${keyFrom(namespace, name)}: ${lookupError('persistentvolumeclaim', name)}`;
        return unresolvable(text);
      }
      if (volume.ephemeral !== undefined && !isClaimMadeFor(claim, pod)) return failure(notOwnerMessage(claim, pod));
      const identity = this.#identify(claim);
      if (identity !== undefined) into.set(`${identity.driver}/${identity.handle}`, identity.driver);
    }
    return undefined;
  }

  #identify(claim: PersistentVolumeClaim): { readonly driver: string; readonly handle: string } | undefined {
    const volumeName = claim.spec.volumeName ?? '';
    const volume = volumeName === '' ? undefined : this.#storage.volumes.get(volumeName);
    if (volume !== undefined) {
      const { csi } = volume.spec;
      return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
    }
    const className = claimClass(claim);
    const storageClass = className === '' ? undefined : this.#storage.classes.get(className);
    if (storageClass === undefined) return undefined;
    const migrated = migratedDriverOf(storageClass.provisioner);
    if (migrated !== undefined && this.#csiNode === undefined) return undefined;
    const handle = `${this.#options.unboundPrefix}-${claim.metadata.namespace ?? ''}/${claim.metadata.name}`;
    return { driver: migrated ?? storageClass.provisioner, handle };
  }

  #collectAttached(into: Volumes): void {
    if (!this.#options.profile.countsAttachments) return;
    for (const { spec } of this.#storage.attachmentsOn(this.#node.name)) {
      const volumeName = spec.source.persistentVolumeName;
      const csi = volumeName === undefined ? undefined : this.#storage.volumes.get(volumeName)?.spec.csi;
      if (csi !== undefined && spec.attacher !== '') into.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
    }
  }

  #limits(): ReadonlyMap<string, number> {
    const limits = new Map<string, number>();
    for (const { name, allocatable } of this.#csiNode?.spec.drivers ?? []) {
      if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
    }
    return limits;
  }

  #mayBeUsed(driver: string): boolean {
    if (!this.#options.profile.requiresInstalledDriver) return true;
    if (this.#storage.csiDrivers.get(driver)?.spec.preventPodSchedulingIfMissing !== true) return true;
    return this.#csiNode?.spec.drivers?.some(({ name }) => name === driver) === true;
  }
}

const countOf = (driver: string, volumes: Volumes): number =>
  [...volumes.values()].filter((each) => each === driver).length;
