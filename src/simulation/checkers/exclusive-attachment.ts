// A volume that is certainly and exclusively attached to one node is not attached to a second. Certainty is what the
// attach-detach controller can have: spec of 1.11 lists when it has none, and then a second attachment is allowed, because
// the driver is the last line of defence.
import { type InstantMs, MINUTE_MS } from '../../base/clock.ts';
import { isOf } from '../../kube/object.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker } from './checker.ts';
import type { Fact } from './fact.ts';
import { isUser } from './people.ts';
import { ATTACH_DETACH, type Scene } from './scene.ts';

/** How long the controller waits for one attach or detach. kubernetes:pkg/volume/csi/csi_plugin.go csiTimeout */
const WAIT_MS = 2 * MINUTE_MS;

/** What the checker remembers of one attachment. */
interface Past {
  readonly madeAt: InstantMs;
  readonly byHand: boolean;
  attachedAt?: InstantMs;
  deletedAt?: InstantMs;
  hadAttachError?: boolean;
  hadDetachError?: boolean;
  /** The controller started and did not find it among what the node reports as attached. */
  missedAtStart?: boolean;
  /** It was attached and then said that it is not. */
  wavered?: boolean;
}

export const exclusiveAttachment: MakeChecker = (scene, tell) => {
  const pasts = new Map<string, Past>();
  return {
    name: 'exclusive-attachment',
    observe(fact) {
      noteStart(scene, pasts, fact);
      if (fact.type !== 'write') return;
      const { before, after, actor } = fact;
      if (after === undefined) {
        if (before !== undefined && isOf(VolumeAttachments, before)) pasts.delete(before.metadata.name);
        return;
      }
      if (!isOf(VolumeAttachments, after)) return;
      const isNew = before === undefined;
      if (isNew) pasts.set(after.metadata.name, { madeAt: fact.at, byHand: isUser(actor) });
      note(pasts.get(after.metadata.name), after, fact.at);
      const volume = scene.get(PersistentVolumes, after.spec.source.persistentVolumeName ?? '');
      if (!isNew || isUser(actor) || volume === undefined || allowsSeveral(volume)) return;
      for (const other of scene.attachmentsOf(volume.metadata.name)) {
        if (other.spec.nodeName === after.spec.nodeName || isUncertain(scene, pasts.get(other.metadata.name), other))
          continue;
        tell({
          severity: 'violation',
          about: `pv/${volume.metadata.name}`,
          says: `it was to be attached to ${after.spec.nodeName} while it is attached to ${other.spec.nodeName}`,
        });
      }
    },
  };
};

/** kubernetes:pkg/volume/util/util.go IsMultiAttachAllowed */
function allowsSeveral({ spec }: PersistentVolume): boolean {
  const modes = spec.accessModes ?? [];
  return modes.length === 0 || modes.includes('ReadWriteMany') || modes.includes('ReadOnlyMany');
}

function note(past: Past | undefined, { status, metadata }: VolumeAttachment, at: InstantMs): void {
  if (past === undefined) return;
  if (status.attached) past.attachedAt ??= at;
  else if (past.attachedAt !== undefined) past.wavered = true;
  if (metadata.deletionTimestamp !== undefined) past.deletedAt ??= at;
  if (status.attachError !== undefined) past.hadAttachError = true;
  if (status.detachError !== undefined) past.hadDetachError = true;
}

/** A controller that starts knows what nodes report; every other attachment is uncertain to it. */
function noteStart(scene: Scene, pasts: ReadonlyMap<string, Past>, fact: Fact): void {
  if (fact.type !== 'fault-begins' && fact.type !== 'fault-ends') return;
  if (scene.startedAt(ATTACH_DETACH) !== fact.at) return;
  for (const attachment of scene.all(VolumeAttachments)) {
    const past = pasts.get(attachment.metadata.name);
    if (past !== undefined && !isReported(scene, attachment)) past.missedAtStart = true;
  }
}

function isReported(scene: Scene, { spec }: VolumeAttachment): boolean {
  const csi = scene.get(PersistentVolumes, spec.source.persistentVolumeName ?? '')?.spec.csi;
  if (csi === undefined) return false;
  const name = uniqueVolumeName({ driver: csi.driver, handle: csi.volumeHandle });
  return scene.node(spec.nodeName)?.status.volumesAttached?.some((each) => each.name === name) ?? false;
}

function isUncertain(scene: Scene, past: Past | undefined, { status }: VolumeAttachment): boolean {
  if (past === undefined || past.byHand) return true;
  const startedAt = scene.startedAt(ATTACH_DETACH) ?? -1;
  const isMissed = past.missedAtStart === true || past.wavered === true || past.hadAttachError === true;
  const wasSlow = (past.attachedAt ?? scene.now) - past.madeAt >= WAIT_MS;
  const isLetGo =
    past.deletedAt !== undefined &&
    (past.hadDetachError === true || scene.now - past.deletedAt >= WAIT_MS || startedAt >= past.deletedAt);
  // While the controller that asked for it is dead, an attach goes on; the next one finds it uncertain.
  const isOrphan = !status.attached && startedAt >= past.madeAt;
  return isMissed || wasSlow || isLetGo || isOrphan || isBlinded(scene);
}

/** Any error on a look-up counts as "not attached" to the controller's sweep. */
function isBlinded(scene: Scene): boolean {
  for (const fault of scene.faults()) if (fault.type === 'api-error' && fault.actor === ATTACH_DETACH) return true;
  return false;
}
