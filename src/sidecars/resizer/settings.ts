import { type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';

/** Flags of csi-resizer by their names, with units last. external-resizer:cmd/csi-resizer/main.go */
export interface ResizerSettings {
  /** Of one CSI call. */
  readonly timeoutMs: DurationMs;
  readonly retryIntervalStartMs: DurationMs;
  /** Also how long an infeasible claim rests. */
  readonly retryIntervalMaxMs: DurationMs;
  /** Every claim is looked at again this often. */
  readonly resyncPeriodMs: DurationMs;
  /** For sizes, and as many for attributes. */
  readonly workers: number;
  /** Off: pods are not watched, and a volume that the driver refuses while it is in use is asked for again and again. */
  readonly handleVolumeInuseError: boolean;
  /** Names of claim and volume go to the driver with the attributes. */
  readonly extraModifyMetadata: boolean;
}

export const DEFAULT_RESIZER_SETTINGS: ResizerSettings = {
  timeoutMs: 10 * SECOND_MS,
  retryIntervalStartMs: SECOND_MS,
  retryIntervalMaxMs: 5 * MINUTE_MS,
  resyncPeriodMs: 10 * MINUTE_MS,
  workers: 10,
  handleVolumeInuseError: true,
  extraModifyMetadata: false,
};
