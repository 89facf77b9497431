import { type Clock } from '../../base/clock.ts';
import { type Log } from '../../base/log.ts';
import { type ControllerCapability, type CsiCall, type CsiDriver } from '../../csi/driver.ts';
import { type CSINode } from '../../kube/resources/csi-node.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type AttacherSettings } from './settings.ts';

/** What the controllers of one attacher share. */
export interface Services {
  readonly driver: CsiDriver;
  readonly capabilities: ReadonlySet<ControllerCapability>;
  readonly settings: AttacherSettings;
  readonly finalizer: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Indexed by `driver` and by `volume`, the name of the PersistentVolume. */
  readonly attachments: Lister<VolumeAttachment>;
  readonly volumes: Lister<PersistentVolume>;
  readonly csiNodes: Lister<CSINode>;
}

export function csiCall({ settings }: Services, turn: Pick<Turn, 'signal' | 'reason'>): CsiCall {
  return { signal: turn.signal, deadlineMs: settings.timeoutMs, reason: turn.reason };
}
