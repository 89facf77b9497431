// What differs between Kubernetes versions as far as this controller shows it.
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';

export interface Profile {
  /** Default of `--node-monitor-grace-period`. */
  readonly nodeMonitorGracePeriodMs: DurationMs;
  /** A node that this pass found silent is queued for its taint in this pass; before, in the next one. */
  readonly queuesInSamePass: boolean;
  /** The Lease is read from the server before a node is called silent. Gate NodeControllerLeaseCircuitBreaker: on since 1.37. */
  readonly readsLiveLease: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  const since = (first: number): boolean => Number(minor) >= first;
  return {
    nodeMonitorGracePeriodMs: (since(32) ? 50 : 40) * SECOND_MS,
    queuesInSamePass: since(34),
    readsLiveLease: since(37),
  };
}
