// How bad things are in each zone, and how fast its silent nodes may be emptied. One or two silent nodes are emptied
// soon; a zone of which most is silent more likely lost its network than its machines.
// kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption, ComputeZoneState
import { unreachable } from '../../base/assert.ts';

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
  /** Nodes that do not count for the state of their zone. */
  readonly excluded: number;
}
export interface ZoneLimits {
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
}

/** Below this many silent nodes a zone with a ready one is Normal, however small it is. */
const PARTIAL_DISRUPTION_NODES_MIN = 3;

/** Undefined if no node of the zone counts. */
export function zoneStateOf(
  { ready, notReady }: ZoneCount,
  { unhealthyZoneThreshold }: ZoneLimits,
): ZoneState | undefined {
  if (ready + notReady === 0) return undefined;
  if (ready === 0) return 'FullDisruption';
  const isLarge = notReady >= PARTIAL_DISRUPTION_NODES_MIN && notReady / (notReady + ready) >= unhealthyZoneThreshold;
  return isLarge ? 'PartialDisruption' : 'Normal';
}

/** Nodes a second; undefined leaves the rate as it is. */
export function evictionRate(state: ZoneState, count: ZoneCount, limits: ZoneLimits): number | undefined {
  switch (state) {
    case 'Initial':
      return undefined;
    case 'Normal':
    case 'FullDisruption':
      return limits.nodeEvictionRate;
    case 'PartialDisruption':
      return count.ready + count.notReady > limits.largeClusterSizeThreshold ? limits.secondaryNodeEvictionRate : 0;
    default:
      return unreachable(state);
  }
}

export type DisruptionDecision =
  | { readonly type: 'unchanged' }
  /** Every zone is wholly silent: it is us who are cut off. Nothing is emptied any more. */
  | { readonly type: 'stop-evictions' }
  /** Somebody answers again: silence is counted from now. */
  | { readonly type: 'resume-evictions' }
  | { readonly type: 'adjust'; readonly zones: readonly string[] };

/** `before` and `after` know the same zones. */
export function decideDisruption(
  before: ReadonlyMap<string, ZoneState>,
  after: ReadonlyMap<string, ZoneState>,
): DisruptionDecision {
  const isAllDown = everyZoneIsDown(after);
  const wasAllDown = everyZoneIsDown(before);
  if (isAllDown && wasAllDown) return { type: 'unchanged' };
  if (isAllDown) return { type: 'stop-evictions' };
  if (wasAllDown) return { type: 'resume-evictions' };
  const zones = [...after.keys()].filter((zone) => before.get(zone) !== after.get(zone));
  return zones.length === 0 ? { type: 'unchanged' } : { type: 'adjust', zones };
}

const everyZoneIsDown = (zones: ReadonlyMap<string, ZoneState>): boolean =>
  [...zones.values()].every((state) => state === 'FullDisruption');

/** Region and zone; nodes without either label share one. kubernetes:staging/src/k8s.io/component-helpers/node/topology/helpers.go */
export function zoneOf(labels: Readonly<Record<string, string>> = {}): string {
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? '';
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

/** Nodes with this label do not count for the state of their zone. */
const EXCLUDE_DISRUPTION = 'node.kubernetes.io/exclude-disruption';

export function countsForZone(labels: Readonly<Record<string, string>> = {}): boolean {
  return labels[EXCLUDE_DISRUPTION] === undefined;
}
