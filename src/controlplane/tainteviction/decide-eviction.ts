// Whether a pod may stay on a node with these NoExecute taints, and for how long.
// kubernetes:pkg/controller/tainteviction/taint_eviction.go processPodOnNode
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import type { Taint, Toleration } from '../../kube/resources/node-selector.ts';

export interface EvictionFacts {
  /** The NoExecute taints of the node, at least one. */
  readonly taints: readonly Taint[];
  readonly tolerations: readonly Toleration[];
  /** A toleration of the pod is running out already. */
  readonly isTimed: boolean;
}

export type EvictionDecision =
  /** A taint is not tolerated: a clock that runs is stopped for it. */
  | { readonly type: 'evict-now' }
  | { readonly type: 'evict-after'; readonly delayMs: DurationMs }
  /** The clock that runs is neither stopped nor set anew, whatever the tolerations say now. */
  | { readonly type: 'keep-waiting' }
  | { readonly type: 'stay' };

export function decideEviction({ taints, tolerations, isTimed }: EvictionFacts): EvictionDecision {
  const used = usedTolerations(taints, tolerations);
  if (used === undefined) return { type: 'evict-now' };
  const delayMs = leastTolerationMs(used);
  if (delayMs === undefined) return { type: 'stay' };
  if (isTimed) return { type: 'keep-waiting' };
  return { type: 'evict-after', delayMs };
}

export function noExecuteTaints(taints: readonly Taint[] = []): readonly Taint[] {
  return taints.filter(({ effect }) => effect === 'NoExecute');
}

/** For each taint the first toleration that fits it; undefined if one has none. */
function usedTolerations(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): readonly Toleration[] | undefined {
  const used: Toleration[] = [];
  for (const taint of taints) {
    const fitting = tolerations.find((toleration) => tolerates(toleration, taint));
    if (fitting === undefined) return undefined;
    used.push(fitting);
  }
  return used;
}

/** Undefined for ever. */
function leastTolerationMs(tolerations: readonly Toleration[]): DurationMs | undefined {
  const seconds = tolerations.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * SECOND_MS;
}

/** An empty key or effect in the toleration stands for any. kubernetes:staging/src/k8s.io/api/core/v1/toleration.go */
function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { effect = '', key = '', operator = '', value = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}
