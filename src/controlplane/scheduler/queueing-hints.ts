// Which change is worth another attempt for a pod that a plugin refused. A wrong no costs minutes, a wrong yes one attempt.
// kubernetes:pkg/scheduler/framework/plugins/*: the functions registered by EventsToRegister.
import { keyFrom, keyOf } from '../../kube/object.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { Namespace } from '../../kube/resources/namespace.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import {
  type ClusterEvent,
  hasAllocatableChanged,
  haveLabelsChanged,
  haveTaintsChanged,
  haveTolerationsChanged,
  isSame,
  isScaledDown,
} from './cluster-event.ts';
import { TermMatcher, affinityTermsOf, antiAffinityTermsOf, matchesAll } from './inter-pod-affinity.ts';
import { admitsNode } from './node-affinity.ts';
import { hostPortsOf } from './node-info.ts';
import { havePortConflict } from './node-ports.ts';
import { checkResources, wantedResources } from './node-resources-fit.ts';
import { UNSCHEDULABLE_TAINT } from './node-unschedulable.ts';
import type { PluginName } from './plugin.ts';
import { PODS, amountsOf, requestsOf } from './pod-resources.ts';
import { hardConstraints, spreadMatcher } from './pod-topology-spread.ts';
import { toleratesTaint, untoleratedTaint } from '../../kube/toleration.ts';
import { haveDiskConflict, isExclusiveDisk } from './volume-restrictions.ts';
import { volumeTopologies } from './volume-zone.ts';
import { volumeLimit } from './volumebinding/storage-capacity.ts';

export interface HintContext {
  readonly namespaceNamed: (name: string) => Namespace | undefined;
}
type Hint = (pod: Pod, event: ClusterEvent, context: HintContext) => boolean;
type EventType = ClusterEvent['type'];

/** What each plugin listens to, and its hint. An event that is not named never helps. */
interface Interest {
  readonly events: readonly EventType[];
  readonly hint: Hint;
}

export const INTERESTS: Readonly<Record<PluginName, Interest>> = {
  SchedulingGates: { events: [], hint: () => false },
  NodeUnschedulable: { events: ['node-added', 'node-updated', 'pod-updated'], hint: afterUncordon },
  NodeName: { events: ['node-added'], hint: () => true },
  TaintToleration: { events: ['node-added', 'node-updated', 'pod-updated'], hint: afterTaint },
  NodeAffinity: { events: ['node-added', 'node-updated'], hint: afterNodeLabels },
  NodePorts: { events: ['node-added', 'pod-deleted'], hint: afterPorts },
  NodeResourcesFit: { events: ['node-added', 'node-updated', 'pod-updated', 'pod-deleted'], hint: afterResources },
  VolumeRestrictions: { events: ['node-added', 'pod-deleted', 'claim-added'], hint: afterVolumeUse },
  NodeVolumeLimits: {
    events: ['csinode-added', 'csinode-updated', 'pod-deleted', 'claim-added', 'attachment-deleted'],
    hint: afterAttachment,
  },
  VolumeClaims: {
    events: ['claim-added', 'claim-updated', 'volume-added', 'volume-updated', 'class-added', 'node-added'],
    hint: afterClaims,
  },
  VolumeBinding: {
    events: [
      'claim-added',
      'claim-updated',
      'volume-added',
      'volume-updated',
      'class-added',
      'class-updated',
      'node-added',
      'node-updated',
      'csinode-added',
      'capacity-added',
      'capacity-updated',
      'csidriver-updated',
    ],
    hint: afterStorage,
  },
  VolumeZone: {
    events: [
      'claim-added',
      'claim-updated',
      'volume-added',
      'volume-updated',
      'class-added',
      'node-added',
      'node-updated',
    ],
    hint: afterZone,
  },
  PodTopologySpread: {
    events: ['pod-added', 'pod-updated', 'pod-deleted', 'node-added', 'node-updated', 'node-deleted'],
    hint: afterSpread,
  },
  InterPodAffinity: {
    events: ['pod-added', 'pod-updated', 'pod-deleted', 'node-added', 'node-updated'],
    hint: afterCompany,
  },
};

export function isWorthRetrying(
  pod: Pod,
  rejectedBy: ReadonlySet<PluginName>,
  event: ClusterEvent,
  context: HintContext,
): boolean {
  for (const plugin of rejectedBy) {
    const { events, hint } = INTERESTS[plugin];
    if (isWokenByTaints(plugin) && event.type === 'node-updated' && haveTaintsChanged(event.before, event.node))
      return true;
    if (events.includes(event.type) && hint(pod, event, context)) return true;
  }
  return false;
}

const TAINTS_WITH_OWN_HINT: ReadonlySet<PluginName> = new Set([
  'NodeUnschedulable',
  'TaintToleration',
  'PodTopologySpread',
]);

/**
 * Upstream wakes a pod after any change of taints if a plugin that refused it listens to new nodes and not to taints. It
 * cannot help the pod, but it decides which attempt an Event keeps the words of.
 * kubernetes:pkg/scheduler/scheduler.go (buildQueueingHintMap)
 */
const isWokenByTaints = (plugin: PluginName): boolean =>
  INTERESTS[plugin].events.includes('node-added') && !TAINTS_WITH_OWN_HINT.has(plugin);

const isSelf = (pod: Pod, other: Pod): boolean => pod.metadata.uid === other.metadata.uid;
const uses = (pod: Pod, event: Extract<ClusterEvent, { readonly type: 'claim-added' | 'claim-updated' }>): boolean =>
  claimKeysOf(pod).includes(keyOf(event.claim));

function afterUncordon(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'node-added':
      return event.node.spec.unschedulable !== true;
    case 'node-updated':
      return event.before.spec.unschedulable === true && event.node.spec.unschedulable !== true;
    case 'pod-updated':
      return (
        isSelf(pod, event.pod) &&
        haveTolerationsChanged(event.before, event.pod) &&
        toleratesTaint(event.pod.spec.tolerations, UNSCHEDULABLE_TAINT)
      );
    default:
      return false;
  }
}

function afterTaint(pod: Pod, event: ClusterEvent): boolean {
  const isTolerated = (node: Node): boolean => untoleratedTaint(node.spec.taints, pod.spec.tolerations) === undefined;
  switch (event.type) {
    case 'node-added':
      return isTolerated(event.node);
    case 'node-updated':
      return haveTaintsChanged(event.before, event.node) && !isTolerated(event.before) && isTolerated(event.node);
    case 'pod-updated':
      return isSelf(pod, event.pod) && haveTolerationsChanged(event.before, event.pod);
    default:
      return false;
  }
}

function afterNodeLabels(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'node-added':
      return admitsNode(pod, event.node);
    case 'node-updated':
      return (
        haveLabelsChanged(event.before, event.node) && admitsNode(pod, event.node) && !admitsNode(pod, event.before)
      );
    default:
      return false;
  }
}

function afterPorts(pod: Pod, event: ClusterEvent): boolean {
  if (event.type !== 'pod-deleted') return true;
  return havePortConflict(hostPortsOf(pod), hostPortsOf(event.pod));
}

function afterResources(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'pod-deleted':
      return true;
    case 'pod-updated':
      return isScaledDown(event.before, event.pod);
    case 'node-added':
      return fitsWhenEmpty(pod, event.node);
    case 'node-updated':
      return (
        hasAllocatableChanged(event.before, event.node) &&
        fitsWhenEmpty(pod, event.node) &&
        hasGrown(pod, event.before, event.node)
      );
    default:
      return false;
  }
}

const fitsWhenEmpty = (pod: Pod, node: Node): boolean => {
  const empty = { allocatable: amountsOf(node.status.allocatable), requested: new Map(), pods: new Map() };
  return checkResources(wantedResources(requestsOf(pod)), empty).type === 'success';
};

function hasGrown(pod: Pod, before: Node, after: Node): boolean {
  const [was, is] = [amountsOf(before.status.allocatable), amountsOf(after.status.allocatable)];
  const wanted = [...requestsOf(pod)].filter(([, amount]) => amount > 0).map(([name]) => name);
  return [PODS, ...wanted].some((name) => (is.get(name) ?? 0) > (was.get(name) ?? 0));
}

function afterVolumeUse(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'node-added':
      return true;
    case 'claim-added':
      return uses(pod, event);
    case 'pod-deleted': {
      if (event.pod.metadata.namespace !== pod.metadata.namespace) return false;
      if (haveDiskConflict((pod.spec.volumes ?? []).filter(isExclusiveDisk), [event.pod])) return true;
      const claims = claimKeysOf(pod);
      return claimKeysOf(event.pod).some((claim) => claims.includes(claim));
    }
    default:
      return false;
  }
}

function afterAttachment(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'csinode-added':
      return true;
    case 'csinode-updated':
      return hasMoreRoom(event.before, event.csiNode);
    case 'pod-deleted':
      return claimKeysOf(event.pod).length > 0;
    case 'claim-added':
      return uses(pod, event);
    case 'attachment-deleted':
      return (pod.spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
    default:
      return false;
  }
}

function hasMoreRoom(before: CSINode, after: CSINode): boolean {
  const limits = new Map((before.spec.drivers ?? []).map(({ name, allocatable }) => [name, allocatable?.count ?? 0]));
  return (after.spec.drivers ?? []).some(
    ({ name, allocatable }) => (allocatable?.count ?? 0) > (limits.get(name) ?? 0),
  );
}

/**
 * Upstream tries again after any change of any volume. Only that of a claim's own volume can change what is told: a bound
 * claim that vanishes is no event, but its volume that is released is.
 */
function afterClaims(pod: Pod, event: ClusterEvent): boolean {
  if (event.type !== 'volume-added' && event.type !== 'volume-updated') return afterStorage(pod, event);
  const { claimRef } = event.volume.spec;
  return claimRef?.name !== undefined && claimKeysOf(pod).includes(keyFrom(claimRef.namespace, claimRef.name));
}

function afterStorage(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'claim-added':
    case 'claim-updated':
      return uses(pod, event);
    case 'volume-added':
    case 'volume-updated':
    case 'class-added':
    case 'node-added':
    case 'csinode-added':
    case 'capacity-added':
      return true;
    case 'class-updated':
      return !isSame(event.before.allowedTopologies, event.storageClass.allowedTopologies);
    case 'node-updated':
      return haveLabelsChanged(event.before, event.node);
    case 'capacity-updated':
      return (volumeLimit(event.capacity) ?? -1) > (volumeLimit(event.before) ?? -1);
    case 'csidriver-updated':
      // Upstream looks at inline volumes only: a pod that waits for room for its claims sleeps on.
      return (
        event.before.spec.storageCapacity === true &&
        event.csiDriver.spec.storageCapacity !== true &&
        (pod.spec.volumes ?? []).some(({ csi }) => csi?.driver === event.csiDriver.metadata.name)
      );
    default:
      return false;
  }
}

function afterZone(pod: Pod, event: ClusterEvent): boolean {
  switch (event.type) {
    case 'claim-added':
    case 'claim-updated':
      return uses(pod, event);
    case 'volume-added':
    case 'node-added':
      return true;
    case 'volume-updated':
      return !isSame(zonesOf(event.before), zonesOf(event.volume));
    case 'class-added':
      return event.storageClass.volumeBindingMode === 'WaitForFirstConsumer';
    case 'node-updated':
      return haveLabelsChanged(event.before, event.node);
    default:
      return false;
  }
}

const zonesOf = (volume: Parameters<typeof volumeTopologies>[0]): readonly unknown[] =>
  volumeTopologies(volume).map(({ key, values }) => [key, [...values]]);

function afterSpread(pod: Pod, event: ClusterEvent): boolean {
  const constraints = hardConstraints(pod);
  const matchers = constraints.map((constraint) => spreadMatcher(constraint, pod));
  const isCounted = (other: Pod): boolean => matchers.some((matches) => matches(other.metadata.labels));
  const hasTopology = (node: Node): boolean =>
    constraints.every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined);
  switch (event.type) {
    case 'pod-added':
    case 'pod-deleted':
      return event.pod.metadata.namespace === pod.metadata.namespace && isCounted(event.pod);
    case 'pod-updated':
      if (isSelf(pod, event.pod)) {
        return haveLabelsChanged(event.before, event.pod) || haveTolerationsChanged(event.before, event.pod);
      }
      return (
        event.pod.metadata.namespace === pod.metadata.namespace &&
        matchers.some((matches) => matches(event.before.metadata.labels) !== matches(event.pod.metadata.labels))
      );
    case 'node-added':
    case 'node-deleted':
      return hasTopology(event.node);
    case 'node-updated':
      return (
        (hasTopology(event.before) || hasTopology(event.node)) &&
        (haveLabelsChanged(event.before, event.node) || haveTaintsChanged(event.before, event.node))
      );
    default:
      return false;
  }
}

function afterCompany(pod: Pod, event: ClusterEvent, { namespaceNamed }: HintContext): boolean {
  const wanted = affinityTermsOf(pod).map((term) => new TermMatcher(term, pod));
  const unwanted = antiAffinityTermsOf(pod).map((term) => new TermMatcher(term, pod));
  const matches = (terms: readonly TermMatcher[], other: Pod): boolean => matchesAll(terms, other, namespaceNamed);
  switch (event.type) {
    case 'pod-added':
      return matches(wanted, event.pod);
    case 'pod-deleted': {
      const theirs = antiAffinityTermsOf(event.pod).map((term) => new TermMatcher(term, event.pod));
      return matches(unwanted, event.pod) || matches(theirs, pod);
    }
    case 'pod-updated':
      if (!haveLabelsChanged(event.before, event.pod)) return false;
      return (
        isSelf(pod, event.pod) ||
        (!matches(wanted, event.before) && matches(wanted, event.pod)) ||
        (matches(unwanted, event.before) && !matches(unwanted, event.pod))
      );
    case 'node-added':
      return (
        unwanted.length > 0 || wanted.some(({ topologyKey }) => event.node.metadata.labels?.[topologyKey] !== undefined)
      );
    case 'node-updated':
      return [...wanted, ...unwanted].some(
        ({ topologyKey }) => event.before.metadata.labels?.[topologyKey] !== event.node.metadata.labels?.[topologyKey],
      );
    default:
      return false;
  }
}
