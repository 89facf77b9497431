// kubernetes:pkg/scheduler/framework/plugins/tainttoleration
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type FilterPlugin, filterBy } from './plugin.ts';
import type { Profile } from './profile.ts';
import { SUCCESS, unresolvable } from './status.ts';
import { untoleratedTaint } from '../../kube/toleration.ts';

export const taintToleration = (profile: Profile): FilterPlugin => ({
  name: 'TaintToleration',
  preFilter: (pod) =>
    filterBy(({ node }) => {
      const taint = untoleratedTaint(node.spec.taints, pod.spec.tolerations);
      return taint === undefined ? SUCCESS : unresolvable(textOf(taint, profile));
    }),
});

function textOf(taint: Taint, profile: Profile): string {
  if (!profile.namesUntoleratedTaint) return 'node(s) had untolerated taint(s)';
  return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}
