import type { Pod } from '../../kube/resources/pod.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { NodeInfo } from './node-info.ts';
import type { Failure, Rejection, Status } from './status.ts';

/** In the order in which checks run. kubernetes:pkg/scheduler/apis/config/v1/default_plugins.go */
export const PLUGIN_NAMES = [
  'SchedulingGates',
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  /** Part of VolumeBinding upstream. */
  'VolumeClaims',
  'VolumeBinding',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
] as const;
export type PluginName = (typeof PLUGIN_NAMES)[number];

export type NodeFilter = (node: NodeInfo) => Status;

/** What a plugin makes of a pod before it looks at nodes: nothing to do, no node at all, or a check for each node. */
export type PreFilterOutcome =
  | { readonly type: 'skip' }
  | {
      readonly type: 'filter';
      readonly filter: NodeFilter;
      /** No other node can pass. Names of nodes that do not exist may be among them. */
      readonly only?: ReadonlySet<string>;
    }
  | Rejection
  | Failure;

export interface FilterPlugin {
  readonly name: PluginName;
  preFilter(pod: Pod, cluster: ClusterSnapshot): PreFilterOutcome;
}

export const SKIP: PreFilterOutcome = { type: 'skip' };
export const filterBy = (filter: NodeFilter): PreFilterOutcome => ({ type: 'filter', filter });
