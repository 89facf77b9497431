import { type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';

/** By upstream's flags; what is absent has upstream's default. */
export interface AttachDetachSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--attach-detach-reconcile-sync-period`; below one second there is no sweep. */
  readonly attachDetachReconcileSyncPeriodMs?: DurationMs;
  /** `--disable-attach-detach-reconcile-sync` */
  readonly disableAttachDetachReconcileSync?: boolean;
  /** `--disable-force-detach-on-timeout` */
  readonly disableForceDetachOnTimeout?: boolean;
  /** Upstream walks maps in random order. Here it is by node and volume name, or drawn from the component's random. */
  readonly passOrder?: 'sorted' | 'shuffled';
  /** Looks at every volume in every pass, as upstream does. It shows nothing else than looking at those that changed. */
  readonly looksAtAll?: boolean;
  /** No flags upstream. */
  readonly timers?: Partial<Timers>;
}

export interface Timers {
  /** From the end of a pass to the next. */
  readonly reconcilerLoopPeriodMs: DurationMs;
  /** How long a silent node may take to unmount. A detach is forced strictly after it. */
  readonly maxWaitForUnmountMs: DurationMs;
  /** Between two looks for pods that are gone. */
  readonly populatorLoopMs: DurationMs;
  /** Between two looks for pods that were missed. */
  readonly listPodsRetryMs: DurationMs;
  /** How long one attach or detach waits for the external attacher. */
  readonly csiTimeoutMs: DurationMs;
}

/** kubernetes:pkg/controller/volume/attachdetach/attach_detach_controller.go, csiTimeout: pkg/volume/csi/csi_plugin.go */
export const DEFAULT_TIMERS: Timers = {
  reconcilerLoopPeriodMs: 100,
  maxWaitForUnmountMs: 6 * MINUTE_MS,
  populatorLoopMs: MINUTE_MS,
  listPodsRetryMs: 3 * MINUTE_MS,
  csiTimeoutMs: 2 * MINUTE_MS,
};
/** kubernetes:pkg/controller/volume/attachdetach/config/v1alpha1/defaults.go */
export const SYNC_PERIOD_MS: DurationMs = MINUTE_MS;
/** A shorter period turns the sweep off. kubernetes:pkg/controller/volume/attachdetach/reconciler/reconciler.go */
export const SYNC_PERIOD_MS_MIN: DurationMs = SECOND_MS;
