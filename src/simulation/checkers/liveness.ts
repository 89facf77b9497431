// When faults are healed and time has passed, every claim is bound and as large as it asks to be, every pod runs, what was
// deleted is gone and workloads have what they asked for, or a reason that no amount of time removes says why not.
import { type KubeObject, keyFrom, keyOf } from '../../kube/object.ts';
import type { Event } from '../../kube/resources/event.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { SELECTED_NODE } from '../../volume/annotations.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import type { MakeChecker } from './checker.ts';
import { missingGrowth, whyNodeCannotGrow, whyNotGrown } from './claim-growth.ts';
import type { Scene } from './scene.ts';

/** What is not as it should be, and what explains it for good. */
interface Trouble {
  readonly about: string;
  readonly says: string;
  readonly because: string | undefined;
}

export const liveness: MakeChecker = (scene, tell) => {
  const complaints = new Complaints();
  return {
    name: 'liveness',
    observe(fact) {
      if (fact.type === 'write' && fact.after?.kind === 'Event') complaints.note(fact.after as Event);
    },
    atRest() {
      for (const { about, says, because } of troubles(scene, complaints)) {
        tell({
          severity: because === undefined ? 'violation' : 'known',
          about,
          says: because === undefined ? says : `${says}: ${because}`,
        });
      }
    },
  };
};

/** The last Event of each reason about each object. */
class Complaints {
  readonly #last = new Map<string, Map<string, string>>();

  note({ involvedObject, reason = '', message = '' }: Event): void {
    const uid = involvedObject.uid ?? '';
    const known = this.#last.get(uid) ?? new Map<string, string>();
    this.#last.set(uid, known);
    known.delete(reason);
    known.set(reason, message);
  }

  of({ metadata }: KubeObject, reason: string): string | undefined {
    return this.#last.get(metadata.uid)?.get(reason);
  }

  latest({ metadata }: KubeObject): string {
    const last = [...(this.#last.get(metadata.uid) ?? [])].at(-1);
    return last === undefined ? '' : ` (last: ${last.join(': ')})`;
  }
}

function* troubles(scene: Scene, complaints: Complaints): IterableIterator<Trouble> {
  for (const claim of scene.all(PersistentVolumeClaims)) yield* claimTrouble(scene, complaints, claim);
  for (const volume of scene.all(PersistentVolumes)) yield* volumeTrouble(scene, complaints, volume);
  for (const pod of scene.all(Pods)) yield* podTrouble(scene, complaints, pod);
  for (const attachment of scene.all(VolumeAttachments)) yield* attachmentTrouble(scene, attachment);
}

function* claimTrouble(scene: Scene, complaints: Complaints, claim: PersistentVolumeClaim): IterableIterator<Trouble> {
  const about = `pvc/${keyOf(claim)}`;
  if (claim.metadata.deletionTimestamp !== undefined) {
    const [user] = scene.podsUsing(keyOf(claim));
    const because = user === undefined ? undefined : `pod/${keyOf(user)} uses it`;
    yield { about, says: 'it was deleted and is still there', because };
    return;
  }
  const phase = claim.status?.phase ?? 'Pending';
  if (phase === 'Bound') {
    const says = missingGrowth(claim);
    if (says !== undefined) yield { about, says, because: whyNotGrown(scene, claim, complaints) };
    return;
  }
  yield { about, says: `it is ${phase}${complaints.latest(claim)}`, because: whyUnbound(scene, complaints, claim) };
}

function whyUnbound(scene: Scene, complaints: Complaints, claim: PersistentVolumeClaim): string | undefined {
  if (claim.status?.phase === 'Lost') return 'its volume is gone';
  const name = claim.spec.storageClassName ?? '';
  const storageClass = scene.get(StorageClasses, name);
  const isWaiting = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const users = scene.podsUsing(keyOf(claim)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (isWaiting && users.length === 0) return 'no pod uses it yet';
  if (isWaiting && users.every((pod) => whyUnscheduled(complaints, pod) !== undefined))
    return 'no pod that uses it finds a node';
  // Deleted and made again after its pod was placed: the scheduler is done with that pod.
  const isChosen = claim.metadata.annotations?.[SELECTED_NODE] !== undefined;
  if (isWaiting && !isChosen && users.every(({ spec }) => (spec.nodeName ?? '') !== ''))
    return 'every pod that uses it has its node, and nobody chooses one for the claim any more';
  const failure = complaints.of(claim, 'ProvisioningFailed') ?? '';
  if (/ResourceExhausted|OutOfRange/.test(failure)) return 'its driver has no room';
  if (complaints.of(claim, 'FailedBinding') !== undefined && storageClass === undefined)
    return 'there is no volume and no class for it';
  return undefined;
}

function* volumeTrouble(scene: Scene, complaints: Complaints, volume: PersistentVolume): IterableIterator<Trouble> {
  const about = `pv/${volume.metadata.name}`;
  const { phase = 'Pending' } = volume.status;
  const mayRest = volume.spec.persistentVolumeReclaimPolicy !== 'Delete' || phase === 'Available' || phase === 'Bound';
  if (volume.metadata.deletionTimestamp !== undefined) {
    const { claimRef } = volume.spec;
    const claim = scene.get(PersistentVolumeClaims, keyFrom(claimRef?.namespace, claimRef?.name ?? ''));
    const isHeld = claim?.spec.volumeName === volume.metadata.name;
    yield {
      about,
      says: 'it was deleted and is still there',
      because: isHeld ? `pvc/${keyOf(claim)} has it` : undefined,
    };
  } else if (!mayRest) {
    const because = whyInUse(scene, volume);
    yield { about, says: `it is ${phase} and its disk is not deleted${complaints.latest(volume)}`, because };
  }
}

/** A kubelet does not unstage what is mounted elsewhere, and nobody unmounts what was said not to be there. */
function whyInUse(scene: Scene, { spec }: PersistentVolume): string | undefined {
  const { driver = '', volumeHandle = '' } = spec.csi ?? {};
  const node = scene.hiddenOn(driver, volumeHandle);
  return node && `on ${node} it is mounted where the driver said that it is not`;
}

function* podTrouble(scene: Scene, complaints: Complaints, pod: Pod): IterableIterator<Trouble> {
  const about = `pod/${keyOf(pod)}`;
  const { phase = 'Pending' } = pod.status;
  const because = whyNotRunning(scene, complaints, pod);
  if (pod.metadata.deletionTimestamp !== undefined) {
    yield { about, says: 'it was deleted and is still there', because: whyNotGone(scene, pod) };
  } else if (phase === 'Pending' || (phase === 'Running' && !isReady(pod))) {
    yield { about, says: `it is ${phase === 'Pending' ? 'Pending' : 'not Ready'}${complaints.latest(pod)}`, because };
  }
}

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

function whyNotRunning(scene: Scene, complaints: Complaints, pod: Pod): string | undefined {
  for (const key of claimKeysOf(pod)) {
    const claim = scene.get(PersistentVolumeClaims, key);
    if (claim === undefined) return `pvc/${key} is not there`;
    if (claim.metadata.deletionTimestamp !== undefined) return `pvc/${key} is being deleted`;
    if (claim.status?.phase === 'Bound') continue;
    const why = whyUnbound(scene, complaints, claim);
    if (why !== undefined) return `pvc/${key} is not bound: ${why}`;
  }
  if ((pod.spec.nodeName ?? '') === '') return whyUnscheduled(complaints, pod);
  return whyNotAttached(scene, pod) ?? whyNodeCannotGrow(pod, complaints);
}

/** Nothing will change about these by themselves: the nodes are full, a claim is in use, is going or is not there. */
const FOR_GOOD =
  /exceed max volume count|ReadWriteOncePod access mode already in-use|persistentvolumeclaim "[^"]+" (not found|is being deleted)/;

function whyUnscheduled(complaints: Complaints, pod: Pod): string | undefined {
  const message = complaints.of(pod, 'FailedScheduling');
  return message !== undefined && FOR_GOOD.test(message) ? message : undefined;
}

/** Another pod that may run has the volume on another node, or the backend has it there and nobody knows. */
function whyNotAttached(scene: Scene, pod: Pod): string | undefined {
  for (const key of claimKeysOf(pod)) {
    const rival = scene
      .podsUsing(key)
      .find(
        (other) => other !== pod && (other.spec.nodeName ?? '') !== '' && other.spec.nodeName !== pod.spec.nodeName,
      );
    if (rival !== undefined) return `pod/${keyOf(rival)} uses its volume on ${rival.spec.nodeName ?? ''}`;
    const csi = scene.get(PersistentVolumes, scene.get(PersistentVolumeClaims, key)?.spec.volumeName ?? '')?.spec.csi;
    const disk = csi === undefined ? undefined : scene.disk(csi.driver, csi.volumeHandle);
    if (csi === undefined || disk === undefined) continue;
    const elsewhere = [...disk.publications.keys()].find(
      (nodeId) => nodeId !== scene.nodeIdOf(csi.driver, pod.spec.nodeName ?? ''),
    );
    const isKnown = scene
      .attachmentsOf(scene.volumeBehind(csi.driver, csi.volumeHandle)?.metadata.name ?? '')
      .some(({ spec }) => scene.nodeIdOf(csi.driver, spec.nodeName) === elsewhere);
    if (elsewhere !== undefined && !isKnown)
      return `its volume is attached to ${elsewhere} in the backend, and no attachment says so`;
  }
  return undefined;
}

/** A publish that was done and answered with a final error is repeated for ever, and the pod waits for it. */
function whyNotGone(scene: Scene, pod: Pod): string | undefined {
  for (const key of claimKeysOf(pod)) {
    const csi = scene.get(PersistentVolumes, scene.get(PersistentVolumeClaims, key)?.spec.volumeName ?? '')?.spec.csi;
    if (csi !== undefined && scene.isHidden(csi.driver, csi.volumeHandle, pod.spec.nodeName ?? ''))
      return 'its driver did the work and answered with a final error';
  }
  return undefined;
}

function* attachmentTrouble(scene: Scene, attachment: VolumeAttachment): IterableIterator<Trouble> {
  if (attachment.metadata.deletionTimestamp === undefined) return;
  const name = attachment.spec.source.persistentVolumeName ?? '';
  const because = scene.get(PersistentVolumes, name) === undefined ? `pv/${name} is gone` : undefined;
  yield { about: `va/${attachment.metadata.name}`, says: 'it was deleted and is still there', because };
}
