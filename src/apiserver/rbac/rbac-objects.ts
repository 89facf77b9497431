import type { PolicyRule } from '../../kube/resources/cluster-role.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Role extends KubeObject {
  /** null where there are none. */
  readonly rules?: readonly PolicyRule[] | null;
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

const kind = <T extends KubeObject>(plural: string, name: string, namespaced: boolean): Resource<T> => ({
  group: RBAC_GROUP,
  version: 'v1',
  plural,
  kind: name,
  namespaced,
});

export const Roles = kind<Role>('roles', 'Role', true);
export const RoleBindings = kind<Binding>('rolebindings', 'RoleBinding', true);
export const ClusterRoleBindings = kind<Binding>('clusterrolebindings', 'ClusterRoleBinding', false);
