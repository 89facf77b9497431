// What differs between Kubernetes versions as far as this controller shows it.
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { sinceMinor } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** Default of `--node-monitor-grace-period`. */
  readonly nodeMonitorGracePeriodMs: DurationMs;
  /** A node that this pass found silent is queued for its taint in this pass; before, in the next one. */
  readonly queuesInSamePass: boolean;
  /** The Lease is read from the server before a node is called silent. Gate NodeControllerLeaseCircuitBreaker: on since 1.37. */
  readonly readsLiveLease: boolean;
}

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return {
    nodeMonitorGracePeriodMs: (since(32) ? 50 : 40) * SECOND_MS,
    queuesInSamePass: since(34),
    readsLiveLease: since(37),
  };
}
