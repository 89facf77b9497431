// Where a volume may be and where it should be: `accessibility_requirements` of CreateVolume. Pure; what was found out
// for a claim once is remembered by the caller and handed in again, so that a retry repeats the identical request even
// if the node was deleted meanwhile. external-provisioner:pkg/controller/topology.go
import type { StringMap, TopologyRequirement } from '../../csi/driver.ts';
import type { TopologySelectorTerm } from '../../kube/resources/node-selector.ts';
import { preferredOffset } from './preferred-offset.ts';
import {
  type TopologyTerm,
  flatten,
  isSubset,
  sortedTerms,
  termOfLabels,
  termText,
  termsText,
  toTopology,
} from './topology-term.ts';

/** What the cluster looks like to one driver. */
export interface TopologyCluster {
  /** Topology keys the driver registered on a node; undefined if the node has no CSINode. */
  keysOnNode(nodeName: string): readonly string[] | undefined;
  /** Keys of any node that has some; for claims without a chosen node. */
  keysAnywhere(): readonly string[];
  labelsOfNode(nodeName: string): StringMap | undefined;
  /** Of all nodes. */
  allLabels(): Iterable<StringMap>;
}
/** What was found out for one claim. */
export interface TopologyMemory {
  readonly keys?: readonly string[];
  readonly nodeLabels?: StringMap;
  readonly terms?: readonly TopologyTerm[];
}
export interface TopologyFacts {
  readonly claimName: string;
  readonly allowedTopologies: readonly TopologySelectorTerm[];
  /** Empty for immediate binding. */
  readonly selectedNode: string;
  readonly strict: boolean;
  readonly immediate: boolean;
  readonly cluster: TopologyCluster;
  readonly memory: TopologyMemory;
}
export type TopologyDecision = { readonly memory: TopologyMemory } & (
  | { readonly type: 'require'; readonly requirement: TopologyRequirement }
  | { readonly type: 'anywhere' }
  /** The node, or its CSINode, is gone: the scheduler must choose anew. */
  | { readonly type: 'reschedule'; readonly message: string }
  | { readonly type: 'wrong'; readonly message: string }
);

type Selected =
  | { readonly type: 'selected'; readonly term: TopologyTerm; readonly memory: TopologyMemory }
  | Extract<TopologyDecision, { type: 'reschedule' | 'wrong' }>;

export function decideTopology(facts: TopologyFacts): TopologyDecision {
  if (facts.selectedNode === '') return withoutNode(facts);
  const selected = selectedTerm(facts);
  if (selected.type !== 'selected') return selected;
  return facts.strict ? strictly(facts, selected.term, selected.memory) : around(facts, selected.term, selected.memory);
}

function withoutNode(facts: TopologyFacts): TopologyDecision {
  const { allowedTopologies, immediate, memory } = facts;
  if (allowedTopologies.length === 0 && !immediate) return { type: 'anywhere', memory };
  const found = allowedTopologies.length > 0 ? allowed(facts, memory) : aggregated(facts, memory);
  if (found.type !== 'terms') return found;
  const requisite = sortedTerms(found.terms);
  if (requisite.length === 0) return { type: 'anywhere', memory: found.memory };
  const start = preferredOffset(facts.claimName) % requisite.length;
  return require(requisite, rotated(requisite, start), found.memory);
}

/** The chosen node's place alone. */
function strictly(facts: TopologyFacts, term: TopologyTerm, memory: TopologyMemory): TopologyDecision {
  const permitted = flatten(facts.allowedTopologies);
  if (facts.allowedTopologies.length > 0 && !permitted.some((each) => isSubset(each, term))) {
    const node = `selected node '"${facts.selectedNode}"' topology '${termText(term)}'`;
    return wrong(`${node} is not in allowed topologies: ${termsText(permitted)}`, memory);
  }
  return require([term], [term], memory);
}

/** Every place there is, the chosen node's first. */
function around(facts: TopologyFacts, term: TopologyTerm, memory: TopologyMemory): TopologyDecision {
  const found = facts.allowedTopologies.length > 0 ? allowed(facts, memory) : aggregated(facts, memory);
  if (found.type !== 'terms') return found;
  const requisite = sortedTerms(found.terms);
  if (requisite.length === 0) return { type: 'anywhere', memory: found.memory };
  const start = requisite.findIndex((each) => isSubset(each, term));
  if (start < 0) {
    const node = `topology ${termText(term)} from selected node "${facts.selectedNode}"`;
    return wrong(`${node} is not in requisite: ${termsText(requisite)}`, found.memory);
  }
  return require(requisite, rotated(requisite, start), found.memory);
}

function selectedTerm({ selectedNode, cluster, memory }: TopologyFacts): Selected {
  const keys = isFilled(memory.keys) ? memory.keys : cluster.keysOnNode(selectedNode);
  if (keys === undefined) {
    const lookup = `csinode.storage.k8s.io "${selectedNode}" not found`;
    return { type: 'reschedule', message: `failed to get selected CSINode ${selectedNode}: ${lookup}`, memory };
  }
  if (keys.length === 0) return wrong(`no topology key found for node ${selectedNode}`, memory);
  const remembered = { ...memory, keys };
  const known = memory.nodeLabels === undefined ? undefined : termOfLabels(memory.nodeLabels, keys);
  if (known !== undefined) return { type: 'selected', term: known, memory: remembered };
  const labels = cluster.labelsOfNode(selectedNode);
  const term = labels === undefined ? undefined : termOfLabels(labels, keys);
  if (term === undefined || labels === undefined) {
    const message = `does not match topology keys from CSINode [${keys.join(' ')}]`;
    return wrong(`topology labels from selected node ${mapText(labels ?? memory.nodeLabels)} ${message}`, remembered);
  }
  return { type: 'selected', term, memory: { ...remembered, nodeLabels: labels } };
}

type Terms =
  | { readonly type: 'terms'; readonly terms: readonly TopologyTerm[]; readonly memory: TopologyMemory }
  | Extract<TopologyDecision, { type: 'wrong' }>;

const allowed = (facts: TopologyFacts, memory: TopologyMemory): Terms => ({
  type: 'terms',
  terms: flatten(facts.allowedTopologies),
  memory,
});

/** The places of all nodes that carry the driver's keys. */
function aggregated(facts: TopologyFacts, memory: TopologyMemory): Terms {
  const { cluster } = facts;
  const keys = isFilled(memory.keys) ? memory.keys : cluster.keysAnywhere();
  if (keys.length === 0) return wrong('no available topology found', memory);
  if (isFilled(memory.terms)) return { type: 'terms', terms: memory.terms, memory };
  const terms = [...cluster.allLabels()].flatMap((labels) => {
    const term = termOfLabels(labels, keys);
    return term === undefined ? [] : [term];
  });
  const remembered = { ...memory, keys };
  if (terms.length === 0) return wrong(`topologyKeys [${keys.join(' ')}] were not found on any nodes`, remembered);
  return { type: 'terms', terms, memory: { ...remembered, terms } };
}

const isFilled = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

const rotated = <T>(list: readonly T[], start: number): readonly T[] => [...list.slice(start), ...list.slice(0, start)];

function require(
  requisite: readonly TopologyTerm[],
  preferred: readonly TopologyTerm[],
  memory: TopologyMemory,
): TopologyDecision {
  return {
    type: 'require',
    requirement: { requisite: requisite.map(toTopology), preferred: preferred.map(toTopology) },
    memory,
  };
}

const wrong = (message: string, memory: TopologyMemory): Extract<TopologyDecision, { type: 'wrong' }> => ({
  type: 'wrong',
  message,
  memory,
});

/** As Go prints a map: keys in order. */
function mapText(labels: StringMap | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, value]) => `${key}:${value}`).join(' ')}]`;
}
