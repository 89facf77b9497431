// The other roles and bindings that kube-apiserver 1.36.3 creates at its start. A rule is its verbs, groups, resources and
// names; see policy-text.ts.

export const CLUSTER_ROLES: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['* * *', '* *'],
  'system:discovery': ['get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'],
  'system:monitoring': [
    'get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz',
    'get core nodes/metrics',
  ],
  'system:basic-user': [
    'create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews',
    'create authentication.k8s.io selfsubjectreviews',
  ],
  'system:public-info-viewer': ['get /healthz,/livez,/readyz,/version,/version/'],
  admin: [],
  edit: [],
  view: [],
  'system:aggregate-to-admin': [
    'create authorization.k8s.io localsubjectaccessreviews',
    'ALL rbac.authorization.k8s.io rolebindings,roles',
  ],
  'system:aggregate-to-edit': [
    'READ core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy',
    'impersonate core serviceaccounts',
    'WRITE core pods,pods/attach,pods/exec,pods/portforward,pods/proxy',
    'create core pods/eviction',
    'WRITE core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy',
    'create core serviceaccounts/token',
    'WRITE core,events.k8s.io events',
    'WRITE apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale',
    'WRITE autoscaling horizontalpodautoscalers',
    'WRITE batch cronjobs,jobs',
    'WRITE extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale',
    'WRITE policy poddisruptionbudgets',
    'WRITE networking.k8s.io ingresses,networkpolicies',
    'ALL coordination.k8s.io leases',
    'WRITE resource.k8s.io resourceclaims,resourceclaimtemplates',
  ],
  'system:aggregate-to-view': [
    'READ core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status',
    'READ core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status',
    'READ core namespaces',
    'READ core,events.k8s.io events',
    'READ discovery.k8s.io endpointslices',
    'READ apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status',
    'READ autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status',
    'READ batch cronjobs,cronjobs/status,jobs,jobs/status',
    'READ extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale',
    'READ policy poddisruptionbudgets,poddisruptionbudgets/status',
    'READ networking.k8s.io ingresses,ingresses/status,networkpolicies',
    'READ resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates',
  ],
  'system:heapster': ['READ core events,namespaces,nodes,pods', 'READ extensions deployments'],
  'system:node': [
    'create authentication.k8s.io tokenreviews',
    'create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews',
    'READ core services',
    'create,get,list,watch core nodes',
    'patch,update core nodes/status',
    'patch,update core nodes',
    'create,patch,update core,events.k8s.io events',
    'READ core pods',
    'create,delete core pods',
    'patch,update core pods/status',
    'create core pods/eviction',
    'READ core configmaps,secrets',
    'get core persistentvolumeclaims,persistentvolumes',
    'get core endpoints',
    'create,get,list,watch certificates.k8s.io certificatesigningrequests',
    'create,delete,get,patch,update coordination.k8s.io leases',
    'get storage.k8s.io volumeattachments',
    'create core serviceaccounts/token',
    'get,patch,update core persistentvolumeclaims/status',
    'READ storage.k8s.io csidrivers',
    'create,delete,get,patch,update storage.k8s.io csinodes',
    'READ node.k8s.io runtimeclasses',
    'get resource.k8s.io resourceclaims',
    'deletecollection resource.k8s.io resourceslices',
    'get core serviceaccounts',
  ],
  'system:node-problem-detector': [
    'get core nodes',
    'patch core nodes/status',
    'create,patch,update core,events.k8s.io events',
  ],
  'system:node-bootstrapper': ['create,get,list,watch certificates.k8s.io certificatesigningrequests'],
  'system:auth-delegator': [
    'create authentication.k8s.io tokenreviews',
    'create authorization.k8s.io subjectaccessreviews',
  ],
  'system:kube-aggregator': ['READ core endpoints,services'],
  'system:kube-controller-manager': [
    'create,patch,update core,events.k8s.io events',
    'create coordination.k8s.io leases',
    'get,update coordination.k8s.io leases kube-controller-manager',
    'create core secrets,serviceaccounts',
    'delete core secrets',
    'get core configmaps,namespaces,secrets,serviceaccounts',
    'update core secrets,serviceaccounts',
    'create authentication.k8s.io tokenreviews',
    'create authorization.k8s.io subjectaccessreviews',
    'list,watch * *',
    'create core serviceaccounts/token',
  ],
  'system:kube-dns': ['list,watch core endpoints,services'],
  'system:persistent-volume-provisioner': [
    'create,delete,get,list,watch core persistentvolumes',
    'get,list,update,watch core persistentvolumeclaims',
    'READ storage.k8s.io storageclasses',
    'watch core events',
    'create,patch,update core,events.k8s.io events',
  ],
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': [
    'create certificates.k8s.io certificatesigningrequests/nodeclient',
  ],
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': [
    'create certificates.k8s.io certificatesigningrequests/selfnodeclient',
  ],
  'system:volume-scheduler': [
    'get,list,patch,update,watch core persistentvolumes',
    'READ storage.k8s.io storageclasses',
    'get,list,patch,update,watch core persistentvolumeclaims',
  ],
  'system:certificates.k8s.io:legacy-unknown-approver': [
    'approve certificates.k8s.io signers kubernetes.io/legacy-unknown',
  ],
  'system:certificates.k8s.io:kubelet-serving-approver': [
    'approve certificates.k8s.io signers kubernetes.io/kubelet-serving',
  ],
  'system:certificates.k8s.io:kube-apiserver-client-approver': [
    'approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client',
  ],
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': [
    'approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet',
  ],
  'system:service-account-issuer-discovery': [
    'get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/',
  ],
  'system:kubelet-api-admin': [
    'READ core nodes',
    'proxy core nodes',
    '* core nodes/log,nodes/metrics,nodes/proxy,nodes/stats',
    '* core nodes/configz,nodes/healthz,nodes/pods',
  ],
  'system:node-proxier': [
    'list,watch core endpoints,services',
    'READ core nodes',
    'create,patch,update core,events.k8s.io events',
    'list,watch networking.k8s.io servicecidrs',
    'list,watch discovery.k8s.io endpointslices',
  ],
  'system:kube-scheduler': [
    'create,patch,update core,events.k8s.io events',
    'create coordination.k8s.io leases',
    'get,list,update,watch coordination.k8s.io leases kube-scheduler',
    'ALL coordination.k8s.io leasecandidates',
    'READ core nodes',
    'delete,get,list,watch core pods',
    'create core bindings,pods/binding',
    'patch,update core pods/status',
    'READ core replicationcontrollers,services',
    'READ apps,extensions replicasets',
    'READ apps statefulsets',
    'READ policy poddisruptionbudgets',
    'READ core persistentvolumeclaims,persistentvolumes',
    'create authentication.k8s.io tokenreviews',
    'create authorization.k8s.io subjectaccessreviews',
    'READ storage.k8s.io csinodes',
    'READ storage.k8s.io volumeattachments',
    'READ core namespaces',
    'READ storage.k8s.io csidrivers',
    'READ storage.k8s.io csistoragecapacities',
    'READ resource.k8s.io deviceclasses',
    'get,list,patch,update,watch resource.k8s.io resourceclaims',
    'get,list,patch,update,watch resource.k8s.io resourceclaims/status',
    'update core pods/finalizers',
    'READ resource.k8s.io resourceslices',
    'create,delete resource.k8s.io resourceclaims',
    'patch,update resource.k8s.io resourceclaims/binding',
  ],
};

/** Roles whose rules a controller gathers from the roles with a label. They begin with none. */
export const AGGREGATED_ROLES: ReadonlySet<string> = new Set(['admin', 'edit', 'view']);

/** Roles by the role that gathers them. */
export const AGGREGATES: Readonly<Record<string, string>> = {
  edit: 'admin',
  view: 'edit',
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

/** Each binds the cluster role of its own name. */
export const CLUSTER_ROLE_BINDINGS: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['Group system:masters'],
  'system:monitoring': ['Group system:monitoring'],
  'system:discovery': ['Group system:authenticated'],
  'system:basic-user': ['Group system:authenticated'],
  'system:public-info-viewer': ['Group system:authenticated', 'Group system:unauthenticated'],
  'system:node-proxier': ['User system:kube-proxy'],
  'system:kube-controller-manager': ['User system:kube-controller-manager'],
  'system:kube-dns': ['ServiceAccount kube-system/kube-dns'],
  'system:kube-scheduler': ['User system:kube-scheduler'],
  'system:volume-scheduler': ['User system:kube-scheduler'],
  'system:node': [],
  'system:service-account-issuer-discovery': ['Group system:serviceaccounts'],
};

export const ROLES: Readonly<Record<string, readonly string[]>> = {
  'kube-system/extension-apiserver-authentication-reader': ['READ core configmaps extension-apiserver-authentication'],
  'kube-system/system:controller:bootstrap-signer': ['READ core secrets'],
  'kube-system/system:controller:cloud-provider': ['create,get,list,watch core configmaps'],
  'kube-system/system:controller:token-cleaner': [
    'delete,get,list,watch core secrets',
    'create,patch,update core,events.k8s.io events',
  ],
  'kube-system/system::leader-locking-kube-controller-manager': [
    'create,get,list,update,watch coordination.k8s.io leases',
    'create,get,list,update,watch coordination.k8s.io leasecandidates',
  ],
  'kube-system/system::leader-locking-kube-scheduler': [
    'create,get,list,update,watch coordination.k8s.io leases',
    'create,get,list,update,watch coordination.k8s.io leasecandidates',
  ],
  'kube-public/system:controller:bootstrap-signer': [
    'READ core configmaps',
    'update core configmaps cluster-info',
    'create,patch,update core,events.k8s.io events',
  ],
};

export const ROLE_BINDINGS: Readonly<Record<string, { readonly role: string; readonly subjects: readonly string[] }>> =
  {
    'kube-system/system::extension-apiserver-authentication-reader': {
      role: 'extension-apiserver-authentication-reader',
      subjects: ['User system:kube-controller-manager', 'User system:kube-scheduler'],
    },
    'kube-system/system::leader-locking-kube-controller-manager': {
      role: 'system::leader-locking-kube-controller-manager',
      subjects: [
        'User system:kube-controller-manager',
        'ServiceAccount kube-system/kube-controller-manager',
        'ServiceAccount kube-system/leader-election-controller',
      ],
    },
    'kube-system/system::leader-locking-kube-scheduler': {
      role: 'system::leader-locking-kube-scheduler',
      subjects: ['User system:kube-scheduler', 'ServiceAccount kube-system/kube-scheduler'],
    },
    'kube-system/system:controller:bootstrap-signer': {
      role: 'system:controller:bootstrap-signer',
      subjects: ['ServiceAccount kube-system/bootstrap-signer'],
    },
    'kube-system/system:controller:cloud-provider': {
      role: 'system:controller:cloud-provider',
      subjects: ['ServiceAccount kube-system/cloud-provider'],
    },
    'kube-system/system:controller:token-cleaner': {
      role: 'system:controller:token-cleaner',
      subjects: ['ServiceAccount kube-system/token-cleaner'],
    },
    'kube-public/system:controller:bootstrap-signer': {
      role: 'system:controller:bootstrap-signer',
      subjects: ['ServiceAccount kube-system/bootstrap-signer'],
    },
  };
