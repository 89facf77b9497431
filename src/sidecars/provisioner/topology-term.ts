// A term is a place: topology keys with one value each, sorted by key. external-provisioner:pkg/controller/topology.go
import type { StringMap, Topology } from '../../csi/driver.ts';
import type { TopologySelectorTerm } from '../../kube/resources/node-selector.ts';

export interface Segment {
  readonly key: string;
  readonly value: string;
}
export type TopologyTerm = readonly Segment[];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const compareSegments = (a: Segment, b: Segment): number => compareText(a.key, b.key) || compareText(a.value, b.value);

export const sortedTerm = (segments: readonly Segment[]): TopologyTerm => [...segments].sort(compareSegments);

/** The place that labels say; undefined if one of the keys is not among them. */
export function termOfLabels(labels: StringMap, keys: readonly string[]): TopologyTerm | undefined {
  const segments = keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, value }];
  });
  return segments.length === keys.length ? sortedTerm(segments) : undefined;
}

/** Shorter terms first, then by key and value. */
export function compareTerms(a: TopologyTerm, b: TopologyTerm): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [index, segment] of a.entries()) {
    const other = b[index];
    const order = other === undefined ? 0 : compareSegments(segment, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** In order and each once. */
export function sortedTerms(terms: readonly TopologyTerm[]): readonly TopologyTerm[] {
  const sorted = [...terms].sort(compareTerms);
  return sorted.filter((term, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareTerms(before, term) !== 0;
  });
}

export const isSubset = (part: TopologyTerm, whole: TopologyTerm): boolean =>
  part.every(({ key, value }) => whole.some((segment) => segment.key === key && segment.value === value));

/**
 * The places a class allows: within a term every expression must hold, of its values any. What is an AND of ORs becomes
 * a list of places, the cross product; the terms of the class are alternatives.
 */
export function flatten(allowed: readonly TopologySelectorTerm[]): readonly TopologyTerm[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    let terms: readonly TopologyTerm[] = [];
    for (const { key, values } of matchLabelExpressions) {
      const before: readonly TopologyTerm[] = terms.length === 0 ? [[]] : terms;
      terms = values.flatMap((value) => before.map((term) => [...term, { key, value }]));
    }
    return terms.map(sortedTerm);
  });
}

export function toTopology(term: TopologyTerm): Topology {
  return { segments: Object.fromEntries(term.map(({ key, value }) => [key, value])) };
}

/** As Go prints a slice of slices of structs. */
export const termText = (term: TopologyTerm): string =>
  `[${term.map(({ key, value }) => `{${key} ${value}}`).join(' ')}]`;
export const termsText = (terms: readonly TopologyTerm[]): string => `[${terms.map(termText).join(' ')}]`;
