// Which taints a node should carry, from what its status says. Two taints are the same if key and effect agree, whatever
// their value and time. kubernetes:pkg/util/taints/taints.go
import type { Taint } from '../../kube/resources/node-selector.ts';

/** kubernetes:staging/src/k8s.io/api/core/v1/well_known_taints.go */
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

export const NOT_READY_NO_EXECUTE: Taint = { key: NOT_READY, effect: 'NoExecute' };
export const UNREACHABLE_NO_EXECUTE: Taint = { key: UNREACHABLE, effect: 'NoExecute' };

/** Keyed `condition=status`. kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go */
const KEY_OF_CONDITION: ReadonlyMap<string, string> = new Map([
  ['Ready=False', NOT_READY],
  ['Ready=Unknown', UNREACHABLE],
  ['MemoryPressure=True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure=True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable=True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure=True', 'node.kubernetes.io/pid-pressure'],
]);
/** NoSchedule taints with other keys belong to somebody else. */
const OWN_KEYS: ReadonlySet<string> = new Set([...KEY_OF_CONDITION.values(), UNSCHEDULABLE]);

export interface TaintSwap {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

export interface NodeState {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
}

/** What is missing and what is too much among the NoSchedule taints that follow from conditions and from a cordon. */
export function decideNoScheduleTaints(node: NodeState): TaintSwap {
  const wanted = noScheduleTaints(node);
  const present = (node.taints ?? []).filter(({ effect, key }) => effect === 'NoSchedule' && OWN_KEYS.has(key));
  return {
    add: wanted.filter((taint) => !hasTaint(present, taint)),
    remove: present.filter((taint) => !hasTaint(wanted, taint)),
  };
}

function noScheduleTaints({ conditions = [], unschedulable }: NodeState): readonly Taint[] {
  const keys: string[] = [];
  for (const condition of conditions) {
    const key = KEY_OF_CONDITION.get(`${condition.type}=${condition.status}`);
    if (key !== undefined) keys.push(key);
  }
  if (unschedulable === true) keys.push(UNSCHEDULABLE);
  return keys.map((key) => ({ key, effect: 'NoSchedule' }));
}

export function hasTaint(taints: readonly Taint[] = [], wanted: Taint): boolean {
  return taints.some((taint) => isSameTaint(taint, wanted));
}

/** A taint that is there is replaced where it stands, so that its time is the new one; another goes to the end. */
export function withTaints(taints: readonly Taint[] = [], added: readonly Taint[]): readonly Taint[] {
  const replaced = taints.map((taint) => added.find((each) => isSameTaint(each, taint)) ?? taint);
  return [...replaced, ...added.filter((taint) => !hasTaint(taints, taint))];
}

export function withoutTaints(taints: readonly Taint[] = [], removed: readonly Taint[]): readonly Taint[] {
  return taints.filter((taint) => !hasTaint(removed, taint));
}

const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;
