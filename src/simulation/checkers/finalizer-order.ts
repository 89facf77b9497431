import { type KubeObject, isOf, keyFrom, keyOf } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { isPodTerminated } from '../../volume/pod-termination.ts';
import type { MakeChecker, Tell } from './checker.ts';
import type { CallFact } from './fact.ts';
import { isUser } from './people.ts';
import type { Scene } from './scene.ts';

/** external-provisioner: of volumes whose disk must go first. */
const PROVISIONER = 'external-provisioner.volume.kubernetes.io/finalizer';
const ATTACHER = /^external-attacher\//;

/** What guards a thing comes before it and goes after it: attachments, claims in use, volumes with claims, disks. */
export const finalizerOrder: MakeChecker = (scene, tell) => ({
  name: 'finalizer-order',
  observe(fact) {
    if (fact.type === 'call-begins' && fact.rpc === 'ControllerPublishVolume') checkPublish(scene, tell, fact);
    if (fact.type !== 'write' || fact.before === undefined || isUser(fact.actor)) return;
    const { before, after } = fact;
    for (const finalizer of lost(before, after)) checkLoss(scene, tell, { before, finalizer });
    if (after !== undefined) return;
    if (isOf(PersistentVolumeClaims, before)) checkClaimGone(scene, tell, before);
    if (isOf(PersistentVolumes, before)) checkVolumeGone(scene, tell, before);
  },
});

/** Before the driver is asked to attach, the attachment and the volume carry the attacher's mark. */
function checkPublish(scene: Scene, tell: Tell, { driver, volumeId, nodeId = '' }: CallFact): void {
  const volume = scene.volumeBehind(driver, volumeId);
  const attachments = volume === undefined ? [] : scene.attachmentsOf(volume.metadata.name);
  const here = attachments.filter(({ spec }) => scene.nodeIdOf(driver, spec.nodeName) === nodeId);
  if (volume !== undefined && isMarked(volume) && here.some(isMarked)) return;
  tell({
    severity: 'violation',
    about: `volume ${volumeId}`,
    says: `ControllerPublishVolume to ${nodeId} was called before attachment and volume had a finalizer`,
  });
}

const isMarked = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.some((each) => ATTACHER.test(each)) ?? false;

function lost(before: KubeObject, after: KubeObject | undefined): readonly string[] {
  const kept = after?.metadata.finalizers ?? [];
  return (before.metadata.finalizers ?? []).filter((each) => !kept.includes(each));
}

function checkLoss(
  scene: Scene,
  tell: Tell,
  { before, finalizer }: { readonly before: KubeObject; readonly finalizer: string },
): void {
  if (isOf(VolumeAttachments, before) && ATTACHER.test(finalizer)) checkAttachment(scene, tell, before);
  if (isOf(PersistentVolumes, before) && finalizer === PROVISIONER) checkDisk(scene, tell, before);
}

function checkAttachment(scene: Scene, tell: Tell, { metadata, spec }: VolumeAttachment): void {
  const csi = scene.get(PersistentVolumes, spec.source.persistentVolumeName ?? '')?.spec.csi;
  const disk = csi === undefined ? undefined : scene.disk(csi.driver, csi.volumeHandle);
  if (csi === undefined || disk?.publications.has(scene.nodeIdOf(csi.driver, spec.nodeName)) !== true) return;
  tell({
    severity: 'violation',
    about: `va/${metadata.name}`,
    says: `it was let go while the volume was attached to ${spec.nodeName}`,
  });
}

function checkDisk(scene: Scene, tell: Tell, volume: PersistentVolume): void {
  const { csi, persistentVolumeReclaimPolicy } = volume.spec;
  if (csi === undefined || persistentVolumeReclaimPolicy !== 'Delete') return;
  if (scene.disk(csi.driver, csi.volumeHandle) === undefined) return;
  tell({
    severity: 'violation',
    about: `pv/${volume.metadata.name}`,
    says: `it was let go while the disk ${csi.volumeHandle} exists`,
  });
}

/** A pod that came after the deletion is not started with the claim, so it does not hold it. */
function checkClaimGone(scene: Scene, tell: Tell, claim: KubeObject): void {
  const askedAt = Date.parse(claim.metadata.deletionTimestamp ?? '');
  const users = scene.podsUsing(keyOf(claim)).filter((pod) => {
    const isOlder = Date.parse(pod.metadata.creationTimestamp) < askedAt;
    return isOlder && (pod.spec.nodeName ?? '') !== '' && !isPodTerminated(pod);
  });
  const [user] = users;
  if (user === undefined) return;
  tell({ severity: 'violation', about: `pvc/${keyOf(claim)}`, says: `it went while pod/${keyOf(user)} uses it` });
}

function checkVolumeGone(scene: Scene, tell: Tell, volume: PersistentVolume): void {
  const { name } = volume.metadata;
  const { claimRef } = volume.spec;
  const claim = scene.get(PersistentVolumeClaims, keyFrom(claimRef?.namespace, claimRef?.name ?? ''));
  const about = `pv/${name}`;
  if (claim !== undefined && claim.metadata.uid === claimRef?.uid && claim.spec.volumeName === name) {
    tell({ severity: 'violation', about, says: `it went while pvc/${keyOf(claim)} has it` });
  }
  const attached = scene.attachmentsOf(name).find(isMarked);
  if (attached !== undefined)
    tell({ severity: 'violation', about, says: `it went while va/${attached.metadata.name} names it` });
}
