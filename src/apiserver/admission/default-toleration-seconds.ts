// kubernetes:plugin/pkg/admission/defaulttolerationseconds/admission.go
import type { Toleration } from '../../kube/resources/node-selector.ts';
import { Pods } from '../../kube/resources/pod.ts';
import type { AdmissionPlugin } from './admission.ts';
import { writtenObject } from './written-object.ts';

/** How long a pod stays bound to a node that stopped answering, unless it says otherwise. */
const TOLERATION_SECONDS = 300;
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export interface TolerationSettings {
  readonly tolerationSeconds?: number;
}

/** Runs on updates too, so a writer that drops these tolerations does not count as changing the pod. */
export function defaultTolerationSeconds(settings: TolerationSettings = {}): AdmissionPlugin {
  const seconds = settings.tolerationSeconds ?? TOLERATION_SECONDS;
  return {
    name: 'DefaultTolerationSeconds',
    admit(request) {
      const pod = writtenObject(request, Pods);
      if (pod === undefined) return undefined;
      const own = pod.spec.tolerations ?? [];
      const missing = TAINTS.filter((taint) => !own.some((toleration) => tolerates(toleration, taint)));
      if (missing.length === 0) return undefined;
      const added = missing.map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: seconds,
      }));
      return { ...pod, spec: { ...pod.spec, tolerations: [...own, ...added] } };
    },
  };
}

const tolerates = ({ key = '', effect = '' }: Toleration, taint: string): boolean =>
  (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
