// Whom the server sees when a component asks: the user to whom upstream binds the rights that the component needs.
import { AUTHENTICATED, type User } from '../apiserver/authorization.ts';
import { unreachable } from '../base/assert.ts';
import type { Placed } from './components.ts';

const SYSTEM_NAMESPACE = 'kube-system';

/** A service account of kube-system. */
export const accountOf = (name: string): User => ({
  name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`],
});

export const kubeletOf = (node: string): User => ({ name: `system:node:${node}`, groups: ['system:nodes'] });

/**
 * Controllers whose account has another name than they have themselves.
 * kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go
 */
const ACCOUNTS: Readonly<Record<string, string>> = {
  'daemonset-controller': 'daemon-set-controller',
  'persistentvolume-controller': 'persistent-volume-binder',
  'node-lifecycle-controller': 'node-controller',
  'taint-eviction-controller': 'node-controller',
  'pod-garbage-collector-controller': 'pod-garbage-collector',
  'persistentvolumeclaim-protection-controller': 'pvc-protection-controller',
  'persistentvolume-protection-controller': 'pv-protection-controller',
  'garbage-collector-controller': 'generic-garbage-collector',
};

/** As whom the controllers of one manager fill their caches. */
export const MANAGER: User = { name: 'system:kube-controller-manager', groups: [AUTHENTICATED] };

export function userOf(placed: Placed): User {
  const { name, groups } = accountedUser(placed);
  return { name, groups: [...groups, AUTHENTICATED] };
}

function accountedUser({ component, program, node = '' }: Placed): User {
  switch (program) {
    case 'kube-controller-manager':
      return accountOf(ACCOUNTS[component.name] ?? component.name);
    case 'kube-scheduler':
      return { name: 'system:kube-scheduler', groups: [] };
    case 'csi-provisioner':
    case 'csi-attacher':
    case 'csi-resizer':
      return accountOf(program);
    case 'kubelet':
      return kubeletOf(node);
    default:
      return unreachable(program);
  }
}
