import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { DriverCapabilities } from '../../csi/capabilities.ts';
import type { CsiCall, CsiDriver } from '../../csi/driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import type { ProvisionerSettings } from './settings.ts';
import type { TopologyCluster } from './topology-requirement.ts';

/** What the controllers of one provisioner share. */
export interface Services {
  readonly driver: CsiDriver;
  readonly capabilities: DriverCapabilities;
  readonly settings: ProvisionerSettings;
  /** Written into every volume: which process made it. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: Recorder;
  /** For the one event that upstream sends under another name. */
  readonly populatorRecorder: Recorder;
  /** Indexes: `uid`, `cloneSource` and `snapshotSource` (keys of what a claim is filled from). */
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly classes: Lister<StorageClass>;
  /** Only for a driver with topology. */
  readonly topology: TopologyCluster | undefined;
  /** Index: `volume`. Only for a driver that publishes. */
  readonly attachments: Lister<VolumeAttachment> | undefined;
}

export function csiCall({ settings }: Services, turn: Turn): CsiCall {
  return { signal: turn.signal, deadlineMs: settings.timeoutMs, reason: turn.reason };
}
