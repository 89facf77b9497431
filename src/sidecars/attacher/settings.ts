import { type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { sinceMinor } from '../../kube/kubernetes-version.ts';

/** Flags of csi-attacher by their names, with units last. external-attacher:cmd/csi-attacher/main.go */
export interface AttacherSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile: string;
  /** Of one ControllerPublish, ControllerUnpublish, or pass over the volumes of the driver. */
  readonly timeoutMs: DurationMs;
  /** Of an attachment that failed: doubled from failure to failure. */
  readonly retryIntervalStartMs: DurationMs;
  readonly retryIntervalMaxMs: DurationMs;
  /** Every object is looked at again this often. */
  readonly resyncMs: DurationMs;
  /** For attachments, and as many for volumes. */
  readonly workerThreads: number;
  /** From the end of one comparison with the driver's volumes to the next. */
  readonly reconcileSyncMs: DurationMs;
  /** Of one page of ListVolumes; 0 for no limit. */
  readonly maxEntries: number;
  readonly defaultFstype: string;
}

export const DEFAULT_ATTACHER_SETTINGS: AttacherSettings = {
  profile: '1.36.3',
  timeoutMs: 15 * SECOND_MS,
  retryIntervalStartMs: SECOND_MS,
  retryIntervalMaxMs: 5 * MINUTE_MS,
  resyncMs: 10 * MINUTE_MS,
  workerThreads: 10,
  reconcileSyncMs: MINUTE_MS,
  maxEntries: 0,
  defaultFstype: '',
};

/** Of calls that ask a driver what it can do. external-attacher:cmd/csi-attacher/main.go */
export const CAPABILITIES_TIMEOUT_MS: DurationMs = SECOND_MS;

/**
 * `attachError.errorCode` is kept by the API server. Gate MutableCSINodeAllocatableCount: on since 1.35.
 * kubernetes:pkg/features/kube_features.go
 */
export const keepsErrorCode = (version: string): boolean => sinceMinor(version)(35);
