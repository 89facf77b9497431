// Keeps the desired state in step with pods and claims. Almost all of it is driven by events; two periodic looks repair
// what events could not: a pod that left while its claim or volume could no longer be found, and a pod that came before
// its claim, its volume or its node were known. Upstream goes through all pods at these looks; here only pods are looked
// at for which an event left something undone, which comes to the same.
// Upstream: kubernetes:pkg/controller/volume/attachdetach/{attach_detach_controller.go,populator,util}.
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type Reason } from '../../kube/reason.ts';
import { type Change, type Lister } from '../../runtime/informer.ts';
import { isPodTerminated } from '../../volume/pod-termination.ts';
import { type DesiredStateOfWorld } from './desired-state-of-world.ts';
import { type Pair } from './pair.ts';
import { type Catalogue, isAttachRequired, resolveVolume } from './volume-spec.ts';

export interface PopulatorParts {
  readonly desired: DesiredStateOfWorld;
  /** Indexed by `claim`. */
  readonly pods: Lister<Pod>;
  readonly catalogue: Catalogue;
  /** A volume is wanted on other nodes than before. */
  readonly onChanged: (volume: string, reason: Reason) => void;
}

export class Populator {
  readonly #parts: PopulatorParts;
  /** Pods, by uid, that should have left the desired state; where to look them up. */
  readonly #gone = new Map<string, ObjectKey>();
  /** Pods that may want more than the desired state has. */
  readonly #missed = new Set<ObjectKey>();
  /** A driver came, went or changed: which volumes are attached at all may be another question now. */
  #driversChanged = { gone: false, missed: false };

  constructor(parts: PopulatorParts) {
    this.#parts = parts;
  }

  podChanged(change: Change<Pod>, reason: Reason): void {
    const { object } = change;
    // A pod of the same name in its place: the old one is noticed at the next look for pods that are gone.
    if (change.type === 'updated') this.#leaveBehind(change.before, object);
    if (change.type === 'deleted') {
      this.#missed.delete(keyOf(object));
      this.#remove(object, reason);
    } else this.addOrRemove(object, reason);
  }

  /** Pods without a node want nothing yet. */
  addOrRemove(pod: Pod, reason: Reason): void {
    if (isPodTerminated(pod)) this.#remove(pod, reason);
    else this.#add(pod, reason);
  }

  /** A claim was bound, perhaps: its pods are looked at again, so that nobody waits for the periodic look. */
  claimChanged(key: ObjectKey, reason: Reason): void {
    const claim = this.#parts.catalogue.claim(key);
    if (claim?.status.phase !== 'Bound' || (claim.spec.volumeName ?? '') === '') return;
    for (const pod of this.#parts.pods.by('claim', key)) {
      if (!isPodTerminated(pod)) this.#add(pod, reason);
    }
  }

  driverChanged(): void {
    this.#driversChanged = { gone: true, missed: true };
  }

  /** The look for pods that are gone. As upstream, it takes one volume of a pod away, and the others at later looks. */
  removeGone(reason: Reason): void {
    for (const [uid, key] of this.#gone) {
      const [first, ...others] = this.#isBack(uid, key) ? [] : this.#parts.desired.pairsOfPod(uid);
      if (first !== undefined) this.#take(uid, first, reason);
      if (others.length === 0) this.#gone.delete(uid);
    }
    if (this.#driversChanged.gone) this.#removeUnattachable(reason);
    this.#driversChanged.gone = false;
  }

  /** The look for pods that were missed. Those that still lack something are looked at again the next time. */
  addMissed(reason: Reason): void {
    const pods = this.#driversChanged.missed
      ? [...this.#parts.pods.all()]
      : [...this.#missed].map((key) => this.#parts.pods.get(key));
    this.#driversChanged.missed = false;
    this.#missed.clear();
    for (const pod of pods) if (pod !== undefined && !isPodTerminated(pod)) this.#add(pod, reason);
  }

  #add(pod: Pod, reason: Reason): void {
    const { desired, catalogue, onChanged } = this.#parts;
    const node = pod.spec.nodeName ?? '';
    const volumes = pod.spec.volumes ?? [];
    if (node === '' || volumes.length === 0) return;
    if (!desired.manages(node)) return void this.#missed.add(keyOf(pod));
    for (const volume of volumes) {
      const resolved = resolveVolume(pod, volume, catalogue);
      if (resolved.type === 'unresolved') this.#missed.add(keyOf(pod));
      if (resolved.type !== 'attachable') continue;
      if (desired.addPod(pod, resolved.spec, node)) onChanged(resolved.spec.volume, reason);
    }
  }

  #remove(pod: Pod, reason: Reason): void {
    const { desired, catalogue } = this.#parts;
    const node = pod.spec.nodeName ?? '';
    const { uid } = pod.metadata;
    if (node === '') return;
    for (const volume of pod.spec.volumes ?? []) {
      const resolved = resolveVolume(pod, volume, catalogue);
      if (resolved.type === 'attachable') this.#take(uid, { volume: resolved.spec.volume, node }, reason);
    }
    if (desired.pairsOfPod(uid).length > 0) this.#gone.set(uid, keyOf(pod));
  }

  #take(uid: string, pair: Pair, reason: Reason): void {
    if (this.#parts.desired.deletePod(uid, pair)) this.#parts.onChanged(pair.volume, reason);
  }

  #leaveBehind(before: Pod, now: Pod): void {
    const { uid } = before.metadata;
    if (uid !== now.metadata.uid && this.#parts.desired.pairsOfPod(uid).length > 0) this.#gone.set(uid, keyOf(before));
  }

  #isBack(uid: string, key: ObjectKey): boolean {
    const pod = this.#parts.pods.get(key);
    return pod?.metadata.uid === uid && !isPodTerminated(pod);
  }

  /** Volumes whose driver no longer wants them attached. */
  #removeUnattachable(reason: Reason): void {
    const { desired, catalogue } = this.#parts;
    for (const volume of Array.from(desired.volumes())) {
      for (const node of desired.nodesOf(volume)) {
        const wanted = desired.get({ volume, node });
        const driver = wanted?.spec.csi?.driver;
        if (wanted === undefined || driver === undefined || isAttachRequired(catalogue.csiDriver(driver))) continue;
        for (const pod of wanted.pods) this.#take(pod.metadata.uid, { volume, node }, reason);
      }
    }
  }
}
