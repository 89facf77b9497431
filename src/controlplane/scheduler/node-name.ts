// kubernetes:pkg/scheduler/framework/plugins/nodename
import { type FilterPlugin, SKIP, filterBy } from './plugin.ts';
import { SUCCESS, unresolvable } from './status.ts';

export const nodeName: FilterPlugin = {
  name: 'NodeName',
  preFilter: (pod) => {
    const wanted = pod.spec.nodeName ?? '';
    if (wanted === '') return SKIP;
    return filterBy(({ name }) =>
      name === wanted ? SUCCESS : unresolvable("node(s) didn't match the requested node name"),
    );
  },
};
