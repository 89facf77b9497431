// Which nodes a node selector means (pod affinity, volume affinity, storage capacity) and which topologies a class allows.
// kubernetes:staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go
// kubernetes:pkg/apis/core/v1/helper/helpers.go
import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  SelectorError,
  checkedRequirement,
  matchesRequirement,
} from './label-requirement.ts';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from './resources/node-selector.ts';

export interface NodeIdentity {
  readonly metadata: { readonly name: string; readonly labels?: Labels };
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};
const NO_LABELS: Labels = {};

/** One term is enough; a selector without terms means no node. */
export const matchesNodeSelector = (selector: NodeSelector, node: NodeIdentity): boolean =>
  selector.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node));

/** All expressions and fields must hold. An empty term means no node, and so does one that is malformed. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: NodeIdentity): boolean {
  let compiled = COMPILED_TERMS.get(term);
  if (compiled === undefined) {
    compiled = compiledTerm(term);
    COMPILED_TERMS.set(term, compiled);
  }
  if (compiled.type === 'nothing') return false;
  const labels = node.metadata.labels ?? NO_LABELS;
  return (
    compiled.labels.every((requirement) => matchesRequirement(requirement, labels)) &&
    compiled.fields.every(({ key, isEqual, value }) => {
      // The name is the only field a node is selected by; any other reads as the empty text.
      return ((key === 'metadata.name' ? node.metadata.name : '') === value) === isEqual;
    })
  );
}

type CompiledTerm =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'all-of';
      readonly labels: readonly LabelRequirement[];
      readonly fields: readonly FieldRequirement[];
    };
interface FieldRequirement {
  readonly key: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Terms are frozen and shared, and checking one costs more than matching it: each is checked once in its life. */
const COMPILED_TERMS = new WeakMap<NodeSelectorTerm, CompiledTerm>();

function compiledTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): CompiledTerm {
  const labels = matchExpressions.flatMap((expression) => requirementOf(expression) ?? []);
  const fields = matchFields.flatMap((expression) => fieldRequirementOf(expression) ?? []);
  const isWhole = labels.length === matchExpressions.length && fields.length === matchFields.length;
  if (!isWhole || labels.length + fields.length === 0) return { type: 'nothing' };
  return { type: 'all-of', labels, fields };
}

/** No terms allow every topology; a term without expressions allows none. */
export function matchesTopologySelectorTerms(
  terms: readonly TopologySelectorTerm[] | undefined,
  labels: Labels,
): boolean {
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    return (
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => {
        const requirement = checkedOrUndefined({ key, operator: 'in', values });
        return requirement !== undefined && matchesRequirement(requirement, labels);
      })
    );
  });
}

function fieldRequirementOf({ key, operator, values = [] }: NodeSelectorRequirement): FieldRequirement | undefined {
  const [value] = values;
  if (values.length !== 1 || value === undefined || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { key, isEqual: operator === 'In', value };
}

function requirementOf({ key, operator: name, values = [] }: NodeSelectorRequirement): LabelRequirement | undefined {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  return operator === undefined ? undefined : checkedOrUndefined({ key, operator, values });
}

function checkedOrUndefined(requirement: LabelRequirement): LabelRequirement | undefined {
  try {
    return checkedRequirement(requirement);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
