// kubernetes:plugin/pkg/admission/nodetaint/admission.go
import { Nodes } from '../../kube/resources/node.ts';
import type { AdmissionPlugin } from './admission.ts';
import { writtenObject } from './written-object.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods until the node controller has seen it ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  admit(request) {
    const node = request.operation === 'CREATE' ? writtenObject(request, Nodes) : undefined;
    if (node === undefined) return undefined;
    const taints = node.spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return undefined;
    return { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } };
  },
};
