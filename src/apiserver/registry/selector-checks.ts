// Selectors of nodes and topologies, as they stand in objects. kubernetes:pkg/apis/core/validation/validation.go
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorLabelRequirement,
  TopologySelectorTerm,
} from '../../kube/resources/node-selector.ts';
import { checkLabelValue, checkQualifiedName, checkSubdomain } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';

type Faults = readonly FieldError[];

function checkLabelOperator(operator: string, values: readonly string[], path: string): Faults {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

export function checkNodeSelector(selector: NodeSelector, path: string): Faults {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) {
    return [required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')];
  }
  return terms.flatMap((term, index) => {
    const at = `${path}.nodeSelectorTerms[${index}]`;
    return checkTerm(term, at, checkRequiredValues);
  });
}

/** Of a term that is only preferred: a value that no label has is told, not refused. */
export const checkNodeSelectorTerm = (term: NodeSelectorTerm, path: string): Faults => checkTerm(term, path, () => []);

type ValueCheck = (values: readonly string[], path: string) => Faults;

const checkRequiredValues: ValueCheck = (values, path) =>
  values.flatMap((value, index) => checkLabelValue(`${path}[${index}]`, value));

function checkTerm(term: NodeSelectorTerm, path: string, checkValues: ValueCheck): Faults {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, index) => {
      const at = `${path}.matchExpressions[${index}]`;
      return [...checkNodeRequirement(requirement, at), ...checkValues(requirement.values ?? [], `${at}.values`)];
    }),
    ...(term.matchFields ?? []).flatMap((requirement, index) =>
      checkNodeField(requirement, `${path}.matchFields[${index}]`),
    ),
  ];
}

function checkNodeRequirement(requirement: NodeSelectorRequirement, path: string): Faults {
  const values = requirement.values ?? [];
  const isComparison = requirement.operator === 'Gt' || requirement.operator === 'Lt';
  const comparison =
    values.length === 1
      ? []
      : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
  return [
    ...(isComparison ? comparison : checkLabelOperator(requirement.operator, values, path)),
    ...checkQualifiedName(`${path}.key`, requirement.key),
  ];
}

const ONE_VALUE = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";

function checkNodeField(requirement: NodeSelectorRequirement, path: string): Faults {
  const values = requirement.values ?? [];
  const isKnown = requirement.operator === 'In' || requirement.operator === 'NotIn';
  return [
    ...(isKnown ? [] : [invalid(`${path}.operator`, requirement.operator, 'not a valid selector operator')]),
    ...(isKnown && values.length !== 1 ? [required(`${path}.values`, ONE_VALUE)] : []),
    ...(requirement.key === 'metadata.name'
      ? values.flatMap((value, index) => checkSubdomain(`${path}.values[${index}]`, value))
      : [invalid(`${path}.key`, requirement.key, 'not a valid field selector key')]),
  ];
}

/** Upstream compares each with as many empty ones as there are terms, too: an empty term repeats all of them. */
export function checkTopologies(terms: readonly TopologySelectorTerm[], path: string): Faults {
  const shapes = terms.map(shapeOf);
  return terms.flatMap((term, index) => {
    const shape = shapes[index] ?? {};
    const repeats = [...terms.map(() => ({})), ...shapes.slice(0, index)].filter(
      (other) => Object.keys(other).length === Object.keys(shape).length && sameValue(other, shape),
    );
    return [
      ...checkTopologyTerm(term, `${path}[${index}]`),
      ...repeats.map(() => duplicate(`${path}[${index}].matchLabelExpressions`, '')),
    ];
  });
}

/** A term as a set of sets, so that two orders of the same values are equal. */
const shapeOf = (term: TopologySelectorTerm): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    (term.matchLabelExpressions ?? []).map(({ key, values }) => [key, [...new Set(values ?? [])].toSorted()]),
  );

function checkTopologyTerm(term: TopologySelectorTerm, path: string): Faults {
  const requirements = term.matchLabelExpressions ?? [];
  return requirements.flatMap((requirement, index) => {
    const at = `${path}.matchLabelExpressions[${index}]`;
    const isRepeated = requirements.slice(0, index).some((earlier) => earlier.key === requirement.key);
    return [...checkTopologyValues(requirement, at), ...(isRepeated ? [duplicate(`${at}.key`, requirement.key)] : [])];
  });
}

function checkTopologyValues(requirement: TopologySelectorLabelRequirement, path: string): Faults {
  const values = requirement.values ?? [];
  return [
    ...(values.length === 0 ? [required(`${path}.values`)] : []),
    ...values.flatMap((value, index) =>
      values.indexOf(value) < index ? [duplicate(`${path}.values[${index}]`, value)] : [],
    ),
    ...checkQualifiedName(`${path}.key`, requirement.key),
  ];
}
