import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ControllerCapability, CsiCall, CsiDriver } from '../../csi/driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import type { ResizerSettings } from './settings.ts';

/** What the controllers of one resizer share. */
export interface Services {
  readonly driver: CsiDriver;
  readonly capabilities: ReadonlySet<ControllerCapability>;
  readonly settings: ResizerSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: Recorder;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
}

export function csiCall({ settings }: Services, turn: Turn): CsiCall {
  return { signal: turn.signal, deadlineMs: settings.timeoutMs, reason: turn.reason };
}
