// Every built-in resource of Kubernetes 1.36.3 as its discovery lists them, in that order: the order of groups decides what
// an ambiguous name means. Facts of a running kube-apiserver with default settings.

/** What is below an object's path. */
export interface SubresourceFacts {
  readonly name: string;
  readonly kind: string;
  /** Set where the kind is of another group than its parent. */
  readonly of?: { readonly group: string; readonly version: string };
  readonly verbs: readonly string[];
}

export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceFacts[];
  /** What everyone who uses the kind is warned with. */
  readonly deprecation?: string;
}

type Details = Partial<Omit<ResourceFacts, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'>>;
type Row = Omit<ResourceFacts, 'group' | 'version'>;

export const ALL_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const CREATE = ['create'] as const;
const CHANGE = ['get', 'patch', 'update'] as const;
const PROXY = ['create', 'delete', 'get', 'patch', 'update'] as const;
const ALL = { categories: ['all'] } as const;
const EXTENSION = { categories: ['api-extensions'] } as const;

/** The singular is the kind in small letters wherever nothing else is said. */
const row = (plural: string, kind: string, namespaced: boolean, details: Details): Row => ({
  plural,
  kind,
  namespaced,
  singular: kind.toLowerCase(),
  verbs: ALL_VERBS,
  shortNames: [],
  categories: [],
  subresources: [],
  ...details,
});
const namespaced = (plural: string, kind: string, details: Details = {}): Row => row(plural, kind, true, details);
const cluster = (plural: string, kind: string, details: Details = {}): Row => row(plural, kind, false, details);
const short = (...shortNames: readonly string[]): Details => ({ shortNames });

const below = (name: string, kind: string, verbs: readonly string[]): SubresourceFacts => ({ name, kind, verbs });
const status = (kind: string): SubresourceFacts => below('status', kind, CHANGE);
const withStatus = (kind: string): Details => ({ subresources: [status(kind)] });
const scale: SubresourceFacts = {
  ...below('scale', 'Scale', CHANGE),
  of: { group: 'autoscaling', version: 'v1' },
};

const version = (group: string, name: string, rows: readonly Row[]): readonly ResourceFacts[] =>
  rows.map((each) => ({ group, version: name, ...each }));

const CORE = version('', 'v1', [
  namespaced('bindings', 'Binding', { verbs: CREATE }),
  cluster('componentstatuses', 'ComponentStatus', {
    ...short('cs'),
    verbs: ['get', 'list'],
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  }),
  namespaced('configmaps', 'ConfigMap', short('cm')),
  namespaced('endpoints', 'Endpoints', {
    ...short('ep'),
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  }),
  namespaced('events', 'Event', short('ev')),
  namespaced('limitranges', 'LimitRange', short('limits')),
  cluster('namespaces', 'Namespace', {
    ...short('ns'),
    verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
    subresources: [below('finalize', 'Namespace', ['update']), status('Namespace')],
  }),
  cluster('nodes', 'Node', {
    ...short('no'),
    subresources: [below('proxy', 'NodeProxyOptions', PROXY), status('Node')],
  }),
  namespaced('persistentvolumeclaims', 'PersistentVolumeClaim', {
    ...short('pvc'),
    ...withStatus('PersistentVolumeClaim'),
  }),
  cluster('persistentvolumes', 'PersistentVolume', { ...short('pv'), ...withStatus('PersistentVolume') }),
  namespaced('pods', 'Pod', {
    ...short('po'),
    ...ALL,
    subresources: [
      below('attach', 'PodAttachOptions', ['create', 'get']),
      below('binding', 'Binding', CREATE),
      below('ephemeralcontainers', 'Pod', CHANGE),
      { ...below('eviction', 'Eviction', CREATE), of: { group: 'policy', version: 'v1' } },
      below('exec', 'PodExecOptions', ['create', 'get']),
      below('log', 'Pod', ['get']),
      below('portforward', 'PodPortForwardOptions', ['create', 'get']),
      below('proxy', 'PodProxyOptions', PROXY),
      below('resize', 'Pod', CHANGE),
      status('Pod'),
    ],
  }),
  namespaced('podtemplates', 'PodTemplate'),
  namespaced('replicationcontrollers', 'ReplicationController', {
    ...short('rc'),
    ...ALL,
    subresources: [scale, status('ReplicationController')],
  }),
  namespaced('resourcequotas', 'ResourceQuota', { ...short('quota'), ...withStatus('ResourceQuota') }),
  namespaced('secrets', 'Secret'),
  namespaced('serviceaccounts', 'ServiceAccount', {
    ...short('sa'),
    subresources: [
      { ...below('token', 'TokenRequest', CREATE), of: { group: 'authentication.k8s.io', version: 'v1' } },
    ],
  }),
  namespaced('services', 'Service', {
    ...short('svc'),
    ...ALL,
    subresources: [below('proxy', 'ServiceProxyOptions', PROXY), status('Service')],
  }),
]);

const APPS = version('apps', 'v1', [
  namespaced('controllerrevisions', 'ControllerRevision'),
  namespaced('daemonsets', 'DaemonSet', { ...short('ds'), ...ALL, ...withStatus('DaemonSet') }),
  namespaced('deployments', 'Deployment', {
    ...short('deploy'),
    ...ALL,
    subresources: [scale, status('Deployment')],
  }),
  namespaced('replicasets', 'ReplicaSet', { ...short('rs'), ...ALL, subresources: [scale, status('ReplicaSet')] }),
  namespaced('statefulsets', 'StatefulSet', { ...short('sts'), ...ALL, subresources: [scale, status('StatefulSet')] }),
]);

const HORIZONTAL_POD_AUTOSCALERS = [
  namespaced('horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    ...short('hpa'),
    ...ALL,
    ...withStatus('HorizontalPodAutoscaler'),
  }),
];

const NETWORKING = version('networking.k8s.io', 'v1', [
  cluster('ingressclasses', 'IngressClass'),
  namespaced('ingresses', 'Ingress', { ...short('ing'), ...withStatus('Ingress') }),
  cluster('ipaddresses', 'IPAddress', short('ip')),
  namespaced('networkpolicies', 'NetworkPolicy', short('netpol')),
  cluster('servicecidrs', 'ServiceCIDR', withStatus('ServiceCIDR')),
]);

const RBAC = version('rbac.authorization.k8s.io', 'v1', [
  cluster('clusterrolebindings', 'ClusterRoleBinding'),
  cluster('clusterroles', 'ClusterRole'),
  namespaced('rolebindings', 'RoleBinding'),
  namespaced('roles', 'Role'),
]);

const STORAGE = version('storage.k8s.io', 'v1', [
  cluster('csidrivers', 'CSIDriver'),
  cluster('csinodes', 'CSINode'),
  namespaced('csistoragecapacities', 'CSIStorageCapacity'),
  cluster('storageclasses', 'StorageClass', short('sc')),
  cluster('volumeattachments', 'VolumeAttachment', withStatus('VolumeAttachment')),
  cluster('volumeattributesclasses', 'VolumeAttributesClass', short('vac')),
]);

const ADMISSION = version('admissionregistration.k8s.io', 'v1', [
  cluster('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', EXTENSION),
  cluster('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', EXTENSION),
  cluster('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', EXTENSION),
  cluster('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', {
    ...EXTENSION,
    ...withStatus('ValidatingAdmissionPolicy'),
  }),
  cluster('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', EXTENSION),
  cluster('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', EXTENSION),
]);

const DEVICES = version('resource.k8s.io', 'v1', [
  cluster('deviceclasses', 'DeviceClass'),
  namespaced('resourceclaims', 'ResourceClaim', withStatus('ResourceClaim')),
  namespaced('resourceclaimtemplates', 'ResourceClaimTemplate'),
  cluster('resourceslices', 'ResourceSlice'),
]);

const FLOW_CONTROL = version('flowcontrol.apiserver.k8s.io', 'v1', [
  cluster('flowschemas', 'FlowSchema', withStatus('FlowSchema')),
  cluster('prioritylevelconfigurations', 'PriorityLevelConfiguration', withStatus('PriorityLevelConfiguration')),
]);

export const BUILT_IN_RESOURCES: readonly ResourceFacts[] = [
  ...CORE,
  ...version('apiregistration.k8s.io', 'v1', [
    cluster('apiservices', 'APIService', { ...EXTENSION, ...withStatus('APIService') }),
  ]),
  ...APPS,
  ...version('events.k8s.io', 'v1', [namespaced('events', 'Event', short('ev'))]),
  ...version('authentication.k8s.io', 'v1', [
    cluster('selfsubjectreviews', 'SelfSubjectReview', { verbs: CREATE }),
    cluster('tokenreviews', 'TokenReview', { verbs: CREATE }),
  ]),
  ...version('authorization.k8s.io', 'v1', [
    namespaced('localsubjectaccessreviews', 'LocalSubjectAccessReview', { verbs: CREATE }),
    cluster('selfsubjectaccessreviews', 'SelfSubjectAccessReview', { verbs: CREATE }),
    cluster('selfsubjectrulesreviews', 'SelfSubjectRulesReview', { verbs: CREATE }),
    cluster('subjectaccessreviews', 'SubjectAccessReview', { verbs: CREATE }),
  ]),
  ...version('autoscaling', 'v2', HORIZONTAL_POD_AUTOSCALERS),
  ...version('autoscaling', 'v1', HORIZONTAL_POD_AUTOSCALERS),
  ...version('batch', 'v1', [
    namespaced('cronjobs', 'CronJob', { ...short('cj'), ...ALL, ...withStatus('CronJob') }),
    namespaced('jobs', 'Job', { ...ALL, ...withStatus('Job') }),
  ]),
  ...version('certificates.k8s.io', 'v1', [
    cluster('certificatesigningrequests', 'CertificateSigningRequest', {
      ...short('csr'),
      subresources: [below('approval', 'CertificateSigningRequest', CHANGE), status('CertificateSigningRequest')],
    }),
  ]),
  ...NETWORKING,
  ...version('policy', 'v1', [
    namespaced('poddisruptionbudgets', 'PodDisruptionBudget', {
      ...short('pdb'),
      ...withStatus('PodDisruptionBudget'),
    }),
  ]),
  ...RBAC,
  ...STORAGE,
  ...ADMISSION,
  ...version('apiextensions.k8s.io', 'v1', [
    cluster('customresourcedefinitions', 'CustomResourceDefinition', {
      ...short('crd', 'crds'),
      ...EXTENSION,
      ...withStatus('CustomResourceDefinition'),
    }),
  ]),
  ...version('scheduling.k8s.io', 'v1', [cluster('priorityclasses', 'PriorityClass', short('pc'))]),
  ...version('coordination.k8s.io', 'v1', [namespaced('leases', 'Lease')]),
  ...version('node.k8s.io', 'v1', [cluster('runtimeclasses', 'RuntimeClass')]),
  ...version('discovery.k8s.io', 'v1', [namespaced('endpointslices', 'EndpointSlice')]),
  ...DEVICES,
  ...FLOW_CONTROL,
];
