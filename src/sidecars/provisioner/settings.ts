import { type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';

/** Flags of csi-provisioner by their names, with units last. external-provisioner:cmd/csi-provisioner/csi-provisioner.go */
export interface ProvisionerSettings {
  /** Of one CSI call. */
  readonly timeoutMs: DurationMs;
  readonly retryIntervalStartMs: DurationMs;
  /** Also how long an infeasible claim rests. */
  readonly retryIntervalMaxMs: DurationMs;
  readonly workerThreads: number;
  readonly cloningProtectionThreads: number;
  readonly capacityThreads: number;
  readonly volumeNamePrefix: string;
  /** -1 keeps the uid whole, with its dashes. */
  readonly volumeNameUuidLength: number;
  readonly defaultFstype: string;
  readonly extraCreateMetadata: boolean;
  readonly strictTopology: boolean;
  readonly immediateTopology: boolean;
  readonly controllerPublishReadonly: boolean;
  readonly preventVolumeModeConversion: boolean;
  /** 0 turns the sweep off. */
  readonly snapshotOrphanSweepIntervalMs: DurationMs;
  readonly enableCapacity: boolean;
  readonly capacityForImmediateBinding: boolean;
  readonly capacityPollIntervalMs: DurationMs;
  /** Environment of the pod, POD_NAME and NAMESPACE: part of the event source, and where capacity objects live. */
  readonly podName: string;
  readonly namespace: string;
}

export const DEFAULT_PROVISIONER_SETTINGS: ProvisionerSettings = {
  timeoutMs: 10 * SECOND_MS,
  retryIntervalStartMs: SECOND_MS,
  retryIntervalMaxMs: 5 * MINUTE_MS,
  workerThreads: 100,
  cloningProtectionThreads: 1,
  capacityThreads: 1,
  volumeNamePrefix: 'pvc',
  volumeNameUuidLength: -1,
  defaultFstype: '',
  extraCreateMetadata: false,
  strictTopology: false,
  immediateTopology: true,
  controllerPublishReadonly: false,
  preventVolumeModeConversion: true,
  snapshotOrphanSweepIntervalMs: 5 * MINUTE_MS,
  enableCapacity: false,
  capacityForImmediateBinding: false,
  capacityPollIntervalMs: MINUTE_MS,
  podName: 'csi-provisioner-0',
  namespace: 'kube-system',
};

/** Every object is looked at again this often. sig-storage-lib-external-provisioner:controller/controller.go */
export const RESYNC_PERIOD_MS = 15 * MINUTE_MS;
