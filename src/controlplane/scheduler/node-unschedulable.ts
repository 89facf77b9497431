// kubernetes:pkg/scheduler/framework/plugins/nodeunschedulable
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type FilterPlugin, filterBy } from './plugin.ts';
import { SUCCESS, unresolvable } from './status.ts';
import { toleratesTaint } from '../../kube/toleration.ts';

/** A cordoned node is as good as tainted with this. */
export const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  preFilter: (pod) =>
    filterBy(({ node }) => {
      if (node.spec.unschedulable !== true) return SUCCESS;
      if (toleratesTaint(pod.spec.tolerations, UNSCHEDULABLE_TAINT)) return SUCCESS;
      return unresolvable('node(s) were unschedulable');
    }),
};
