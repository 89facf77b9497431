// Ready-made identities of a server: a kubeconfig for each, and the roles that those need who are not of Kubernetes itself.
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type CertificateAuthority, writeOwned } from '../apiserver/http/certificates/authority.ts';
import { kubeconfig } from '../apiserver/http/kubeconfig.ts';
import type { ExpectedObject } from '../apiserver/expected-objects.ts';
import { clusterRole, clusterRoleBinding } from '../apiserver/rbac/bootstrap-policy.ts';
import { CONTROLLER_ROLES } from '../apiserver/rbac/controller-roles.ts';
import { AUTHENTICATED, type User } from '../apiserver/authorization.ts';
import type { InstantMs } from '../base/clock.ts';
import { accountOf, kubeletOf } from '../worlds/component-user.ts';

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

const ADMIN: Identity = { user: 'mooring-admin', groups: ['system:masters'] };
const VIEWERS = 'mooring:viewer';
const SYSTEM_NAMESPACE = 'kube-system';

const identityOf = ({ name, groups }: User): Identity => ({ user: name, groups });

/** By the name of their file. */
function identities(): Readonly<Record<string, Identity>> {
  const components = [...Object.keys(CONTROLLER_ROLES), ...Object.keys(SIDECAR_RULES)];
  return {
    admin: ADMIN,
    viewer: { user: 'mooring-viewer', groups: [VIEWERS] },
    'kube-controller-manager': { user: 'system:kube-controller-manager', groups: [] },
    'kube-scheduler': { user: 'system:kube-scheduler', groups: [] },
    ...Object.fromEntries(components.map((name) => [name, identityOf(accountOf(name))])),
  };
}

/** All of the core but secrets: who looks on must not learn them. */
const SEEN_IN_CORE = [
  'bindings,componentstatuses,configmaps,endpoints,events,limitranges,namespaces,namespaces/status,nodes,nodes/status',
  'persistentvolumeclaims,persistentvolumeclaims/status,persistentvolumes,persistentvolumes/status',
  'pods,pods/log,pods/status,podtemplates,replicationcontrollers,replicationcontrollers/status',
  'resourcequotas,resourcequotas/status,serviceaccounts,services,services/status',
].join(',');
const SEEN_GROUPS = [
  'admissionregistration.k8s.io,apiextensions.k8s.io,apiregistration.k8s.io,apps,autoscaling,batch,certificates.k8s.io',
  'coordination.k8s.io,discovery.k8s.io,events.k8s.io,flowcontrol.apiserver.k8s.io,metrics.k8s.io,networking.k8s.io',
  'node.k8s.io,policy',
  'chaos.mooring.dev,rbac.authorization.k8s.io,resource.k8s.io,scheduling.k8s.io,snapshot.storage.k8s.io,storage.k8s.io',
].join(',');

const EVENTS = 'create,get,list,patch,update,watch core,events.k8s.io events';
const LEASES = 'create,delete,get,list,patch,update,watch coordination.k8s.io leases';

/** kubernetes-csi/external-{provisioner,attacher,resizer,snapshotter}:deploy/kubernetes */
const SIDECAR_RULES: Readonly<Record<string, readonly string[]>> = {
  'csi-provisioner': [
    'create,delete,get,list,patch,update,watch core persistentvolumes',
    'get,list,update,watch core persistentvolumeclaims',
    'READ core nodes,pods,secrets',
    'READ storage.k8s.io storageclasses,csinodes,volumeattachments,volumeattributesclasses',
    'create,delete,get,list,patch,update,watch storage.k8s.io csistoragecapacities',
    'READ snapshot.storage.k8s.io volumesnapshots,volumesnapshotcontents',
    'get apps replicasets,statefulsets',
    EVENTS,
    LEASES,
  ],
  'csi-attacher': [
    'get,list,patch,watch core persistentvolumes',
    'READ core nodes,secrets',
    'READ storage.k8s.io csinodes',
    'get,list,patch,watch storage.k8s.io volumeattachments',
    'patch storage.k8s.io volumeattachments/status',
    EVENTS,
    LEASES,
  ],
  'csi-resizer': [
    'get,list,patch,watch core persistentvolumes',
    'READ core persistentvolumeclaims,pods,secrets',
    'patch core persistentvolumeclaims/status',
    'READ storage.k8s.io storageclasses,volumeattributesclasses',
    EVENTS,
    LEASES,
  ],
  'csi-snapshotter': [
    'READ core secrets',
    'READ snapshot.storage.k8s.io volumesnapshotclasses',
    'get,list,patch,update,watch snapshot.storage.k8s.io volumesnapshotcontents',
    'patch,update snapshot.storage.k8s.io volumesnapshotcontents/status',
    EVENTS,
    LEASES,
  ],
};

/** Whom the server sees when faults are begun and ended. */
export const CHAOS: User = { ...accountOf('chaos'), groups: [...accountOf('chaos').groups, AUTHENTICATED] };
const CHAOS_RULES = [
  'delete,get,list,watch chaos.mooring.dev faults',
  'update chaos.mooring.dev faults/status',
  'get core nodes',
  EVENTS,
];

/** Roles and bindings of the identities, as the policy that every server reconciles. */
export function identityPolicy(): readonly ExpectedObject[] {
  const sidecars = Object.entries(SIDECAR_RULES).flatMap(([name, rules]) => [
    clusterRole(`mooring:${name}`, rules),
    clusterRoleBinding(`mooring:${name}`, [`ServiceAccount ${SYSTEM_NAMESPACE}/${name}`]),
  ]);
  return [
    clusterRole(VIEWERS, [`READ core ${SEEN_IN_CORE}`, `READ ${SEEN_GROUPS} *`, 'get *']),
    clusterRoleBinding(VIEWERS, [`Group ${VIEWERS}`]),
    clusterRole('mooring:chaos', CHAOS_RULES),
    clusterRoleBinding('mooring:chaos', [`ServiceAccount ${SYSTEM_NAMESPACE}/chaos`]),
    ...sidecars,
  ];
}

export interface IdentityOptions {
  readonly authority: CertificateAuthority;
  /** `https://127.0.0.1:6443` */
  readonly address: string;
  readonly directory: string;
  /** Each gets an identity for its kubelet. */
  readonly nodes: readonly string[];
  /** Where the administrator's kubeconfig goes besides. */
  readonly kubeconfigs: readonly string[];
  readonly now: InstantMs;
}

/** Writes them all, each whole or not at all; the administrator's last, since it is what others wait for. */
export function writeIdentities({ authority, address, directory, nodes, kubeconfigs, now }: IdentityOptions): void {
  const folder = path.join(directory, 'identities');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const textOf = ({ user, groups }: Identity): string => {
    const pair = authority.issue({ commonName: user, organizations: groups }, { type: 'client' }, now);
    return kubeconfig(address, authority.certificate, pair, user);
  };
  for (const [name, identity] of Object.entries(identities()))
    writeOwned(path.join(folder, `${name}.kubeconfig`), textOf(identity));
  for (const node of nodes)
    writeOwned(path.join(folder, `kubelet-${node}.kubeconfig`), textOf(identityOf(kubeletOf(node))));
  const admin = textOf(ADMIN);
  for (const file of kubeconfigs) writeOwned(file, admin);
}
