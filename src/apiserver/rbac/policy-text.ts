// Rules and subjects as words: `get,list core pods,pods/status`, `READ apps deployments my-app`, `get /livez,/version`,
// `Group system:masters`, `ServiceAccount kube-system/job-controller`.
import type { PolicyRule } from '../../kube/resources/cluster-role.ts';
import { RBAC_GROUP, type Subject } from './rbac-objects.ts';

/** `core` stands for the group without a name; these stand for verbs that often come together. */
const VERBS: Readonly<Record<string, string>> = {
  ALL: 'create,delete,deletecollection,get,list,patch,update,watch',
  WRITE: 'create,delete,deletecollection,patch,update',
  READ: 'get,list,watch',
};

export function ruleOf(text: string): PolicyRule {
  const [given = '', second = '', resources, names] = text.split(' ');
  const verbs = (VERBS[given] ?? given).split(',');
  if (resources === undefined) return { verbs, nonResourceURLs: second.split(',') };
  return {
    verbs,
    apiGroups: second.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(','),
    ...(names === undefined ? {} : { resourceNames: names.split(',') }),
  };
}

export function subjectOf(text: string): Subject {
  const space = text.indexOf(' ');
  const [kind, name] = [text.slice(0, space), text.slice(space + 1)];
  if (kind !== 'ServiceAccount') return { kind, apiGroup: RBAC_GROUP, name };
  const [namespace = '', account = ''] = name.split('/');
  return { kind, name: account, namespace };
}
