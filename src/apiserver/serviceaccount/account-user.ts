// How a service account is called as a user. kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go
import { faultsOfLabel, faultsOfSubdomain } from '../../kube/names.ts';

const PREFIX = 'system:serviceaccount:';

export const accountUserName = (namespace: string, name: string): string => `${PREFIX}${namespace}:${name}`;

/** The groups of all accounts of a namespace. */
export const accountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The account that a user name is of; undefined for all other names. */
export function accountOfUser(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(PREFIX.length).split(':');
  const isProper = faultsOfLabel(namespace).length === 0 && faultsOfSubdomain(name).length === 0;
  return more.length === 0 && isProper ? { namespace, name } : undefined;
}
