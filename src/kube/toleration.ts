// Which taints a pod puts up with.
// kubernetes:staging/src/k8s.io/component-helpers/scheduling/corev1/helpers.go
import type { Taint, Toleration } from './resources/node-selector.ts';

export function toleratesTaint(tolerations: readonly Toleration[] = [], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

/** The first taint that keeps a pod with these tolerations from being placed. */
export function untoleratedTaint(
  taints: readonly Taint[] = [],
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints.find((taint) => keepsPodsOff(taint) && !toleratesTaint(tolerations, taint));
}

const keepsPodsOff = (taint: Taint): boolean => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';

/** An empty key or effect in the toleration stands for any. */
function tolerates(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') !== '' && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    default:
      return false;
  }
}
