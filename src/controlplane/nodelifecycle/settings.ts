import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { type Profile, profileOf } from './profile.ts';

/** By upstream's flags; what is absent has upstream's default. */
export interface NodeLifecycleSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--node-monitor-period`: from the end of one look at the nodes to the next. */
  readonly nodeMonitorPeriodMs?: DurationMs;
  /** `--node-monitor-grace-period`: how long a node may be silent. */
  readonly nodeMonitorGracePeriodMs?: DurationMs;
  /** `--node-startup-grace-period`: the same for a node that never said whether it is ready. */
  readonly nodeStartupGracePeriodMs?: DurationMs;
  /** `--node-eviction-rate`: nodes a second of one zone that get a NoExecute taint. */
  readonly nodeEvictionRate?: number;
  /** `--secondary-node-eviction-rate`: the same while a large zone is partly down. */
  readonly secondaryNodeEvictionRate?: number;
  /** `--large-cluster-size-threshold`: a zone with more nodes is large. */
  readonly largeClusterSizeThreshold?: number;
  /** `--unhealthy-zone-threshold`: the part of a zone's nodes from which on it counts as partly down. */
  readonly unhealthyZoneThreshold?: number;
  /** Looks at every node in every period, as upstream does. It shows nothing else than looking when something is due. */
  readonly looksAtAll?: boolean;
}

export type ResolvedSettings = Readonly<Required<Omit<NodeLifecycleSettings, 'profile'>>> & {
  readonly profile: Profile;
};

/** kubernetes:cmd/kube-controller-manager/app/options, pkg/controller/nodelifecycle/config/v1alpha1/defaults.go */
export function resolve({ profile: version, ...given }: NodeLifecycleSettings): ResolvedSettings {
  const profile = profileOf(version);
  return {
    nodeMonitorPeriodMs: 5 * SECOND_MS,
    nodeMonitorGracePeriodMs: profile.nodeMonitorGracePeriodMs,
    nodeStartupGracePeriodMs: 60 * SECOND_MS,
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    largeClusterSizeThreshold: 50,
    unhealthyZoneThreshold: 0.55,
    looksAtAll: false,
    ...given,
    profile,
  };
}
