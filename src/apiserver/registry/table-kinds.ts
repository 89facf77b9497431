// Kinds outside the storage chain: stored, listed, watched and patched as they come, so that real controllers find the kinds
// of all their informers. What their strategies upstream say about names, versions and deletion is here; their fields are not
// checked. kubernetes:pkg/registry/*/*/strategy.go
import { assert } from '../../base/assert.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { MessageSchema } from '../../kube/schema.ts';
import { SchemaMessages, messageName } from '../../kube/schema-table-messages.ts';
import { BUILT_IN_RESOURCES, type ResourceFacts } from '../../kube/schema-table.ts';
import type { StoredObject } from './generic-call.ts';
import { genericStrategy } from './generic-strategy.ts';
import type { Strategy } from './strategy.ts';
import {
  defaultCronJob,
  defaultDaemonSet,
  defaultJob,
  defaultReplicationController,
  withSelector,
} from './table-workloads.ts';

type Traits = Partial<Omit<Strategy, 'resource'>>;

const UNCONDITIONAL: Traits = { requiresResourceVersion: false };
const WITHOUT_GENERATION: Traits = { ...UNCONDITIONAL, hasGeneration: false };
const CREATES_ON_UPDATE: Traits = { ...WITHOUT_GENERATION, createsOnUpdate: true };
const ROLE: Traits = { ...CREATES_ON_UPDATE, nameRule: 'path-segment' };
const DEVICES: Traits = { ...UNCONDITIONAL, answersDeletedObject: true };

/** What differs from a custom resource, by plural. Kinds that are not here have a generation and want a resourceVersion. */
const TRAITS: Readonly<Record<string, Traits>> = {
  endpoints: CREATES_ON_UPDATE,
  limitranges: CREATES_ON_UPDATE,
  podtemplates: { ...UNCONDITIONAL, answersDeletedObject: true },
  replicationcontrollers: {
    ...UNCONDITIONAL,
    applyDefaults: defaultReplicationController,
    fieldSelectors: { 'status.replicas': (object) => countAt(object, 'status', 'replicas') },
  },
  daemonsets: { ...UNCONDITIONAL, applyDefaults: defaultDaemonSet },
  horizontalpodautoscalers: WITHOUT_GENERATION,
  cronjobs: { ...UNCONDITIONAL, applyDefaults: defaultCronJob },
  jobs: {
    ...UNCONDITIONAL,
    applyDefaults: defaultJob,
    prepareForCreate: withSelector,
    fieldSelectors: { 'status.successful': (object) => countAt(object, 'status', 'succeeded') },
    unknownField: (field) => `field label "${field}" not supported for Job`,
  },
  certificatesigningrequests: {
    ...WITHOUT_GENERATION,
    fieldSelectors: { 'spec.signerName': (object) => textAt(object, 'spec', 'signerName') },
  },
  ingressclasses: UNCONDITIONAL,
  ingresses: UNCONDITIONAL,
  ipaddresses: { ...WITHOUT_GENERATION, nameRule: 'path-segment' },
  networkpolicies: UNCONDITIONAL,
  servicecidrs: WITHOUT_GENERATION,
  clusterrolebindings: ROLE,
  clusterroles: { ...ROLE, applyDefaults: withRules },
  rolebindings: ROLE,
  roles: { ...ROLE, applyDefaults: withRules },
  priorityclasses: {
    ...UNCONDITIONAL,
    applyDefaults: (object) => ({ preemptionPolicy: 'PreemptLowerPriority', ...object }),
  },
  runtimeclasses: { hasGeneration: false, createsOnUpdate: true },
  endpointslices: UNCONDITIONAL,
  deviceclasses: DEVICES,
  resourceclaims: { ...DEVICES, hasGeneration: false },
  resourceclaimtemplates: { ...DEVICES, hasGeneration: false },
  resourceslices: {
    ...DEVICES,
    fieldSelectors: {
      'spec.driver': (object) => textAt(object, 'spec', 'driver'),
      'spec.nodeName': (object) => textAt(object, 'spec', 'nodeName'),
    },
    unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  },
  flowschemas: { ...UNCONDITIONAL, nameRule: 'path-segment' },
  prioritylevelconfigurations: { ...UNCONDITIONAL, nameRule: 'path-segment' },
  apiservices: { hasGeneration: false },
};

function fieldAt(object: KubeObject, part: string, field: string): unknown {
  const value = (object as StoredObject)[part];
  return isJsonObject(value) ? value[field] : undefined;
}

function countAt(object: KubeObject, part: string, field: string): string {
  const value = fieldAt(object, part, field);
  return typeof value === 'number' ? String(value) : '0';
}

function textAt(object: KubeObject, part: string, field: string): string {
  const value = fieldAt(object, part, field);
  return typeof value === 'string' ? value : '';
}

/** Strategies for all stored built-in kinds that have none of their own. Of a kind with several versions the first is served. */
export function tableStrategies(own: readonly Strategy[]): readonly Strategy[] {
  const messages = new SchemaMessages();
  const taken = new Set(['events.events.k8s.io', ...own.map(({ resource }) => nameOf(resource))]);
  const strategies: Strategy[] = [];
  for (const facts of BUILT_IN_RESOURCES) {
    if (!facts.verbs.includes('update') || taken.has(nameOf(facts))) continue;
    taken.add(nameOf(facts));
    strategies.push(strategyOf(facts, messages.find(messageName(facts))));
  }
  return strategies;
}

const nameOf = ({ plural, group }: { readonly plural: string; readonly group: string }): string => `${plural}.${group}`;

function strategyOf(facts: ResourceFacts, schema: MessageSchema | undefined): Strategy {
  const { group, version, plural, kind, namespaced, subresources } = facts;
  assert(schema !== undefined, `the table of messages has ${kind}`);
  const resource: Resource<KubeObject> = { group, version, plural, kind, namespaced, schema };
  return genericStrategy(resource, {
    hasStatus: subresources.some(({ name }) => name === 'status'),
    ...TRAITS[plural],
  });
}

/** A role always shows its rules, none as null. */
function withRules(object: KubeObject): KubeObject {
  const { rules } = object as StoredObject;
  return {
    ...object,
    rules: Array.isArray(rules) && rules.length > 0 ? (rules as readonly unknown[]) : null,
  } as KubeObject;
}
