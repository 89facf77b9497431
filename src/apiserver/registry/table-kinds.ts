// Kinds outside the storage chain: stored, listed, watched and patched by the schemas of the published types, so that real
// controllers find the kinds of all their informers. What their strategies upstream say about names, versions and deletion is
// here; their defaults and rules are in the files `table-*.ts`. kubernetes:pkg/registry/*/*/strategy.go
import { assert } from '../../base/assert.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { builtInSchema } from '../../kube/schema-table-messages.ts';
import { BUILT_IN_RESOURCES, type ResourceFacts } from '../../kube/schema-table.ts';
import { certificateRequestTraits } from './certificate-request.ts';
import { genericStrategy } from './generic-strategy.ts';
import type { Strategy } from './strategy.ts';
import { autoscalerStrategy } from './table-autoscalers.ts';
import {
  deviceClassTraits,
  flowSchemaTraits,
  policyBindingTraits,
  priorityClassTraits,
  priorityLevelTraits,
  resourceClaimTemplateTraits,
  resourceClaimTraits,
  resourceSliceTraits,
  runtimeClassTraits,
} from './table-cluster-kinds.ts';
import { cronJobTraits, jobTraits } from './table-jobs.ts';
import { CLUSTER_ROLE_BINDING_RULES, CLUSTER_ROLE_RULES, ROLE_BINDING_RULES, ROLE_RULES } from './table-roles.ts';
import { limitRangeTraits } from './table-limits.ts';
import {
  endpointSliceTraits,
  endpointsTraits,
  ingressClassTraits,
  ingressTraits,
  networkPolicyTraits,
} from './table-networking.ts';
import { daemonSetTraits, podTemplateTraits, replicationControllerTraits } from './table-workloads.ts';

type Traits = Partial<Strategy>;

const UNCONDITIONAL: Traits = { requiresResourceVersion: false };
const WITHOUT_GENERATION: Traits = { ...UNCONDITIONAL, hasGeneration: false };
const ROLE: Traits = { ...WITHOUT_GENERATION, createsOnUpdate: true, nameRule: 'path-segment' };

/** What differs from a custom resource, by plural. Kinds that are not here have a generation and want a resourceVersion. */
const TRAITS: Readonly<Record<string, Traits>> = {
  endpoints: endpointsTraits,
  limitranges: limitRangeTraits,
  podtemplates: podTemplateTraits,
  replicationcontrollers: replicationControllerTraits,
  daemonsets: daemonSetTraits,
  cronjobs: cronJobTraits,
  jobs: jobTraits,
  certificatesigningrequests: certificateRequestTraits,
  ingressclasses: ingressClassTraits,
  ingresses: ingressTraits,
  ipaddresses: { ...WITHOUT_GENERATION, nameRule: 'path-segment' },
  networkpolicies: networkPolicyTraits,
  servicecidrs: WITHOUT_GENERATION,
  clusterrolebindings: { ...ROLE, ...CLUSTER_ROLE_BINDING_RULES },
  clusterroles: { ...ROLE, ...CLUSTER_ROLE_RULES },
  rolebindings: { ...ROLE, ...ROLE_BINDING_RULES },
  roles: { ...ROLE, ...ROLE_RULES },
  priorityclasses: priorityClassTraits,
  runtimeclasses: runtimeClassTraits,
  endpointslices: endpointSliceTraits,
  deviceclasses: deviceClassTraits,
  resourceclaims: resourceClaimTraits,
  resourceclaimtemplates: resourceClaimTemplateTraits,
  resourceslices: resourceSliceTraits,
  flowschemas: flowSchemaTraits,
  prioritylevelconfigurations: priorityLevelTraits,
  validatingadmissionpolicybindings: policyBindingTraits,
  apiservices: { hasGeneration: false },
};

const AS_CHANGE: Traits = { metadataChecks: { update: ['update'] } };
const AS_NEW: Traits = { metadataChecks: { update: ['object'] } };
const AS_NEW_AND_CHANGE: Traits = { metadataChecks: { update: ['object', 'update'] } };
const AS_NEW_UNQUALIFIED: Traits = { metadataChecks: { update: ['object-unqualified'] } };

/** How the metadata of updates is looked at, where it is not as usual. */
const METADATA_CHECKS: Readonly<Record<string, Traits>> = {
  cronjobs: { metadataChecks: { update: ['update'], status: [] } },
  daemonsets: AS_CHANGE,
  networkpolicies: AS_CHANGE,
  podtemplates: AS_CHANGE,
  priorityclasses: AS_CHANGE,
  replicationcontrollers: AS_CHANGE,
  servicecidrs: AS_CHANGE,
  endpointslices: AS_NEW,
  flowschemas: AS_NEW,
  limitranges: AS_NEW,
  prioritylevelconfigurations: AS_NEW,
  clusterrolebindings: AS_NEW_AND_CHANGE,
  clusterroles: AS_NEW_AND_CHANGE,
  deviceclasses: AS_NEW_AND_CHANGE,
  ipaddresses: AS_NEW_AND_CHANGE,
  jobs: AS_NEW_AND_CHANGE,
  resourceclaims: AS_NEW_AND_CHANGE,
  rolebindings: AS_NEW_AND_CHANGE,
  roles: AS_NEW_AND_CHANGE,
  mutatingwebhookconfigurations: AS_NEW_UNQUALIFIED,
  validatingwebhookconfigurations: AS_NEW_UNQUALIFIED,
  apiservices: { metadataChecks: { update: ['update-unqualified', 'object-unqualified'] } },
  runtimeclasses: { metadataChecks: { update: ['object-unqualified', 'update-unqualified'] } },
};

/** Kinds whose labels and the like can be written through `/status` too. */
const STATUS_WITH_METADATA: ReadonlySet<string> = new Set([
  'cronjobs',
  'daemonsets',
  'ingresses',
  'jobs',
  'replicationcontrollers',
]);
const WITH_METADATA: Traits = { prepareForStatusUpdate: (object) => object };

/** Strategies for all stored built-in kinds that have none of their own. Of a kind with several versions the first is served. */
export function tableStrategies(own: readonly Strategy[]): readonly Strategy[] {
  const taken = new Set(['events.events.k8s.io', ...own.map(({ resource }) => nameOf(resource))]);
  const strategies: Strategy[] = [];
  for (const facts of BUILT_IN_RESOURCES) {
    if (!facts.verbs.includes('update') || taken.has(nameOf(facts))) continue;
    taken.add(nameOf(facts));
    strategies.push(strategyOf(facts));
  }
  return strategies;
}

const nameOf = ({ plural, group }: { readonly plural: string; readonly group: string }): string => `${plural}.${group}`;

function strategyOf(facts: ResourceFacts): Strategy {
  const { group, version, plural, kind, namespaced, subresources } = facts;
  if (plural === autoscalerStrategy.resource.plural) return autoscalerStrategy;
  const schema = builtInSchema(facts);
  assert(schema !== undefined, `the table of messages has ${kind}`);
  const resource: Resource<KubeObject> = { group, version, plural, kind, namespaced, schema };
  return genericStrategy(resource, {
    hasStatus: subresources.some(({ name }) => name === 'status'),
    ...(STATUS_WITH_METADATA.has(plural) ? WITH_METADATA : {}),
    ...METADATA_CHECKS[plural],
    ...TRAITS[plural],
  });
}
