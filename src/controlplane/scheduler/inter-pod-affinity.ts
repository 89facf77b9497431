// Required wishes of pods about the company of other pods: their own, and those of pods that are already placed.
// kubernetes:pkg/scheduler/framework/plugins/interpodaffinity
import { labelMatcherOf } from '../../kube/label-selector.ts';
import type { Namespace } from '../../kube/resources/namespace.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PodAffinityTerm } from '../../kube/resources/pod-spec.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { NodeInfo } from './node-info.ts';
import { type FilterPlugin, type PreFilterOutcome, SKIP, filterBy } from './plugin.ts';
import { type Status, SUCCESS, unresolvable, unschedulable } from './status.ts';

export const interPodAffinity: FilterPlugin = { name: 'InterPodAffinity', preFilter };

/** Where pods that matter are: how many in each `key=value` of the nodes' labels. */
type Domains = Map<string, number>;

function preFilter(pod: Pod, cluster: ClusterSnapshot): PreFilterOutcome {
  const affinity = affinityTermsOf(pod).map((term) => new TermMatcher(term, pod));
  const antiAffinity = antiAffinityTermsOf(pod).map((term) => new TermMatcher(term, pod));
  const { wanted, unwanted } = companions(affinity, antiAffinity, cluster);
  const repelling = repellingDomains(pod, cluster);
  if (affinity.length === 0 && antiAffinity.length === 0 && repelling.size === 0) return SKIP;
  const isFirstOfItsKind =
    wanted.size === 0 && matchesAll(affinity, pod, cluster.namespaces.get.bind(cluster.namespaces));
  return filterBy((node): Status => {
    if (!isWanted(affinity, wanted, node) && !(isFirstOfItsKind && hasTopology(affinity, node))) {
      return unresolvable("node(s) didn't match pod affinity rules");
    }
    if (antiAffinity.some((term) => (unwanted.get(domainOf(term, node) ?? '') ?? 0) > 0)) {
      return unschedulable("node(s) didn't match pod anti-affinity rules");
    }
    const labels = Object.entries(node.node.metadata.labels ?? {});
    if (repelling.size > 0 && labels.some(([key, value]) => (repelling.get(`${key}=${value}`) ?? 0) > 0)) {
      return unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
    }
    return SUCCESS;
  });
}

type NamespaceNamed = (name: string) => Namespace | undefined;

/** Pods that a term means. Built once for a pod and then asked about many. */
export class TermMatcher {
  readonly topologyKey: string;
  readonly #labels: ReturnType<typeof labelMatcherOf>;
  readonly #namespaces: ReadonlySet<string>;
  readonly #namespaceLabels: ReturnType<typeof labelMatcherOf>;

  constructor(term: PodAffinityTerm, owner: Pod) {
    const { namespaces = [], namespaceSelector } = term;
    const isOwnNamespace = namespaces.length === 0 && namespaceSelector === undefined;
    this.topologyKey = term.topologyKey;
    this.#labels = labelMatcherOf(term.labelSelector);
    this.#namespaces = new Set(isOwnNamespace ? [owner.metadata.namespace ?? ''] : namespaces);
    this.#namespaceLabels = labelMatcherOf(namespaceSelector);
  }

  matches(pod: Pod, namespaceNamed: NamespaceNamed): boolean {
    const namespace = pod.metadata.namespace ?? '';
    const isThere =
      this.#namespaces.has(namespace) ||
      this.#namespaceLabels.matches(namespaceNamed(namespace)?.metadata.labels ?? {});
    return isThere && this.#labels.matches(pod.metadata.labels);
  }

  /** Namespaces in which such pods can be, so that no others need to be read. */
  namespacesIn(all: Iterable<Namespace>): ReadonlySet<string> {
    const selected = [...all].filter(({ metadata }) => this.#namespaceLabels.matches(metadata.labels));
    return new Set([...this.#namespaces, ...selected.map(({ metadata }) => metadata.name)]);
  }
}

export const affinityTermsOf = (pod: Pick<Pod, 'spec'>): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
export const antiAffinityTermsOf = (pod: Pick<Pod, 'spec'>): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

export const matchesAll = (terms: readonly TermMatcher[], pod: Pod, namespaceNamed: NamespaceNamed): boolean =>
  terms.length > 0 && terms.every((term) => term.matches(pod, namespaceNamed));

/** A pod counts as wanted only if it satisfies all affinity terms at once, as unwanted for each anti-affinity term alone. */
function companions(
  affinity: readonly TermMatcher[],
  antiAffinity: readonly TermMatcher[],
  { namespaces, placement }: ClusterSnapshot,
): { readonly wanted: Domains; readonly unwanted: Domains } {
  const wanted: Domains = new Map();
  const unwanted: Domains = new Map();
  const named: NamespaceNamed = (name) => namespaces.get(name);
  const terms = [...affinity, ...antiAffinity];
  const read = new Set(terms.flatMap((term) => [...term.namespacesIn(namespaces.all())]));
  const countOne = (other: Pod): void => {
    const node = placement.node(other.spec.nodeName ?? '');
    if (node === undefined) return;
    if (matchesAll(affinity, other, named)) for (const term of affinity) count(wanted, term, node);
    for (const term of antiAffinity) if (term.matches(other, named)) count(unwanted, term, node);
  };
  for (const namespace of read) for (const other of placement.podsIn(namespace)) countOne(other);
  return { wanted, unwanted };
}

/** Domains that placed pods keep free of pods like this one. */
function repellingDomains(pod: Pod, { namespaces, placement }: ClusterSnapshot): Domains {
  const domains: Domains = new Map();
  for (const other of placement.podsWithRequiredAntiAffinity()) {
    const node = placement.node(other.spec.nodeName ?? '');
    if (node === undefined) continue;
    for (const term of antiAffinityTermsOf(other)) {
      const matcher = new TermMatcher(term, other);
      if (matcher.matches(pod, (name) => namespaces.get(name))) count(domains, matcher, node);
    }
  }
  return domains;
}

function count(domains: Domains, term: TermMatcher, node: NodeInfo): void {
  const domain = domainOf(term, node);
  if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + 1);
}

function domainOf({ topologyKey }: TermMatcher, { node }: NodeInfo): string | undefined {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}

const hasTopology = (terms: readonly TermMatcher[], node: NodeInfo): boolean =>
  terms.every((term) => domainOf(term, node) !== undefined);
const isWanted = (terms: readonly TermMatcher[], wanted: Domains, node: NodeInfo): boolean =>
  terms.every((term) => (wanted.get(domainOf(term, node) ?? '') ?? 0) > 0);
